#pragma once
// Parses the locations that a user enters: a line, a label, a function, a line of the original source, a register, an
// address.
#include "Debug/Debugger.h"
#include "Source/Expected.h"
#include "Source/Origin.h"

namespace ptxray::machine::debug {

const machine::FunctionCode &functionOf(const machine::Program &program, const machine::CodePlace &place);
const Instruction &instructionAt(const machine::Program &program, const machine::CodePlace &place);

/// Returns the instructions that `text` names: `38`, `LOOP`, `saxpy`, `saxpy+3`, `kernel.cu:12`. Returns an empty list
/// if there are none.
std::vector<machine::CodePlace> placesNamed(const machine::Program &program, const SourceBuffer &source,
                                            const OriginTable &origins, llvm::StringRef text);

/// Returns a register of the focused lane by its name, such as `%r1`.
std::optional<LocalId> registerNamed(const machine::Frame &frame, llvm::StringRef name);

/// Returns the memory or the register that `text` names, as a watch: `%r1`, `[%rd1+4]`, `[shared:64]`, `[variable]`.
Expected<machine::WatchedBytes> watchedNamed(const Debugger &session, llvm::StringRef text, uint32_t bytes);

/// Writes comma-separated numbers to a register or to memory, named as for `watchedNamed`. If no format is given,
/// registers use their own type, and memory uses 32-bit numbers. Returns the problem, or an empty string on success.
std::string putNumbers(Debugger &session, llvm::StringRef where, llvm::StringRef numbers, llvm::StringRef format);

} // namespace ptxray::machine::debug
