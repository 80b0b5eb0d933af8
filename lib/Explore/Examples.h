#pragma once
// Lines of PTX put into a module in which nothing else is to be said, and what is reported of them.
#include "Isa/Availability.h"
#include <optional>

namespace ptxray {

/// A whole text, and the first of the lines that it is about.
struct ExampleModule {
  std::string text;
  uint32_t line;
};
/// `name`: the mnemonic, directive, pragma or register; of a directive it says where the line is.
ExampleModule exampleModule(llvm::StringRef name, llvm::StringRef line, uint16_t ptx, llvm::StringRef target);

struct ExampleReport {
  bool isError = false;
  std::string message;             // with the rule in brackets
  std::vector<std::string> advice; // notes and fixes
};
/// What is reported first; none: nothing is.
std::optional<ExampleReport> reportOf(const ExampleModule &module);

struct ExampleSetting {
  uint16_t ptx;
  llvm::StringRef target; // empty: it is wrong everywhere
};
/// The newest version and the most usual target with which nothing is wrong with the line.
ExampleSetting settingOfExample(llvm::StringRef name, llvm::StringRef line);

} // namespace ptxray
