#pragma once
// Compares two modules by what they say: names of registers, labels and other things of a function may differ, and so
// may comments, white space, spellings of numbers and line information.
#include <string>
#include <vector>

namespace ptxray {

class SourceBuffer;

/// Statements of the first module in place of which the second has others; either may be none.
struct Difference {
  std::string function; // they are in its body or head; empty: they are outside of functions
  struct Line {
    uint32_t number; // in its text, from 1
    std::string text;
  };
  std::vector<Line> before, after;
};

/// Returns all differences, in the order of the texts. Both must be free of syntax errors.
std::vector<Difference> differencesOf(const SourceBuffer &before, const SourceBuffer &after);

} // namespace ptxray
