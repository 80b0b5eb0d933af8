// Looks up every name for each form, drops everything that cannot apply to it, and fills the arrays.
#include "Resolver.h"
#include <fstream>
#include <functional>

namespace ptxray::isagen {

void Resolver::block(const Entry &entry, const Scope &scope) {
  for (const Form &one : scope.forms)
    form(entry, scope, one);
  for (const auto &below : scope.blocks)
    block(entry, *below);
}

void Resolver::entry(const Entry &one) {
  std::vector<uint32_t> mnemonics;
  for (const std::string &mnemonic : one.mnemonics)
    mnemonics.push_back(mnemonicIds.at(mnemonic));
  // Collects the names first, because a condition may mention a name that only another form has.
  std::function<void(const PatternNode &)> operandNames = [&](const PatternNode &node) {
    if (!node.name.empty())
      entryOperands[&one].insert(node.name);
    entryWords[&one].insert(node.suffix);
    for (const PatternNode &child : node.children)
      operandNames(child);
  };
  std::function<void(const Scope &)> walk = [&](const Scope &scope) {
    for (const auto &[name, set] : scope.sets)
      entrySets[&one].insert(name);
    for (const Form &form : scope.forms) {
      for (const Element &element : form.elements) {
        entryWords[&one].insert(element.word);
        if (findSet(&scope, element.word))
          entrySlots[&one].insert(element.word);
      }
      for (const PatternNode &node : form.operands)
        operandNames(node);
    }
    for (const auto &below : scope.blocks)
      walk(*below);
  };
  walk(*one.scope);
  block(one, *one.scope);
  const isa::TextRange source = {uint32_t(output.sources.size()), uint32_t(one.source.size())};
  output.sources += one.source;
  output.entries.push_back({text(one.title), text(one.manual), text(model.names[one.place.file]), one.place.line,
                            source, intern(output.entryMnemonics, mnemonics)});
}

void Resolver::run() {
  output.exprs.push_back({ExprOp::True, true, 0, 0, 0});
  output.exprs.push_back({ExprOp::Not, true, True, 0, 0});
  output.warnings.emplace_back();
  targets();
  words();
  directives();
  features();
  limits();
  registers();
  conversions();
  for (const Entry &one : model.entries)
    for (const std::string &mnemonic : one.mnemonics)
      mnemonicIds[mnemonic];
  uint32_t next = 0;
  for (auto &[mnemonic, id] : mnemonicIds)
    id = next++;
  formsOf.resize(next);
  for (const Entry &one : model.entries)
    entry(one);
  for (const auto &[mnemonic, id] : mnemonicIds) {
    auto listed = [&, name = mnemonic](const std::map<std::string, std::set<std::string>> &lists) {
      std::vector<WordId> ids;
      const auto found = lists.find(name);
      if (found == lists.end())
        return isa::Span{};
      for (const std::string &word : found->second) {
        const WordId known = wordId(word);
        if (!known)
          errors.report({}, "unknown-word", "unknown word `" + word + "` in a list of `" + name + "`");
        ids.push_back(known);
      }
      return intern(output.wordLists, ids);
    };
    isa::Mnemonic &one = output.mnemonics.emplace_back();
    one = {text(mnemonic), intern(output.mnemonicForms, formsOf[id]), listed(model.vocabulary.skippedIn),
           listed(model.vocabulary.ungatedIn)};
  }
  for (const auto *lists : {&model.vocabulary.skippedIn, &model.vocabulary.ungatedIn})
    for (const auto &[mnemonic, words] : *lists)
      if (!mnemonicIds.count(mnemonic))
        errors.report({}, "mnemonic", "no entry for `" + mnemonic + "`, which is in a list of words.isa");
  meanings();
  examples();
  size_t most = std::max({output.textStarts.size(), output.words.size(), output.exprs.size()});
  for (const auto &[pool, known] : runs)
    for (const auto &[run, first] : known)
      most = std::max<size_t>(most, first);
  if (most > UINT16_MAX)
    errors.report({}, "size", "an array has more elements than 16 bits can count");
}

RuleNames readRuleNames(const std::string &path) {
  RuleNames names;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    const size_t open = line.find('"'), close = line.find('"', open + 1);
    if (close == std::string::npos)
      continue;
    const std::string name = line.substr(open + 1, close - open - 1);
    if (line.starts_with("DIAG("))
      names.ids.insert(name);
    else if (line.starts_with("KIND("))
      names.kinds.insert(name);
  }
  return names;
}

void resolve(const Model &model, const RuleNames &rules, Output &output, Usage &usage, Errors &errors) {
  Resolver(model, rules, output, usage, errors).run();
}

} // namespace ptxray::isagen
