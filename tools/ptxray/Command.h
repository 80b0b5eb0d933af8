#pragma once
// The commands of ptxray: each is one file of this folder, which declares its options, and one word of the list in
// AllCommands.cpp.
#include "CommandLine.h"
#include "Diagnostics/Nearest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

/// The exit statuses of docs/exit-status.md.
enum ExitStatus {
  Clean = 0,
  FoundErrors = 1,
  BadUsage = 2,
  PtxasRefused = 3,
  NoGpu = 4,
  NoPtxas = 5,
  KernelFailed = 6,
  NotEmulated = 7,
};

/// The words after the name of a command, checked against its options.
struct Arguments {
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>> options;
  std::vector<llvm::StringRef> operands;
  std::vector<llvm::StringRef> passedOn; // what follows `--`, of a command that passes it on

  bool has(llvm::StringRef option) const { return value(option).has_value(); }
  std::optional<llvm::StringRef> value(llvm::StringRef option) const; // the last one counts
};

struct Command {
  std::string_view name, summary;
  Syntax syntax;
  int (*run)(const Arguments &arguments);
  std::string_view notes = {}; // what help says after the options
};

/// Reads the words of a command, which `arguments` then refers to. Returns what is wrong with them, or nothing.
std::string readArguments(const Command &command, llvm::ArrayRef<const char *> written, Arguments &arguments);

inline constexpr size_t anyNumber = ~size_t(0); // of operands

/// Prints what `ptxray COMMAND --help` shows.
void printHelp(const Command &command, llvm::raw_ostream &out);
/// Prints one line on standard error; returns BadUsage.
int usageError(const std::string &message);
/// Says on standard error that there are errors in an input, which `check` shows; returns FoundErrors.
int faultyInput(llvm::StringRef path);
/// Reports a usage error for a name that the tables do not have.
int unknownTarget(llvm::StringRef written);
int unknownInstruction(llvm::StringRef written);
/// Returns the version that a text names, `8.6` as 806, if PTX has it.
std::optional<uint16_t> findVersion(llvm::StringRef written);
/// Returns whether standard output is to be coloured, by `--color=auto|always|never`.
bool wantsColor(const Arguments &arguments);
/// Returns whether the terminal supports hyperlinks.
bool wantsLinks(const Arguments &arguments);
/// Flushes standard output; reports if it could not be written.
int finish(int status);

/// Options of several commands.
Option colorOption();
Option textOrJsonOption();
/// Returns the formats, `text|short|...`, of commands that print diagnostics.
std::string diagnosticFormats();

/// Returns the list of AllCommands.cpp, or that of ptxray-check.
std::vector<Command> allCommands();

Command asCommand();
Command checkCommand();
Command dapCommand();
Command debugCommand();
Command descCommand();
Command diffCommand();
Command dumpCommand();
Command emulateCommand();
Command explainCommand();
Command extractCommand();
Command fmtCommand();
Command generateCommand();
Command graphCommand();
Command hazardsCommand();
Command isaCommand();
Command layoutCommand();
Command lspCommand();
Command proveCommand();
Command ptxasCommand();
Command recordCommand();
Command reduceCommand();
Command replayCommand();
Command rulesCommand();
Command runCommand();
Command targetsCommand();
Command versionCommand();

/// Runs under a name such as `ptxas` or `ptxas-blackwell`.
int actAsPtxas(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> words);

} // namespace ptxray
