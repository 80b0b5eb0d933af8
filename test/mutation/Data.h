#pragma once
// The data of grammar/isa, and tables made of a part of it, which the engine uses instead of those that are built in.
#include "Isa/Availability.h"
#include "Resolve.h"
#include <map>
#include <memory>

namespace ptxray::test {

/// Entries that share a file or the first word of their names.
struct Group {
  std::vector<isagen::Entry> entries;
  std::set<uint16_t> files;
  std::set<std::string> bases;
  std::vector<size_t> lines; // those of the tests that are about it, into LineSet::lines
};

class MadeTables {
public:
  explicit MadeTables(std::unique_ptr<isagen::Output> output);
  /// Has the engine asked about these tables, until others are used or these are gone.
  void use() const;
  const Availability &availability(const ModuleContext &context);

private:
  std::unique_ptr<isagen::Output> output;
  std::map<uint64_t, std::unique_ptr<Availability>> available; // by version, target, texture mode and --pedantic
};

class Data {
public:
  Data(const std::string &folder, const std::string &diagnostics);
  /// Makes tables of all entries that are in no group yet. Null: the data is refused.
  std::unique_ptr<MadeTables> make();
  std::unique_ptr<MadeTables> make(Group &group);
  std::unique_ptr<MadeTables> make(llvm::MutableArrayRef<Group> groups);
  /// Takes the entries out of the model.
  std::vector<Group> split();

  isagen::Model model;

private:
  isagen::RuleNames rules;
  std::map<std::string, std::set<std::string>> skippedIn, ungatedIn; // of all mnemonics
};

} // namespace ptxray::test
