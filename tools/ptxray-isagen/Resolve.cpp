// Looks up every name for each form, drops what cannot hold there, and fills the arrays.
#include "Resolve.h"
#include <algorithm>
#include <functional>
#include <sstream>
#include <unordered_map>

namespace ptxray::isagen {

using isa::ExprId;
using isa::ExprOp;
using isa::WordId;

std::string didYouMean(const std::string &word, const std::set<std::string> &candidates) {
  std::string best;
  size_t bestDistance = std::max<size_t>(word.size() / 3, 1) + 1;
  for (const std::string &candidate : candidates) {
    std::vector<size_t> row(candidate.size() + 1);
    for (size_t i = 0; i < row.size(); ++i)
      row[i] = i;
    for (size_t i = 0; i < word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i + 1;
      for (size_t j = 0; j < candidate.size(); ++j) {
        size_t replaced = diagonal + (word[i] != candidate[j]);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
      }
    }
    if (row.back() < bestDistance) {
      bestDistance = row.back();
      best = candidate;
    }
  }
  return best.empty() ? "" : "; did you mean `" + best + "`?";
}

namespace {

constexpr ExprId True = 0, False = 1;

/// A word of a set with the gates it stands under, from the outer sets to its own.
struct Value {
  std::string word;
  std::vector<std::pair<const Condition *, const Scope *>> gates;
};

struct FormSlot {
  std::string name;
  const Set *set = nullptr; // null: a literal
  std::vector<Value> values;
  bool optional = false, suffix = false;
  std::string fallback;

  bool holds(const std::string &word) const {
    return std::any_of(values.begin(), values.end(),
                       [&](const Value &value) { return value.word == word; });
  }
};
struct FormOperand {
  std::string name;
  bool required; // written in every text of the form
};

/// The form at hand.
struct FormContext {
  const Entry *entry;
  const Scope *scope;
  const Form *form;
  std::vector<FormSlot> slots;
  std::vector<FormOperand> operands;
  bool readsValues = false;
  Usage *usage;

  int slot(const std::string &name) const {
    for (size_t i = 0; i < slots.size(); ++i)
      if (slots[i].name == name)
        return static_cast<int>(i);
    return -1;
  }
  int operand(const std::string &name) const {
    for (size_t i = 0; i < operands.size(); ++i)
      if (operands[i].name == name)
        return static_cast<int>(i);
    return -1;
  }
  /// Counts when the slot is not written, even where the form lacks it.
  std::string fallback(const std::string &name) const {
    for (const Scope *at = scope; at; at = at->parent)
      if (auto set = at->sets.find(name); set != at->sets.end() && !set->second.fallback.empty()) {
        usage->sets.insert(&set->second);
        return set->second.fallback;
      }
    return "";
  }
};

class Resolver {
public:
  Resolver(const Model &model, const RuleIds &ruleIds, Output &output, Usage &usage, Errors &errors)
      : model(model), ruleIds(ruleIds), output(output), usage(usage), errors(errors) {}
  void run();

private:
  // ---- pools
  isa::Text text(const std::string &value);
  template <typename T> isa::Span intern(std::vector<T> &pool, const std::vector<T> &run);
  template <typename T> uint32_t internOne(std::vector<T> &pool, const T &value) {
    return intern(pool, std::vector<T>{value}).first;
  }
  isa::Span wordRun(const std::set<std::string> &words);
  WordId wordId(const std::string &word) const {
    auto found = wordIds.find(word);
    return found == wordIds.end() ? WordId(0) : found->second;
  }

  // ---- sets and words
  const Set *findSet(const Scope *scope, const std::string &name, const Scope **where = nullptr);
  std::vector<Value> expand(const Scope *scope, const std::string &name, int depth = 0);
  std::set<std::string> wordsOf(const Scope *scope, const std::string &name, Place place);
  void collectWords(const Scope &scope, std::set<std::string> &words);
  void words();
  void targets();
  void registers();

  // ---- conditions
  ExprId expr(ExprOp op, bool gateOnly, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0);
  ExprId both(std::vector<ExprId> parts, bool isAnd);
  ExprId negation(ExprId part);
  ExprId condition(const Condition &condition, const Scope &scope);
  ExprId targetCondition(const Condition &condition);
  ExprId nameCondition(const Condition &condition, const Scope &scope);
  ExprId callCondition(const Condition &condition);
  ExprId wordCondition(const Condition &condition, const Scope &scope);
  ExprId compareCondition(const Condition &condition, const Scope &scope);
  ExprId slotIs(size_t slot, const std::set<std::string> &words);
  ExprId anyWord(const std::set<std::string> &words);
  bool alive(const std::set<std::string> &words) const;
  void note(const Condition &condition, const std::string &word, bool fits) {
    if (!insideGate)
      usage.conditionWords[{&condition, word}] |= fits;
  }

  // ---- forms
  void entry(const Entry &entry);
  void block(const Entry &entry, const Scope &scope);
  void form(const Entry &entry, const Scope &scope, const Form &form);
  FormSlot makeSlot(const Scope &scope, const std::string &word, bool optional, bool suffix,
                    Place place);
  void pattern(const PatternNode &node, bool required, std::vector<isa::Pattern> &patterns);
  bool spellMnemonics(const Entry &entry, isa::Form &result);
  isa::OperandDecl operand(const std::string &name);
  bool resolveTerm(const Term &term, isa::Term &result);
  void table(const Table &table, const Scope &scope, std::vector<uint32_t> &tables);
  bool slotCell(const Cell &cell, const Scope &scope, const FormSlot &slot, isa::Cell &result);
  void markValues(const std::vector<std::pair<size_t, std::set<std::string>>> &inRows);

