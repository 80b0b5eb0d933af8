// Resolves the meanings of words, operands, and registers, and the examples. A lint requires both for every name that
// ptxray shows.
#include "Isa/FormulaNames.h"
#include "Resolver.h"

namespace ptxray::isagen {

static bool beginsWith(const std::string &mnemonic, const std::string &beginning) {
  return mnemonic == beginning || mnemonic.starts_with(beginning + ".");
}

void Resolver::meanings() {
  const Vocabulary &listed = model.vocabulary;
  std::set<std::string> names = vocabulary;
  for (const isa::OperandDecl &operand : output.operands)
    names.insert(output.text(operand.name));
  for (const isa::SpecialRegister &reg : output.registers)
    names.insert(output.text(reg.name));
  for (const isa::StoredText function : output.namedFunctions)
    names.insert(output.text(function));
  names.insert({"itself", "instead"}); // the instruction; what does the same on targets that do not have it
  names.insert("fold");                // not in the table of functions, because its first argument is a word
  for (const isa::FormulaFunction &function : isa::formulaFunctions)
    if (!function.name.empty())
      names.insert(std::string(function.name));
  for (const auto &[name, meaning] : listed.meanings) {
    if (!names.count(name))
      errors.report(meaning.place, "unknown-name",
                    "`" + name + "` is not a word, operand, special register, or function" + didYouMean(name, names));
    for (const std::string &beginning : meaning.mnemonics)
      if (std::none_of(mnemonicIds.begin(), mnemonicIds.end(),
                       [&](const auto &known) { return beginsWith(known.first, beginning); }))
        errors.report(meaning.place, "unknown-name", "no mnemonic begins with `" + beginning + "`");
    for (const std::string &mnemonic : meaning.mnemonics.empty() ? std::vector<std::string>{""} : meaning.mnemonics)
      output.meanings.push_back({text(name), text(mnemonic), text(meaning.topic), text(meaning.text)});
  }
  const auto key = [&](isa::MeaningRow row) { return std::pair(output.text(row.name), output.text(row.mnemonic)); };
  std::sort(output.meanings.begin(), output.meanings.end(),
            [&](isa::MeaningRow one, isa::MeaningRow other) { return key(one) < key(other); });
}

void Resolver::examples() {
  std::set<std::string> names;
  for (const auto &[mnemonic, id] : mnemonicIds)
    names.insert(mnemonic);
  for (const auto *directives : {&output.directives, &output.pragmas})
    for (const isa::Directive &directive : *directives)
      names.insert(output.text(directive.name));
  for (const auto &[name, example] : model.vocabulary.examples) {
    if (!names.count(name))
      errors.report(example.place, "unknown-name",
                    "`" + name + "` is not a mnemonic, directive, or pragma" + didYouMean(name, names));
    output.examples.push_back({text(name), text(example.right), text(example.wrong), text(example.refusedBy)});
  }
}

namespace {

/// Finds the names that a vocabulary with meanings leaves unexplained.
class Unexplained {
public:
  Unexplained(const Model &model, const Output &output, Errors &errors)
      : model(model), output(output), errors(errors) {}
  void meanings();
  void examples();

private:
  /// Returns whether only ptxas accepts text with this condition.
  bool isUndocumented(ExprId id) const;
  bool isUndocumented(const isa::Form &form) const;
  bool hasMeaning(const std::string &name, const std::string &mnemonic) const;
  void meaningsOf(const isa::Mnemonic &mnemonic, const isa::Form &form);

  const Model &model;
  const Output &output;
  Errors &errors;
};

bool Unexplained::isUndocumented(ExprId id) const {
  const isa::Expr &e = output.exprs[id];
  if (e.op == ExprOp::And)
    for (uint32_t part = 0; part < e.b; ++part)
      if (isUndocumented(output.exprArgs[e.a + part]))
        return true;
  return e.op == ExprOp::Warn;
}

bool Unexplained::isUndocumented(const isa::Form &form) const {
  for (uint32_t i = 0; i < form.rules.count; ++i)
    if (const isa::Rule &rule = output.rules[output.formRules[form.rules.first + i]];
        rule.when == True && isUndocumented(rule.require))
      return true;
  return false;
}

bool Unexplained::hasMeaning(const std::string &name, const std::string &mnemonic) const {
  const auto [first, last] = model.vocabulary.meanings.equal_range(name);
  return std::any_of(first, last, [&](const auto &known) {
    const std::vector<std::string> &in = known.second.mnemonics;
    return in.empty() || std::any_of(in.begin(), in.end(),
                                     [&](const std::string &beginning) { return beginsWith(mnemonic, beginning); });
  });
}

void Unexplained::meaningsOf(const isa::Mnemonic &mnemonic, const isa::Form &form) {
  for (uint32_t i = form.mnemonicSlots; i < form.slots.count; ++i) {
    const isa::Slot &slot = output.slots[form.slots.first + i];
    for (uint32_t v = 0; v < slot.values.count; ++v) {
      const isa::SlotValue &value = output.slotValues[slot.values.first + v];
      const isa::Word &word = output.words[value.word];
      if (word.wordClass != isa::WordClass::Type && !isUndocumented(value.gate) &&
          !hasMeaning(output.text(word.text), output.text(mnemonic.text)))
        errors.report({model.entries[form.entry].place.file, form.line}, "missing-meaning",
                      "nothing says what `" + output.text(word.text) + "` means in `" + output.text(mnemonic.text) +
                          "`");
    }
  }
}

void Unexplained::meanings() {
  for (const isa::Mnemonic &mnemonic : output.mnemonics)
    for (uint32_t f = 0; f < mnemonic.forms.count; ++f)
      if (const isa::Form &form = output.forms[output.mnemonicForms[mnemonic.forms.first + f]]; !isUndocumented(form))
        meaningsOf(mnemonic, form);
  for (const RegisterDecl &decl : model.registers)
    if (!hasMeaning(decl.name, ""))
      errors.report(decl.place, "missing-meaning", "nothing says what `" + decl.name + "` holds");
}

void Unexplained::examples() {
  const auto report = [&](Place place, const std::string &name) {
    if (!model.vocabulary.examples.count(name))
      errors.report(place, "missing-example", "`" + name + "` has no example");
  };
  for (const Entry &entry : model.entries)
    for (const std::string &mnemonic : entry.mnemonics)
      report(entry.place, mnemonic);
  for (const DirectiveDecl &directive : model.directives)
    report(directive.place, directive.name);
}

} // namespace

void lintExplanations(const Model &model, const Output &output, Errors &errors) {
  Unexplained unexplained(model, output, errors);
  if (!model.vocabulary.meanings.empty())
    unexplained.meanings();
  if (!model.vocabulary.examples.empty())
    unexplained.examples();
}

} // namespace ptxray::isagen
