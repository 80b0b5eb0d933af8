#pragma once
// Reads lines of PTX as recipes, with the registers that they use.
#include "Operate/Compile.h"
#include "Read/ReadModule.h"
#include "Semantics/Recipe.h"

namespace ptxray::machine {

/// One instruction, and the width of each node's register (0 if it has none).
struct Line {
  std::string text;
  Recipe recipe;
  Recipe again; // made from the recipe of another line with the same verdict, by replacing constants
  std::vector<uint8_t> widths;
  std::vector<std::string> names; // names of the registers, by node
};

/// Reads texts of one instruction each, with registers named `%p0`, `%h0`, `%r0`, `%rd0` and so on. Omits instructions
/// that are not accepted.
std::vector<Line> readLines(const std::vector<std::string> &texts);
/// Returns about `count` / 2 different accepted texts of a mnemonic.
std::vector<std::string> textsOf(llvm::StringRef mnemonic, unsigned count, uint64_t seed);
std::vector<std::string> allMnemonics();
/// Returns the instructions of a module in compiler output. `text` contains only the opcode.
std::vector<Line> readFile(const std::string &path);
/// Returns the instructions that kernels execute most often.
std::vector<std::string> usualTexts();

} // namespace ptxray::machine
