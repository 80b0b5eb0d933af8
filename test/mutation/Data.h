#pragma once
// The data of grammar/isa, and tables generated from parts of it, which replace the built-in tables of the engine.
#include "Isa/Availability.h"
#include "Resolve.h"
#include <map>
#include <memory>

namespace ptxray::test {

/// Entries that share a file, or the first word of their names.
struct Group {
  std::vector<isagen::Entry> entries;
  std::set<uint16_t> files;
  std::set<std::string> bases;
  std::vector<size_t> lines; // lines of the tests about these entries, into LineSet::lines
};

class MadeTables {
public:
  explicit MadeTables(std::unique_ptr<isagen::Output> output);
  /// Makes the engine use these tables, until it uses others or this object is destroyed.
  void use() const;
  const Availability &availability(const ModuleContext &context);

private:
  std::unique_ptr<isagen::Output> output;
  std::map<uint64_t, std::unique_ptr<Availability>> available; // keyed by version, target, texture mode and --pedantic
};

class Data {
public:
  Data(const std::string &folder, const std::string &diagnostics);
  /// Generates tables from all entries that are in no group. Returns null if the data has errors.
  std::unique_ptr<MadeTables> make();
  std::unique_ptr<MadeTables> make(Group &group);
  std::unique_ptr<MadeTables> make(llvm::MutableArrayRef<Group> groups);
  /// Moves the entries from the model into groups.
  std::vector<Group> split();

  isagen::Model model;

private:
  isagen::RuleNames rules;
  std::map<std::string, std::set<std::string>> skippedIn, ungatedIn; // words for each mnemonic
};

} // namespace ptxray::test
