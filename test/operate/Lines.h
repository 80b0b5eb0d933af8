#pragma once
// Lines of PTX as recipes, with the registers that they name.
#include "Operate/Compile.h"
#include "Read/ReadModule.h"
#include "Semantics/Recipe.h"

namespace ptxray::machine {

/// One instruction, and how wide the register of each of its nodes is (0: the node is none).
struct Line {
  std::string text;
  Recipe recipe;
  Recipe again; // made of that of another line with the same verdict, by its constants
  std::vector<uint8_t> widths;
  std::vector<std::string> names; // what the registers are called, by node
};

/// Texts of one instruction each, whose registers are called `%p0`, `%h0`, `%r0`, `%rd0` and so on. Without a recipe,
/// and left out, is what is not accepted.
std::vector<Line> readLines(const std::vector<std::string> &texts);
/// Different texts of a mnemonic that are accepted, about half as many as `count`.
std::vector<std::string> textsOf(llvm::StringRef mnemonic, unsigned count, uint64_t seed);
std::vector<std::string> allMnemonics();
/// The instructions of a module as a compiler writes it; `text` is only the opcode.
std::vector<Line> readFile(const std::string &path);
/// Returns the instructions that kernels execute most.
std::vector<std::string> usualTexts();

} // namespace ptxray::machine
