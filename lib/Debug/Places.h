#pragma once
// Places of a program, as people name them: a line, a label, a function, a line of the source that it was made from; a
// register, an address.
#include "Debug/Debugger.h"
#include "Source/Expected.h"
#include "Source/Origin.h"

namespace ptxray::machine::debug {

const machine::FunctionCode &functionOf(const machine::Program &program, const machine::CodePlace &place);
const Instruction &instructionAt(const machine::Program &program, const machine::CodePlace &place);

/// Returns the instructions that a text means: `38`, `LOOP`, `saxpy`, `saxpy+3`, `kernel.cu:12`; empty: none.
std::vector<machine::CodePlace> placesNamed(const machine::Program &program, const SourceBuffer &source,
                                            const OriginTable &origins, llvm::StringRef text);

/// Returns a register of the focus, by its name: `%r1`.
std::optional<LocalId> registerNamed(const machine::Frame &frame, llvm::StringRef name);

/// Memory or a register that a text means, as something that can be watched: `%r1`, `[%rd1+4]`, `[shared:64]`,
/// `[variable]`.
Expected<machine::WatchedBytes> watchedNamed(const Debugger &session, llvm::StringRef text, uint32_t bytes);

/// Puts numbers with commas between them into a register or memory, which is named as above. Without the name of a
/// format they are of the register's type, and 32 bits each in memory. Returns why that cannot be, or nothing.
std::string putNumbers(Debugger &session, llvm::StringRef where, llvm::StringRef numbers, llvm::StringRef format);

} // namespace ptxray::machine::debug
