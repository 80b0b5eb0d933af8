#pragma once
// Generates an example line for the words of one form from the tables, such that a module with it has no findings.
#include "Match/Match.h"
#include "Pages/Examples.h"

namespace ptxray {

struct FormExample {
  FormMatch match; // includes the rows of the tables that the line uses
  std::string line;
  ExampleModule module;
  ExampleSetting setting;
};

/// Returns nothing if no valid line is found.
std::optional<FormExample> exampleOf(const FormMatch &words, llvm::StringRef spelling);

/// Returns the first complete spelling that begins with `written` and has an example. Common words come first.
std::optional<std::string> completedSpelling(llvm::StringRef written);

} // namespace ptxray
