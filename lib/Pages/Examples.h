#pragma once
// Puts lines of PTX into a module without other findings, and returns what is reported of them.
#include "Isa/Availability.h"
#include "Match/FormMatch.h"
#include <optional>

namespace ptxray {

/// A whole text, and the first of the lines in question.
struct ExampleModule {
  std::string text;
  uint32_t line;
};
/// `name` is the mnemonic, directive, pragma or register; for a directive it determines the place of the line.
ExampleModule exampleModule(llvm::StringRef name, llvm::StringRef line, uint16_t ptx, llvm::StringRef target);

struct ExampleReport {
  bool isError = false;
  std::string message;             // with the rule in brackets
  std::vector<std::string> advice; // notes and fixes
};
/// Returns the first report; nothing if there is none.
std::optional<ExampleReport> reportOf(const ExampleModule &module);

/// A line as the engine reads it.
struct ReadExample {
  std::optional<FormMatch> match;   // nothing if no form fits it
  std::vector<std::string> effects; // what it does, in words
};
ReadExample readExample(const ExampleModule &module);

struct ExampleSetting {
  uint16_t ptx;
  llvm::StringRef target; // empty: it is wrong everywhere
};
/// Returns the newest version and the most usual target with which the line is right.
ExampleSetting settingOfExample(llvm::StringRef name, llvm::StringRef line);

} // namespace ptxray