  const Model &model;
  const RuleIds &ruleIds;
  Output &output;
  Usage &usage;
  Errors &errors;
  FormContext *context = nullptr; // null between forms
  int insideGate = 0;
  std::map<std::string, WordId> wordIds;
  std::set<std::string> vocabulary; // all words, for suggestions
  std::map<std::string, isa::Text> textPool;
  std::map<const void *, std::unordered_map<std::string, uint32_t>> runs;
  std::map<const Entry *, std::set<std::string>> entryOperands; // in any of its forms
  std::map<const Entry *, std::set<std::string>> entrySets;     // in any of its blocks
  std::map<std::string, uint32_t> mnemonicIds;
  std::vector<std::vector<uint32_t>> formsOf; // by mnemonic
};

// ------------------------------------------------------------------------------------------ pools

isa::Text Resolver::text(const std::string &value) {
  auto found = textPool.find(value);
  if (found != textPool.end())
    return found->second;
  output.texts.push_back(value);
  return textPool[value] = output.texts.back();
}

template <typename T>
isa::Span Resolver::intern(std::vector<T> &pool, const std::vector<T> &run) {
  if (run.empty())
    return {};
  std::ostringstream key;
  for (const T &value : run) {
    write(key, value);
    key << '\n';
  }
  auto [found, isNew] = runs[&pool].insert({key.str(), static_cast<uint32_t>(pool.size())});
  if (isNew)
    pool.insert(pool.end(), run.begin(), run.end());
  return {found->second, static_cast<uint32_t>(run.size())};
}

isa::Span Resolver::wordRun(const std::set<std::string> &words) {
  std::vector<WordId> ids;
  for (const std::string &word : words)
    ids.push_back(wordId(word));
  std::sort(ids.begin(), ids.end());
  return intern(output.wordLists, ids);
}

// ---------------------------------------------------------------------------------- sets and words

const Set *Resolver::findSet(const Scope *scope, const std::string &name, const Scope **where) {
  for (; scope; scope = scope->parent)
    if (auto found = scope->sets.find(name); found != scope->sets.end()) {
      usage.sets.insert(&found->second);
      if (where)
        *where = scope;
      return &found->second;
    }
  return nullptr;
}

std::vector<Value> Resolver::expand(const Scope *scope, const std::string &name, int depth) {
  std::vector<Value> values;
  const Scope *home = nullptr;
  const Set *set = findSet(scope, name, &home);
  if (depth > 20) {
    errors.report(set->place, "set-cycle", "set `" + name + "` holds itself");
    return values;
  }
  auto add = [&](Value value) {
    for (Value &known : values)
      if (known.word == value.word) {
        known = std::move(value);
        return;
      }
    values.push_back(std::move(value));
  };
  for (const SetItem &item : set->items) {
    if (item.word == name || !findSet(home, item.word)) {
      add({item.word, {}});
      if (item.gate)
        values.back().gates.push_back({item.gate.get(), home});
      continue;
    }
    for (Value &inner : expand(home, item.word, depth + 1)) {
      if (item.gate)
        inner.gates.insert(inner.gates.begin(), {item.gate.get(), home});
      add(std::move(inner));
    }
  }
  return values;
}

/// The words that a name in a condition or a cell stands for.
std::set<std::string> Resolver::wordsOf(const Scope *scope, const std::string &name, Place place) {
  std::set<std::string> words;
  const Scope *home = findSet(scope, name)                         ? scope
                      : context && findSet(context->scope, name) ? context->scope
                                                                   : nullptr;
  if (home) {
    for (Value &value : expand(home, name))
      words.insert(value.word);
    return words;
  }
  if (context && entrySets[context->entry].count(name))
    return words; // a slot of other forms
  if (!wordIds.count(name) && !(context && context->slot(name) >= 0))
    errors.report(place, "unknown-word", "unknown word `" + name + "`" +
                                             didYouMean(name, vocabulary));
  words.insert(name);
  return words;
}

void Resolver::collectWords(const Scope &scope, std::set<std::string> &words) {
  for (const auto &[name, set] : scope.sets) {
    for (const SetItem &item : set.items) {
      const Scope *at = &scope;
      while (at && !at->sets.count(item.word))
        at = at->parent;
      if (!at || item.word == name)
        words.insert(item.word);
    }
  }
  for (const auto &below : scope.blocks)
    collectWords(*below, words);
}

void Resolver::words() {
  const Vocabulary &listed = model.vocabulary;
  for (const auto *list : {&listed.types, &listed.layouts, &listed.spaces})
    vocabulary.insert(list->begin(), list->end());
  for (const auto *list : {&listed.repeatable, &listed.ignored, &listed.exact, &listed.known})
    vocabulary.insert(list->begin(), list->end());
  collectWords(model.shared, vocabulary);
  for (const auto &scope : model.fileScopes)
    collectWords(*scope, vocabulary);
  for (const Entry &entry : model.entries) {
    collectWords(*entry.scope, vocabulary);
    for (const std::string &mnemonic : entry.mnemonics)
      for (size_t dot = mnemonic.find('.'); dot != std::string::npos;) {
        size_t next = mnemonic.find('.', dot + 1);
        vocabulary.insert(mnemonic.substr(dot, next - dot));
        dot = next;
      }
  }

  output.words.push_back({"", isa::WordClass::Free, isa::TypeKind::None, 0, -1, false, false, false,
                          True, 0});
  output.wordKinds.push_back("");
  for (const std::string &word : vocabulary) {
    wordIds[word] = static_cast<WordId>(output.words.size());
    isa::Word result = output.words[0];
    result.text = text(word);
    auto in = [&](const std::vector<std::string> &list) {
      return std::find(list.begin(), list.end(), word) != list.end();
    };
    if (in(listed.types)) {
      result.wordClass = isa::WordClass::Type;
      // `.u16x2`, `.e4m3`, `.ue8m0x2`: letters and numbers say it all. The elements of narrow packed
      // formats take 4 or 8 bits; one alone fills a byte.
      std::string name = word.substr(1);
      int count = 1;
      if (size_t x = name.rfind('x'); x != std::string::npos && x + 2 == name.size()) {
        count = name[x + 1] - '0';
        name.resize(x);
      }
      std::vector<int> numbers;
      for (size_t i = 0; i < name.size(); ++i)
        if (isdigit(name[i]) && !isdigit(name[i - 1]))
          numbers.push_back(std::stoi(name.substr(i)));
      if (name == "pred") {
        result.typeKind = isa::TypeKind::Predicate;
        result.bits = 1;
      } else if (numbers.empty()) {
        result.typeKind = isa::TypeKind::Opaque;
        result.bits = 64;
      } else if (numbers.size() == 1) {
        int bits = name == "tf32" ? 32 : numbers[0];
        result.bits = static_cast<uint16_t>(count * bits);
        result.typeKind = count > 1 || isalpha(name[1]) ? isa::TypeKind::Packed
                          : name[0] == 'b'              ? isa::TypeKind::Bits
                          : name[0] == 'u'              ? isa::TypeKind::Unsigned
                          : name[0] == 's'              ? isa::TypeKind::Signed
                                                        : isa::TypeKind::Float;
      } else {
        bool isNibble = numbers[0] + numbers[1] + (name[0] == 'e') <= 4;
        bool isPadded = numbers.size() > 2; // `.e2m1p4x4`
        result.typeKind = isa::TypeKind::Packed;
        result.bits = static_cast<uint16_t>(count * (isNibble && !isPadded && count > 1 ? 4 : 8));
      }
    } else if (in(listed.layouts)) {
      result.wordClass = isa::WordClass::Layout;
    } else if (in(listed.spaces)) {
      result.wordClass = isa::WordClass::Space;
    }
    // The number behind the last `::`, else the first: `.x4`, `.cta_group::2`, `.2d`.
    size_t from = word.rfind("::");
    from = from == std::string::npos ? 0 : from;
    size_t digit = word.find_first_of("0123456789", from);
    if (digit == std::string::npos)
      digit = word.find_first_of("0123456789");
    if (digit != std::string::npos)
      result.number = std::stoi(word.substr(digit));
    result.repeatable = listed.repeatable.count(word);
    result.ignored = listed.ignored.count(word);
    result.exact = listed.exact.count(word);
    if (auto kind = listed.kinds.find(word); kind != listed.kinds.end()) {
      isa::Text name = text(kind->second);
      auto known = std::find(output.wordKinds.begin(), output.wordKinds.end(), name);
      result.kind = static_cast<uint8_t>(known - output.wordKinds.begin());
      if (known == output.wordKinds.end())
        output.wordKinds.push_back(name);
    }
    output.words.push_back(result);
  }
  for (const auto &[word, gate] : listed.gates) {
    if (WordId id = wordId(word))
      output.words[id].gate = condition(*gate, model.shared);
    else
      errors.report(gate->place, "unknown-word",
                    "unknown word `" + word + "`" + didYouMean(word, vocabulary));
  }
  for (const auto &[word, kind] : listed.kinds)
    if (!wordIds.count(word))
      errors.report({}, "unknown-word", "unknown word `" + word + "` of kind " + kind);
}

// ------------------------------------------------------------------------ targets and registers

void Resolver::targets() {
  auto familyOf = [&](uint16_t number) -> uint16_t {
    for (const auto &family : model.families)
      if (std::find(family.begin(), family.end(), number) != family.end())
        return family[0];
    return 0;
  };
  std::set<std::string> names;
  for (const TargetDecl &decl : model.targets) {
    const std::string &means = decl.means.empty() ? decl.name : decl.means;
    char variant = isdigit(means.back()) ? '\0' : means.back();
    auto number = static_cast<uint16_t>(std::stoi(means.substr(3)));
    if (!decl.means.empty() && !names.count(decl.means))
      errors.report(decl.place, "unknown-target", "unknown target `" + decl.means + "`");
    if (!names.insert(decl.name).second)
      errors.report(decl.place, "twice", "a second target `" + decl.name + "`");
    output.targets.push_back(
        {text(decl.name), number, variant, familyOf(number), decl.since, decl.documented});
  }
  if (output.targets.size() > 128)
    errors.report({}, "targets", "more than 128 targets do not fit into TargetBits");
  output.versions = model.versions;
  if (!std::is_sorted(output.versions.begin(), output.versions.end()))
    errors.report({}, "versions", "versions ascend");
}

void Resolver::registers() {
  for (const RegisterDecl &decl : model.registers) {
    isa::SpecialRegister result = {text(decl.name), wordId(decl.type), 0, True, decl.narrow};
    if (!result.type)
      errors.report(decl.place, "unknown-word", "unknown type `" + decl.type + "`");
    if (!decl.vector.empty())
      result.vector = static_cast<uint8_t>(std::stoi(decl.vector.substr(2)));
    if (decl.gate)
      result.gate = condition(*decl.gate, model.shared);
    output.registers.push_back(result);
  }
  std::sort(output.registers.begin(), output.registers.end(),
            [](const auto &a, const auto &b) { return a.name < b.name; });
}

// ------------------------------------------------------------------------------------- conditions

ExprId Resolver::expr(ExprOp op, bool gateOnly, uint32_t a, uint32_t b, uint32_t c) {
  return internOne(output.exprs, isa::Expr{op, gateOnly, a, b, c});
}

ExprId Resolver::both(std::vector<ExprId> parts, bool isAnd) {
  ExprId neutral = isAnd ? True : False, absorbing = isAnd ? False : True;
  std::vector<ExprId> kept;
  bool gateOnly = true;
  for (ExprId part : parts) {
    if (part == absorbing)
      return absorbing;
    if (part == neutral || std::find(kept.begin(), kept.end(), part) != kept.end())
      continue;
    kept.push_back(part);
    gateOnly &= output.exprs[part].gateOnly;
  }
  if (kept.empty())
    return neutral;
  if (kept.size() == 1)
    return kept[0];
  isa::Span span = intern(output.exprArgs, kept);
  return expr(isAnd ? ExprOp::And : ExprOp::Or, gateOnly, span.first, span.count);
}

ExprId Resolver::negation(ExprId part) {
  const isa::Expr &inner = output.exprs[part];
  if (part == True || part == False)
    return part == True ? False : True;
  if (inner.op == ExprOp::Not)
    return inner.a;
  return expr(ExprOp::Not, inner.gateOnly, part);
}

ExprId Resolver::condition(const Condition &c, const Scope &scope) {
  switch (c.kind) {
  case Condition::And:
  case Condition::Or: {
    std::vector<ExprId> parts;
    for (const Condition &part : c.parts)
      parts.push_back(condition(part, scope));
    return both(std::move(parts), c.kind == Condition::And);
  }
  case Condition::Not:
    return negation(condition(c.parts[0], scope));
  case Condition::Ptx:
    return expr(ExprOp::PtxAtLeast, true, c.version);
  case Condition::Ptxas:
    return expr(ExprOp::Ptxas, true, c.version);
  case Condition::Target:
    return targetCondition(c);
  case Condition::Name:
    return nameCondition(c, scope);
  case Condition::Call:
    return callCondition(c);
  default:
    break;
  }
  if (!context) {
    errors.report(c.place, "condition", "`" + c.text + "`: only versions and targets here");
    return True;
  }
  if (c.kind == Condition::Compare)
    return compareCondition(c, scope);
  if (c.kind == Condition::In) {
    int operand = context->operand(c.text);
    note(c, c.text, operand >= 0);
    if (operand < 0)
      return True;
    context->readsValues = true;
    isa::Span span = intern(output.ranges, c.ranges);
    return expr(ExprOp::OperandIn, false, static_cast<uint32_t>(operand), span.first, span.count);
  }
  return wordCondition(c, scope);
}

ExprId Resolver::targetCondition(const Condition &c) {
  std::string name = c.text;
  bool orHigher = name.back() == '+';
  if (orHigher)
    name.pop_back();
  const isa::Target *base = nullptr;
  std::set<std::string> names;
  for (const isa::Target &target : output.targets) {
    names.insert(std::string(target.name));
    if (target.name == name)
      base = &target;
  }
  if (!base || (orHigher && base->variant == 'a')) {
    errors.report(c.place, "unknown-target",
                  base ? "`" + c.text + "`: `a` is exact, nothing is higher"
                       : "unknown target `" + name + "`" + didYouMean(name, names));
    return True;
  }
  isa::TargetBits bits = {0, 0, text(c.text)};
  for (size_t i = 0; i < output.targets.size(); ++i) {
    const isa::Target &target = output.targets[i];
    bool fits;
    if (!base->variant)
      fits = orHigher ? target.number >= base->number : target.number == base->number;
    else if (!orHigher)
      fits = target.number == base->number && target.variant == base->variant;
    else
      fits = target.variant && target.family == base->family && target.number >= base->number;
    if (fits)
      (i < 64 ? bits.low : bits.high) |= uint64_t(1) << (i % 64);
  }
  return expr(ExprOp::Target, true, internOne(output.targetSets, bits));
}

ExprId Resolver::nameCondition(const Condition &c, const Scope &scope) {
  if (c.text == "warn")
    return expr(ExprOp::Warn, true, 0);
  for (const Scope *at = &scope; at; at = at->parent) {
    auto found = at->gates.find(c.text);
    if (found == at->gates.end())
      continue;
    usage.gates.insert(&found->second);
    if (++insideGate > 20) {
      errors.report(found->second.place, "gate-cycle", "gate `" + c.text + "` needs itself");
      --insideGate;
      return True;
    }
    ExprId body = condition(found->second.condition, *at);
    --insideGate;
    if (body == True || body == False)
      return body;
    uint32_t gate = internOne(output.gates, isa::Gate{text(c.text), body});
    return expr(ExprOp::Gate, output.exprs[body].gateOnly, gate);
  }
  if (context) {
    int operand = context->operand(c.text);
    if (operand >= 0)
      return context->operands[operand].required
                 ? True
                 : expr(ExprOp::OperandWritten, false, static_cast<uint32_t>(operand));
    if (insideGate || entryOperands[context->entry].count(c.text))
      return False;
  }
  std::set<std::string> names = context ? entryOperands[context->entry] : std::set<std::string>();
  for (const Scope *at = &scope; at; at = at->parent)
    for (const auto &[name, gate] : at->gates)
      names.insert(name);
  errors.report(c.place, "unknown-name",
                "`" + c.text + "` is no gate and no operand here" + didYouMean(c.text, names));
  return True;
}

ExprId Resolver::callCondition(const Condition &c) {
  if (c.text == "warn") {
    if (!ruleIds.empty() && !ruleIds.count(c.argument))
      errors.report(c.place, "unknown-rule",
                    "no diagnostic has the id `" + c.argument + "`" +
                        didYouMean(c.argument, ruleIds));
    isa::Text id = text(c.argument);
    auto known = std::find(output.warnings.begin(), output.warnings.end(), id);
    auto index = static_cast<uint32_t>(known - output.warnings.begin());
    if (known == output.warnings.end())
      output.warnings.push_back(id);
    return expr(ExprOp::Warn, true, index);
  }
  static const std::map<std::string, ExprOp> questions = {{"imm", ExprOp::OperandIsImmediate},
                                                          {"sym", ExprOp::OperandIsSymbol},
                                                          {"neg", ExprOp::OperandNegated}};
  auto question = questions.find(c.text);
  if (question == questions.end() || !context) {
    errors.report(c.place, "condition", "`" + c.text + "()` is no question here");
    return True;
  }
  int operand = context->operand(c.argument);
  note(c, c.argument, operand >= 0);
  return operand < 0 ? False : expr(question->second, false, static_cast<uint32_t>(operand));
}

/// True where some slot of the form can hold one of the words.
bool Resolver::alive(const std::set<std::string> &words) const {
  for (const FormSlot &slot : context->slots)
    for (const Value &value : slot.values)
      if (words.count(value.word))
        return true;
  return false;
}

ExprId Resolver::slotIs(size_t index, const std::set<std::string> &words) {
  const FormSlot &slot = context->slots[index];
  std::set<std::string> held;
  for (const Value &value : slot.values)
    if (words.count(value.word))
      held.insert(value.word);
  if (held.empty())
    return False;
  if (held.size() == slot.values.size()) {
    if (!slot.optional || held.count(slot.fallback))
      return True;
    if (slot.fallback.empty())
      return expr(ExprOp::SlotWritten, false, static_cast<uint32_t>(index));
  }
  isa::Span span = wordRun(held);
  return expr(ExprOp::SlotIs, false, static_cast<uint32_t>(index), span.first, span.count);
}

ExprId Resolver::anyWord(const std::set<std::string> &words) {
  std::vector<ExprId> parts;
  std::set<std::string> held;
  bool inSuffix = false;
  for (size_t i = 0; i < context->slots.size(); ++i) {
    const FormSlot &slot = context->slots[i];
    size_t before = held.size();
    for (const Value &value : slot.values)
      if (words.count(value.word))
        held.insert(value.word);
    ExprId part = slotIs(i, words);
    if (part != False)
      parts.push_back(part);
    inSuffix |= slot.suffix && (part != False || held.size() != before);
  }
  ExprId either = both(parts, false);
  if (parts.size() < 2 || inSuffix || either == True)
    return either;
  isa::Span span = wordRun(held);
  return expr(ExprOp::WordWritten, false, 0, span.first, span.count);
}

ExprId Resolver::wordCondition(const Condition &c, const Scope &scope) {
  if (c.kind == Condition::Word && c.words.size() == 1) {
    int slot = context->slot(c.text);
    if (slot >= 0) {
      note(c, c.text, true);
      return context->slots[slot].optional
                 ? expr(ExprOp::SlotWritten, false, static_cast<uint32_t>(slot))
                 : True;
    }
    if (!context->fallback(c.text).empty()) {
      note(c, c.text, true);
      return True;
    }
  }
  std::set<std::string> all;
  for (const std::string &word : c.words) {
    std::set<std::string> words = wordsOf(&scope, word, c.place);
    note(c, word, alive(words));
    all.merge(words);
  }
  return anyWord(all);
}

ExprId Resolver::compareCondition(const Condition &c, const Scope &scope) {
  int slot = context->slot(c.text);
  std::string constant = slot < 0 ? context->fallback(c.text) : "";
  note(c, c.text, slot >= 0 || !constant.empty());
  if (slot < 0 && constant.empty() && !wordIds.count(c.text) && !findSet(&scope, c.text) &&
      !findSet(context->scope, c.text))
    note(c, c.text, false);
  ExprId result = False;
  int other = c.words.size() == 1 ? context->slot(c.words[0]) : -1;
  if (other >= 0 && (slot >= 0 || !constant.empty())) {
    note(c, c.words[0], true);
    result = slot < 0 ? slotIs(other, {constant})
                      : expr(ExprOp::SlotsEqual, false, static_cast<uint32_t>(slot),
                             static_cast<uint32_t>(other));
  } else {
    std::set<std::string> all;
    for (const std::string &word : c.words) {
      std::set<std::string> words = wordsOf(&scope, word, c.place);
      bool held = words.count(constant) > 0;
      if (slot >= 0)
        for (const Value &value : context->slots[slot].values)
          held |= words.count(value.word) > 0;
      note(c, word, held);
      all.merge(words);
    }
    if (slot >= 0)
      result = slotIs(slot, all);
    else if (!constant.empty())
      result = all.count(constant) ? True : False;
  }
  return c.unequal ? negation(result) : result;
}

// ------------------------------------------------------------------------------------------ forms

FormSlot Resolver::makeSlot(const Scope &scope, const std::string &word, bool optional, bool suffix,
                            Place place) {
  FormSlot slot;
  slot.name = word;
  slot.optional = optional;
  slot.suffix = suffix;
  slot.set = findSet(&scope, word);
  if (slot.set) {
    slot.values = expand(&scope, word);
    slot.fallback = context->fallback(word);
    if (slot.values.empty())
      errors.report(slot.set->place, "empty-set", "set `" + word + "` is empty");
    return slot;
  }
  if (!wordIds.count(word)) {
    std::set<std::string> names = vocabulary;
    for (const Scope *at = &scope; at; at = at->parent)
      for (const auto &[name, set] : at->sets)
        names.insert(name);
    errors.report(place, "unknown-word",
                  "`" + word + "` is no word and no set" + didYouMean(word, names));
  }
  slot.values.push_back({word, {}});
  return slot;
}

void Resolver::pattern(const PatternNode &node, bool required,
                       std::vector<isa::Pattern> &patterns) {
  size_t index = patterns.size();
  patterns.push_back({node.kind, node.optional, node.mayNegate, node.mayNot, 1, 0, -1});
  bool isPair = node.kind == isa::PatternKind::Pair;
  required &= isPair || !node.optional;
  if (node.kind == isa::PatternKind::Operand) {
    int known = context->operand(node.name);
    if (known < 0) {
      known = static_cast<int>(context->operands.size());
      context->operands.push_back({node.name, required});
    }
    patterns[index].operand = static_cast<uint16_t>(known);
  }
  if (!node.suffix.empty()) {
    patterns[index].suffixSlot = static_cast<int16_t>(context->slots.size());
    context->slots.push_back(makeSlot(*context->scope, node.suffix, node.suffixOptional, true,
                                      context->form->place));
  }
  for (size_t i = 0; i < node.children.size(); ++i)
    pattern(node.children[i], required && !(isPair && i == 1 && node.optional), patterns);
  patterns[index].extent = static_cast<uint16_t>(patterns.size() - index);
}

/// Finds the mnemonics of the entry that the form spells: the longest ones win.
bool Resolver::spellMnemonics(const Entry &entry, isa::Form &result) {
  std::vector<std::pair<std::string, std::vector<std::string>>> fitting;
  size_t longest = 0;
  for (const std::string &mnemonic : entry.mnemonics) {
    std::stringstream stream(mnemonic);
    std::string base, part;
    std::getline(stream, base, '.');
    std::vector<std::string> words;
    while (std::getline(stream, part, '.'))
      words.push_back("." + part);
    bool fits = base == context->form->base && words.size() <= context->form->elements.size();
    for (size_t i = 0; fits && i < words.size(); ++i)
      fits = !context->slots[i].optional && context->slots[i].holds(words[i]);
    usage.mnemonics.try_emplace({&entry, mnemonic}, false);
    if (!fits)
      continue;
    fitting.push_back({mnemonic, words});
    longest = std::max(longest, words.size());
  }
  if (fitting.empty())
    return false;
  result.mnemonicSlots = static_cast<uint8_t>(longest);
  for (auto &[mnemonic, words] : fitting) {
    if (words.size() != longest)
      continue;
    usage.mnemonics[{&entry, mnemonic}] = true;
    for (size_t i = 0; i < longest; ++i)
      if (context->slots[i].set)
        for (const Value &value : context->slots[i].values)
          usage.mnemonicWords[{context->slots[i].set, value.word}] |= value.word == words[i];
    formsOf[mnemonicIds.at(mnemonic)].push_back(static_cast<uint32_t>(output.forms.size()));
  }
  return true;
}

bool Resolver::resolveTerm(const Term &term, isa::Term &result) {
  result = term.value;
  if (term.word.empty())
    return true;
  int slot = context->slot(term.word);
  if (slot >= 0) {
    result.slot = static_cast<int16_t>(slot);
    return true;
  }
  std::string constant = context->fallback(term.word);
  if (constant.empty() || result.letter)
    return false;
  result = {output.words[wordId(constant)].number * result.mul / result.div + result.add,
            -1, 0, 1, 1, 0};
  return true;
}

isa::OperandDecl Resolver::operand(const std::string &name) {
  isa::OperandDecl result = {};
  result.name = text(name);
  const Operand *decl = nullptr;
  const Scope *home = context->scope;
  for (; home && !decl; home = decl ? home : home->parent)
    if (auto found = home->operands.find(name); found != home->operands.end()) {
      decl = &found->second;
      break;
    }
  if (!decl) {
    std::set<std::string> names;
    for (const Scope *at = context->scope; at; at = at->parent)
      for (const auto &[known, operand] : at->operands)
        names.insert(known);
    errors.report(context->form->place, "undeclared-operand",
                  "operand `" + name + "` is not declared" + didYouMean(name, names));
    return result;
  }
  usage.operands.insert(decl);
  result.rules = decl->rules;
  result.role = decl->role;
  result.type = {isa::RefKind::None, 0, decl->factor};
  auto setType = [&](const std::string &word) {
    int slot = context->slot(word);
    std::string constant = slot < 0 ? context->fallback(word) : "";
    if (slot >= 0)
      result.type = {isa::RefKind::Slot, static_cast<uint16_t>(slot), decl->factor};
    else
      result.type = {isa::RefKind::Word, wordId(constant.empty() ? word : constant), decl->factor};
  };
  auto isType = [&](const std::string &word) {
    return output.words[wordId(word)].wordClass == isa::WordClass::Type;
  };
  if (!decl->type.empty()) {
    int slot = context->slot(decl->type);
    if (slot < 0 && context->fallback(decl->type).empty() && !isType(decl->type))
      errors.report(context->form->place, "operand-type",
                    "type `" + decl->type + "` of operand `" + name +
                        "` is no slot of this form and no type");
    setType(decl->type);
  }
  std::vector<isa::SpaceRef> spaces;
  for (const std::string &word : decl->spaces) {
    int slot = context->slot(word);
    std::string constant = slot < 0 ? context->fallback(word) : "";
    WordId id = wordId(constant.empty() ? word : constant);
    if (slot >= 0) {
      const FormSlot &values = context->slots[slot];
      if (!values.values.empty() && isType(values.values[0].word))
        setType(word);
      else
        spaces.push_back({isa::RefKind::Slot, static_cast<uint16_t>(slot)});
    } else if (constant.empty() && findSet(context->scope, word)) {
      continue; // the slot is not of this form: any space
    } else if (output.words[id].wordClass == isa::WordClass::Type) {
      setType(word);
    } else if (output.words[id].wordClass == isa::WordClass::Space) {
      spaces.push_back({isa::RefKind::Word, id});
    } else {
      errors.report(decl->place, "operand-space", "`" + word + "` is no state space and no type");
    }
  }
  result.spaces = intern(output.spaceRefs, spaces);
  std::vector<isa::Term> lengths;
  for (const Term &length : decl->lengths) {
    isa::Term term;
    if (resolveTerm(length, term)) {
      lengths.push_back(term);
      continue;
    }
    if (!findSet(context->scope, length.word) && !findSet(home, length.word))
      errors.report(length.place, "length", "`" + length.word + "` is no slot");
    lengths.clear(); // a scalar where the form lacks the slot
    break;
  }
  result.lengths = intern(output.terms, lengths);
  result.ranges = intern(output.ranges, decl->ranges);
  context->readsValues |= !decl->ranges.empty();
  if (decl->with) {
    result.hasWith = true;
    result.with = condition(*decl->with, *home);
  }
  return result;
}

/// False when no text of the form can fit the cell.
bool Resolver::slotCell(const Cell &cell, const Scope &scope, const FormSlot &slot,
                        isa::Cell &result) {
  result = {isa::CellKind::Any, false, 0, 0};
  if (cell.any)
    return true;
  std::set<std::string> held;
  for (const std::string &name : cell.names) {
    std::set<std::string> words = wordsOf(&scope, name, cell.place);
    bool fits = false;
    for (const Value &value : slot.values)
      if (words.count(value.word)) {
        held.insert(value.word);
        fits = true;
      }
    usage.cellWords[{&cell, name}] |= fits;
  }
  bool absent = cell.absent && slot.optional;
  if (held.empty()) {
    result.kind = isa::CellKind::Absent;
    return absent;
  }
  if (held.size() == slot.values.size() && (absent || !slot.optional))
    return true;
  isa::Span span = wordRun(held);
  result = {isa::CellKind::Words, absent, span.first, static_cast<uint16_t>(span.count)};
  return true;
}

void Resolver::table(const Table &table, const Scope &scope, std::vector<uint32_t> &tables) {
  std::vector<isa::Column> columns;
  std::vector<std::vector<isa::Cell>> rows(table.rows.size());
  std::vector<bool> dead(table.rows.size());
  std::map<size_t, std::set<std::string>> inRows; // slot to the words that a row allows
  std::vector<std::pair<size_t, size_t>> slotColumns; // column of the table, slot

  for (size_t c = 0; c < table.columns.size(); ++c) {
    const Column &column = table.columns[c];
    std::vector<uint16_t> members;
    std::string constant;
    bool optional = true;
    switch (column.kind) {
    case isa::ColumnKind::Slot: {
      int slot = context->slot(column.names[0]);
      if (slot < 0)
        constant = context->fallback(column.names[0]);
      usage.columns[{&table, column.text}] |= slot >= 0 || !constant.empty();
      if (slot < 0 && constant.empty())
        continue;
      if (slot >= 0) {
        members.push_back(static_cast<uint16_t>(slot));
        slotColumns.push_back({c, static_cast<size_t>(slot)});
      }
      break;
    }
    case isa::ColumnKind::Operand: {
      int operand = context->operand(column.names[0]);
      usage.columns[{&table, column.text}] |= operand >= 0;
      if (operand >= 0)
        members.push_back(static_cast<uint16_t>(operand));
      optional = operand >= 0 && !context->operands[operand].required;
      break;
    }
    case isa::ColumnKind::Length:
    case isa::ColumnKind::Values:
      for (const std::string &name : column.names) {
        int operand = context->operand(name);
        usage.columns[{&table, name + " in " + column.text}] |= operand >= 0;
        if (operand >= 0)
          members.push_back(static_cast<uint16_t>(operand));
      }
      if (members.empty())
        continue;
      break;
    case isa::ColumnKind::Requires:
      break;
    }
    isa::Span span = intern(output.columnMembers, members);
    bool kept = column.kind != isa::ColumnKind::Operand || optional;
    kept &= constant.empty();
    if (kept)
      columns.push_back({column.kind, text(column.text), span});

    for (size_t r = 0; r < table.rows.size(); ++r) {
      const Cell &cell = table.rows[r].cells[c];
      isa::Cell result = {isa::CellKind::Any, false, 0, 0};
      auto misplaced = [&] {
        errors.report(cell.place, "cell",
                      "`" + cell.text + "` is no cell of `" + column.text + "`");
      };
      switch (column.kind) {
      case isa::ColumnKind::Slot:
        if (cell.terms.size() + cell.ranges.size() > cell.names.size() &&
            cell.names.empty()) {
          misplaced();
        } else if (!constant.empty()) {
          bool fits = cell.any;
          for (const std::string &name : cell.names)
            fits |= wordsOf(&scope, name, cell.place).count(constant) > 0;
          dead[r] = dead[r] || !fits;
        } else if (!slotCell(cell, scope, context->slots[members[0]], result)) {
          dead[r] = true;
        }
        break;
      case isa::ColumnKind::Operand: {
        bool present = cell.names == std::vector<std::string>{"x"};
        if (present + cell.any + cell.absent != 1 || !cell.terms.empty())
          misplaced();
        if (!cell.any && !optional)
          dead[r] = dead[r] || present == members.empty();
        else if (!cell.any)
          result.kind = present ? isa::CellKind::Present : isa::CellKind::Absent;
        break;
      }
      case isa::ColumnKind::Length: {
        if (cell.any || cell.absent)
          break;
        std::vector<isa::Term> terms;
        for (const Term &term : cell.terms) {
          isa::Term resolved;
          if (resolveTerm(term, resolved))
            terms.push_back(resolved);
          else if (!dead[r])
            errors.report(cell.place, "length",
                          "`" + term.word + "` is no slot of `" + context->form->text + "`");
        }
        if (cell.terms.empty())
          misplaced();
        isa::Span run = intern(output.terms, terms);
        result = {isa::CellKind::Lengths, false, run.first, static_cast<uint16_t>(run.count)};
        break;
      }
      case isa::ColumnKind::Values: {
        if (cell.any || cell.absent)
          break;
        if (cell.ranges.empty())
          misplaced();
        isa::Span run = intern(output.ranges, cell.ranges);
        result = {isa::CellKind::Ranges, false, run.first, static_cast<uint16_t>(run.count)};
        context->readsValues = true;
        break;
      }
      case isa::ColumnKind::Requires:
        if (!cell.condition || dead[r])
          break;
        if (ExprId gate = condition(*cell.condition, scope)) {
          result = {isa::CellKind::Condition, false, gate, 0};
          dead[r] = gate == False;
        }
        break;
      }
      if (kept)
        rows[r].push_back(result);
    }
  }

  std::vector<isa::Cell> cells;
  std::vector<uint32_t> rowLines;
  std::set<std::string> seen;
  bool trivial = false;
  for (size_t r = 0; r < rows.size(); ++r) {
    usage.rows[&table.rows[r]] |= !dead[r];
    if (dead[r])
      continue;
    for (auto [column, slot] : slotColumns) {
      const Cell &cell = table.rows[r].cells[column];
      for (const Value &value : context->slots[slot].values)
        if (cell.any)
          inRows[slot].insert(value.word);
      for (const std::string &name : cell.names)
        for (const std::string &word : wordsOf(&scope, name, cell.place))
          inRows[slot].insert(word);
    }
    trivial |= std::all_of(rows[r].begin(), rows[r].end(), [](const isa::Cell &cell) {
      return cell.kind == isa::CellKind::Any;
    });
    std::ostringstream key;
    for (const isa::Cell &cell : rows[r])
      write(key, cell);
    if (!seen.insert(key.str()).second)
      continue;
    cells.insert(cells.end(), rows[r].begin(), rows[r].end());
    rowLines.push_back(table.rows[r].place.line);
  }
  for (auto [column, slot] : slotColumns)
    if (const Set *set = context->slots[slot].set)
      for (const Value &value : context->slots[slot].values)
        usage.slotValues[{{set->place.file, set->place.line}, value.word}] |=
            inRows[slot].count(value.word) > 0;
  if (rowLines.empty()) {
    errors.report(table.place, "dead-form",
                  "no row fits `" + context->form->text + "` (line " +
                      std::to_string(context->form->place.line) + ")");
    return;
  }
  if (trivial)
    return;
  isa::Table result;
  result.columns = intern(output.columns, columns);
  result.firstCell = intern(output.cells, cells).first;
  result.rows = static_cast<uint32_t>(rowLines.size());
  result.line = table.place.line;
  result.firstRowLine = intern(output.rowLines, rowLines).first;
  tables.push_back(internOne(output.tables, result));
}

void Resolver::form(const Entry &entry, const Scope &scope, const Form &form) {
  FormContext here{&entry, &scope, &form, {}, {}, false, &usage};
  context = &here;
  isa::Form result = {};
  result.entry = static_cast<uint16_t>(output.entries.size());
  result.line = form.place.line;
  result.syntax = text(form.text);

  for (const Element &element : form.elements)
    here.slots.push_back(
        makeSlot(scope, element.word, element.optional, false, form.place));
  std::vector<isa::Pattern> patterns;
  for (const PatternNode &node : form.operands)
    pattern(node, true, patterns);
  result.patterns = intern(output.patterns, patterns);
  if (!spellMnemonics(entry, result))
    errors.report(form.place, "mnemonic", "`" + form.text + "` spells no mnemonic of its entry");

  std::vector<isa::Slot> slots;
  for (const FormSlot &slot : here.slots) {
    std::vector<isa::SlotValue> values;
    for (const Value &value : slot.values) {
      std::vector<ExprId> gates;
      for (auto [gate, home] : value.gates)
        gates.push_back(condition(*gate, *home));
      values.push_back({wordId(value.word), both(std::move(gates), true)});
    }
    std::sort(values.begin(), values.end(),
              [](const auto &a, const auto &b) { return a.word < b.word; });
    slots.push_back({text(slot.name), intern(output.slotValues, values), slot.optional,
                     slot.set == nullptr, slot.suffix, wordId(slot.fallback)});
  }
  result.slots = intern(output.slots, slots);

  std::vector<uint32_t> tables, rules, checks;
  for (const Scope *at = &scope; at; at = at->parent) {
    for (const Rule &rule : at->rules) {
      ExprId when = rule.when ? condition(*rule.when, *at) : True;
      if (rule.when)
        usage.triggers[&rule] |= when != False;
      ExprId require = condition(rule.require, *at);
      if (!rule.when && require == False)
        errors.report(rule.place, "dead-form", "`" + rule.text + "` never holds for `" +
                                                   form.text + "` (line " +
                                                   std::to_string(form.place.line) + ")");
      if (when != False && require != True)
        rules.push_back(internOne(
            output.rules, isa::Rule{when, require, rule.place.line, text(rule.text)}));
    }
    for (const Table &one : at->tables)
      table(one, *at, tables);
    for (const Check &check : at->checks) {
      isa::Text name = text(check.name);
      if (check.name.find_first_of("-:") != std::string::npos)
        errors.report(check.place, "check", "`" + check.name + "` is no C++ name");
      auto known = std::find(output.checkNames.begin(), output.checkNames.end(), name);
      checks.push_back(static_cast<uint32_t>(known - output.checkNames.begin()));
      if (known == output.checkNames.end())
        output.checkNames.push_back(name);
      here.readsValues = true;
    }
  }
  result.tables = intern(output.formTables, tables);
  result.rules = intern(output.formRules, rules);
  result.checks = intern(output.formChecks, checks);

  std::vector<isa::OperandDecl> operands;
  for (const FormOperand &one : here.operands)
    operands.push_back(operand(one.name));
  result.operands = intern(output.operands, operands);
  result.readsValues = here.readsValues;
  output.forms.push_back(result);
  context = nullptr;
}

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
  // Names first: a condition may speak of what only another form has.
  std::function<void(const PatternNode &)> operandNames = [&](const PatternNode &node) {
    if (!node.name.empty())
      entryOperands[&one].insert(node.name);
    for (const PatternNode &child : node.children)
      operandNames(child);
  };
  std::function<void(const Scope &)> walk = [&](const Scope &scope) {
    for (const auto &[name, set] : scope.sets)
      entrySets[&one].insert(name);
    for (const Form &form : scope.forms)
      for (const PatternNode &node : form.operands)
        operandNames(node);
    for (const auto &below : scope.blocks)
      walk(*below);
  };
  walk(*one.scope);
  block(one, *one.scope);
  output.entries.push_back({text(one.title), text(one.manual), text(model.names[one.place.file]),
                            one.place.line, text(one.source),
                            intern(output.entryMnemonics, mnemonics)});
}

void Resolver::run() {
  output.exprs.push_back({ExprOp::True, true, 0, 0, 0});
  output.exprs.push_back({ExprOp::Not, true, True, 0, 0});
  output.warnings.push_back("");
  targets();
  words();
  registers();
  for (const Entry &one : model.entries)
    for (const std::string &mnemonic : one.mnemonics)
      mnemonicIds[mnemonic];
  uint32_t next = 0;
  for (auto &[mnemonic, id] : mnemonicIds)
    id = next++;
  formsOf.resize(next);
  for (const Entry &one : model.entries)
    entry(one);
  for (const auto &[mnemonic, id] : mnemonicIds)
    output.mnemonics.push_back({text(mnemonic), intern(output.mnemonicForms, formsOf[id])});
}

} // namespace

void resolve(const Model &model, const RuleIds &ruleIds, Output &output, Usage &usage,
             Errors &errors) {
  Resolver(model, ruleIds, output, usage, errors).run();
}

} // namespace ptxray::isagen
