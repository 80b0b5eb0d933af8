#pragma once
// The commands of ptxray: each is one file of this folder and one row of the table in main.cpp.
#include "Diagnostics/Nearest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace ptxray {

/// docs/exit-status.md explains them.
enum ExitStatus {
  Clean = 0,
  FoundErrors = 1,
  BadUsage = 2,
  PtxasRefused = 3,
  NoGpu = 4,
  NoPtxas = 5,
  KernelFailed = 6,
};

struct Option {
  llvm::StringLiteral name; // `--format`
  std::string value;        // what help shows behind `=`; `a|b` lists all that are possible; empty: a switch
  llvm::StringLiteral help;
};

/// What was written behind the name of a command, already checked against its options.
struct Arguments {
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::StringRef>> options;
  std::vector<llvm::StringRef> operands;
  std::vector<llvm::StringRef> passedOn; // what stands behind `--`, of a command that passes it on

  bool has(llvm::StringRef option) const { return value(option).has_value(); }
  std::optional<llvm::StringRef> value(llvm::StringRef option) const; // the last one counts
};

/// Whose words a command's are: its own; behind `--` another program's; all another program's.
enum class Words { Own, PassedOn, Foreign };

struct Command {
  llvm::StringLiteral name;
  llvm::StringLiteral operands; // `FILE...`
  unsigned fewest, most;        // operands
  llvm::StringLiteral summary;
  std::vector<Option> options;
  int (*run)(const Arguments &arguments);
  Words words = Words::Own;
};

/// One line on standard error; returns BadUsage.
int usageError(const std::string &message);
/// Usage errors for names that the tables do not know.
int unknownTarget(llvm::StringRef written);
int unknownInstruction(llvm::StringRef written);
/// `8.6` as 806, if there is such a PTX version.
std::optional<uint16_t> findVersion(llvm::StringRef written);
/// Whether to colour what goes to standard output, by `--color=auto|always|never`.
bool wantsColor(const Arguments &arguments);
/// docs/instructions.md.
void printInstructionTable(llvm::raw_ostream &out);
/// Flushes standard output; says so when it could not be written.
int finish(int status);

/// The table of main.cpp.
std::vector<Command> allCommands();

int runAs(const Arguments &arguments);
int runCheck(const Arguments &arguments);
int runDesc(const Arguments &arguments);
int runDump(const Arguments &arguments);
int runExplain(const Arguments &arguments);
int runGenerate(const Arguments &arguments);
int runIsa(const Arguments &arguments);
int runLayout(const Arguments &arguments);
int runPtxas(const Arguments &arguments);
/// Under a name such as `ptxas` or `ptxas-blackwell`.
int actAsPtxas(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> words);
int runRun(const Arguments &arguments);
int runTargets(const Arguments &arguments);
int runVersion(const Arguments &arguments);

} // namespace ptxray
