#pragma once
// Compares two modules by their meaning. Names of registers and labels, comments, white space, spellings of numbers and
// line information may differ.
#include <string>
#include <vector>

namespace ptxray {

class SourceBuffer;

/// Consecutive statements of the first module, and those that replace them in the second. Either list may be empty.
struct Difference {
  std::string function; // the function that contains the statements; empty outside of functions
  struct Line {
    uint32_t number; // line number, from 1
    std::string text;
  };
  std::vector<Line> before, after;
};

/// Returns all differences in source order. Both modules must be free of syntax errors.
std::vector<Difference> differencesOf(const SourceBuffer &before, const SourceBuffer &after);

} // namespace ptxray
