#pragma once
// A line of PTX for the words of one form, made from the tables, in a module with nothing to report.
#include "Match/Match.h"
#include "Pages/Examples.h"

namespace ptxray {

struct FormExample {
  FormMatch match; // with the rows of the tables that the line is written by
  std::string line;
  ExampleModule module;
  ExampleSetting setting;
};

/// Nothing if no line that fits is found.
std::optional<FormExample> exampleOf(const FormMatch &words, llvm::StringRef spelling);

/// Returns the first whole spelling that goes on where `written` ends, and has an example: usual words come first.
std::optional<std::string> completedSpelling(llvm::StringRef written);

} // namespace ptxray
