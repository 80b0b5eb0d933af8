#pragma once
// Reads test/isa (single lines, which are inserted into test/isa/prelude.ptx) and test/module (whole files) as modules.
#include "Expectation.h"
#include "Module/CheckOptions.h"

namespace ptxray::test {

/// One module to check, and the line of the test file from which each of its lines comes.
struct Module {
  std::string header; // header of its section; empty for a whole file
  std::string text;
  std::string target; // only the architecture
  bool pedantic = false;
  Linking linking = Linking::Unknown; // `//@ link whole`
  bool isFragment = false;            // a section, or `//@ fragment`
  bool compiles = false;              // `//@ compile`: ptxas generates code for it
  std::vector<unsigned> origins;      // for each line of `text`, counted from 1; 0 for the prelude
};

struct TestFile {
  std::string path;
  std::string suite, name; // `isa`, `matrix/ldmatrix`
  std::vector<std::string> lines;
  std::vector<Module> modules; // in a snippet file, one per section
  std::string problem;         // why it cannot be read
};

/// Returns the check options of a module.
CheckOptions optionsOf(const Module &module);

/// Returns the given files, or else all files in test/isa and test/module, sorted.
std::vector<TestFile> findTests(llvm::ArrayRef<char *> paths);

/// Reads an example in documentation. It is a whole module if it contains `.version` or begins with `//@ module`.
/// Otherwise it consists of sections like those of test/isa; the default is PTX 9.0 for sm_100a.
TestFile readExample(llvm::StringRef text);

/// Reads sections like those of test/isa.
TestFile readSections(llvm::StringRef text);

/// Parses `whole` or `separate`; other words are Unknown.
Linking linkingOf(llvm::StringRef word);

/// Returns the numbers of the lines in a section.
std::vector<unsigned> linesIn(const Module &section);

/// Returns a section with only the given lines.
Module linesOf(const TestFile &file, const Module &section, llvm::ArrayRef<unsigned> lines);

} // namespace ptxray::test
