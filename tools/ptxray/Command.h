#pragma once
// The commands of ptxray. Each is implemented in one file of this folder, which declares its options. Commands.cmake
// lists them by part.
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
  EqualReals = 8,
};

/// The words after the name of a command, parsed by its options.
struct Arguments {
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>> options;
  std::vector<llvm::StringRef> operands;
  std::vector<llvm::StringRef> passedOn; // words after `--`, for commands that pass them on

  bool has(llvm::StringRef option) const { return value(option).has_value(); }
  std::optional<llvm::StringRef> value(llvm::StringRef option) const; // the last one takes precedence
};

struct Command {
  std::string_view name, summary;
  Syntax syntax;
  int (*run)(const Arguments &arguments);
  std::string_view notes = {}; // text that help shows after the options
};

/// Parses the words of a command. `arguments` refers to these words. Returns the problem, or an empty string on
/// success.
std::string readArguments(const Command &command, llvm::ArrayRef<const char *> written, Arguments &arguments);

inline constexpr size_t anyNumber = ~size_t(0); // any number of operands

/// Prints the output of `ptxray COMMAND --help`.
void printHelp(const Command &command, llvm::raw_ostream &out);
/// Prints one line to standard error. Returns BadUsage.
int usageError(const std::string &message);
/// Prints to standard error that an input has errors, which `check` shows. Returns FoundErrors.
int faultyInput(llvm::StringRef path);
/// Report a usage error for an unknown name.
int unknownTarget(llvm::StringRef written);
int unknownInstruction(llvm::StringRef written);
/// Returns an existing PTX version, such as 806 for `8.6`, or nothing.
std::optional<uint16_t> findVersion(llvm::StringRef written);
/// Returns whether to colour standard output, depending on `--color=auto|always|never`.
bool wantsColor(const Arguments &arguments);
/// Returns whether the terminal supports hyperlinks.
bool wantsLinks(const Arguments &arguments);
/// Flushes standard output, and reports a failure.
int finish(int status);

/// Options that several commands share.
Option colorOption();
Option textOrJsonOption();
/// Returns the formats, `text|short|...`, of commands that print diagnostics.
std::string diagnosticFormats();

/// Returns the commands of this build, in the order of their names. CMake writes the function and the next one.
std::vector<Command> allCommands();

/// A command of Commands.cmake that this build lacks.
struct LackingCommand {
  std::string_view name, reason; // the reason is a clause: "it exists on Linux only"
};
std::vector<LackingCommand> lackingCommands();
/// Prints why this build lacks a command. Returns BadUsage. Returns nothing for other names.
std::optional<int> refuseLacking(llvm::StringRef name);

/// Whether ptxray starts other programs, such as ptxas.
#ifdef __linux__
inline constexpr bool startsPrograms = true;
#else
inline constexpr bool startsPrograms = false;
#endif
/// Prints that something requires ptxas, on systems where ptxray starts no programs. Returns NoPtxas.
int refuseWithoutPtxas(const std::string &what);

Command asCommand();
Command checkCommand();
Command dapCommand();
Command debugCommand();
Command descCommand();
Command diffCommand();
Command dumpCommand();
Command emulateCommand();
Command equalCommand();
Command explainCommand();
Command extractCommand();
Command fmtCommand();
Command generateCommand();
Command graphCommand();
Command hazardsCommand();
Command isaCommand();
Command judgeCommand();
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
