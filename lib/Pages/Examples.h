#pragma once
// Checks single lines of PTX in a module without other findings.
#include "Isa/Availability.h"
#include "Match/FormMatch.h"
#include <optional>

namespace ptxray {

/// The text of a module, and the offset of the line in question.
struct ExampleModule {
  std::string text;
  uint32_t line;
};
/// Builds a module around a line. `name` is the mnemonic, directive, pragma or register; for a directive, it determines
/// the position of the line.
ExampleModule exampleModule(llvm::StringRef name, llvm::StringRef line, uint16_t ptx, llvm::StringRef target);

struct ExampleReport {
  bool isError = false;
  std::string message;             // includes the rule in brackets
  std::vector<std::string> advice; // notes and fixes
};
/// Returns the first report, or nothing if there is none.
std::optional<ExampleReport> reportOf(const ExampleModule &module);

/// A line in parsed form.
struct ReadExample {
  std::optional<FormMatch> match;   // empty if no form matches
  std::vector<std::string> effects; // sentences about its effects
};
ReadExample readExample(const ExampleModule &module);

struct ExampleSetting {
  uint16_t ptx;
  llvm::StringRef target; // empty if the line is always invalid
};
/// Returns the newest version, and the most common target for which the line is valid.
ExampleSetting settingOfExample(llvm::StringRef name, llvm::StringRef line);

} // namespace ptxray
