#pragma once
// Looks for lines that are judged otherwise when the data is damaged, among what the sound and the damaged tables
// accept and refuse and among the lines of the tests, under every version and target.
#include "Data.h"
#include "Lines.h"
#include "Mutants.h"
#include "Samples/Sample.h"
#include <map>

namespace ptxray::test {

struct Candidate {
  std::string header; // `ptx 8.6, sm_100a`
  std::string text;
  /// The damage is told by `verdict`, `warning`, or `id` of an error that stays one.
  std::string by;
};

class Search {
public:
  explicit Search(const LineSet &tests) : tests(tests) {}
  /// Up to `count` lines, each of another section. `damaged`: the group's tables while the damage is done.
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
  std::vector<ModuleContext> contexts;     // all that exist, the newest first
  std::vector<std::string> headers;        // of each
  std::vector<uint32_t> every, usual;      // into contexts
  std::map<const void *, LineSet> samples; // of the sound tables, by entry or group
};

/// The words that begin with a dot.
std::vector<std::string> dottedWords(llvm::StringRef text);

} // namespace ptxray::test
