#pragma once
// Searches for lines whose verdict a mutation changes, among samples of the original and the mutated tables and lines
// of the tests, for all versions and targets.
#include "Data.h"
#include "Lines.h"
#include "Mutants.h"
#include "Samples/Sample.h"
#include <map>

namespace ptxray::test {

struct Candidate {
  std::string header; // `ptx 8.6, sm_100a`
  std::string text;
  /// How the mutation was detected: `verdict`, `warning`, or `id` for a different error.
  std::string by;
};

class Search {
public:
  explicit Search(const LineSet &tests) : tests(tests) {}
  /// Returns up to `count` lines from different sections. `damaged` are the group's tables with the mutation applied.
  std::vector<Candidate> run(const Mutant &mutant, const Group &group, MadeTables &sound, MadeTables &damaged,
                             unsigned count);

private:
  struct Found;
  void prepare(MadeTables &tables);
  std::vector<uint32_t> distinct(MadeTables &sound, MadeTables &damaged) const;
  void readsOf(const std::string &reg, LineSet &into) const;
  void sample(const Mutant &mutant, const Group &group, unsigned count, const SampleFocus &focus, LineSet &into) const;
  bool tryLine(const Line &line, llvm::ArrayRef<uint32_t> contexts, Found &found) const;

  const LineSet &tests;
  std::vector<ModuleContext> contexts;     // all existing contexts, newest first
  std::vector<std::string> headers;        // for each context
  std::vector<uint32_t> every, usual;      // indices into contexts
  std::map<const void *, LineSet> samples; // samples of the original tables, by entry or group
};

/// Returns the words that begin with a dot.
std::vector<std::string> dottedWords(llvm::StringRef text);

} // namespace ptxray::test
