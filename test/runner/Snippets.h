#pragma once
// test/isa: single lines put into test/isa/prelude.ptx. test/module: whole files. Both become
// Modules.
#include "Expectation.h"
#include "Module/CheckOptions.h"

namespace ptxray::test {

/// One module to check, and the line of the test file that each of its lines comes from.
struct Module {
  std::string header; // of its section, empty: a whole file
  std::string text;
  std::string target; // the architecture alone
  bool pedantic = false;
  Linking linking = Linking::Unknown; // `//@ link whole`
  bool isFragment = false;            // a section, or `//@ fragment`
  bool compiles = false;              // `//@ compile`: ptxas generates code for it
  std::vector<unsigned> origins;      // of each line of `text`, counted from 1; 0: from the prelude
};

struct TestFile {
  std::string path;
  std::string suite, name; // `isa`, `matrix/ldmatrix`
  std::vector<std::string> lines;
  std::vector<Module> modules; // of a snippet file one for each section
  std::string problem;         // why it cannot be read
};

/// Returns the options that the runner of a module asks for.
CheckOptions optionsOf(const Module &module);

/// The files given, else all below test/isa and test/module, sorted.
std::vector<TestFile> findTests(llvm::ArrayRef<char *> paths);

/// An example of documentation: a whole module when it has a `.version` or begins with `//@ module`,
/// else sections as in test/isa, without a header of PTX 9.0 for sm_100a.
TestFile readExample(llvm::StringRef text);

/// Sections as in test/isa.
TestFile readSections(llvm::StringRef text);

/// `whole`, `separate`; else it is not known.
Linking linkingOf(llvm::StringRef word);

/// The numbers of the lines that stand in a section.
std::vector<unsigned> linesIn(const Module &section);

/// A section with only some of its lines.
Module linesOf(const TestFile &file, const Module &section, llvm::ArrayRef<unsigned> lines);

} // namespace ptxray::test
