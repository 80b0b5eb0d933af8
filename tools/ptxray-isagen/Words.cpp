// Resolves texts, sets, words, targets, and special registers.
#include "Resolver.h"

namespace ptxray::isagen {

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

// ------------------------------------------------------------------------------------------ pools

isa::StoredText Resolver::text(const std::string &value) {
  const auto [known, isNew] = textPool.insert({value, {narrow<uint16_t>(output.textStarts.size() - 1)}});
  if (isNew) {
    output.characters += value;
    output.textStarts.push_back(narrow<uint32_t>(output.characters.size()));
  }
  return known->second;
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

/// Returns the words that a name in a condition or a cell represents.
std::set<std::string> Resolver::wordsOf(const Scope *scope, const std::string &name, Place place) {
  std::set<std::string> words;
  const Scope *home = findSet(scope, name)                       ? scope
                      : context && findSet(context->scope, name) ? context->scope
                                                                 : nullptr;
  if (home) {
    for (Value &value : expand(home, name))
      words.insert(value.word);
    return words;
  }
  if (context && entrySets[context->entry].count(name))
    return words; // the name is a slot of other forms
  if (!wordIds.count(name) && !(context && context->slot(name) >= 0))
    errors.report(place, "unknown-word", "unknown word `" + name + "`" + didYouMean(name, vocabulary));
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

void Resolver::collectVocabulary() {
  const Vocabulary &listed = model.vocabulary;
  for (const auto *list : {&listed.types, &listed.layouts, &listed.spaces, &listed.operations})
    vocabulary.insert(list->begin(), list->end());
  for (const auto *list : {&listed.repeatable, &listed.skipped, &listed.known})
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
}

static isa::WordClass classOf(const Vocabulary &listed, const std::string &word) {
  auto in = [&](const std::vector<std::string> &list) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  return in(listed.types)        ? isa::WordClass::Type
         : in(listed.layouts)    ? isa::WordClass::Layout
         : in(listed.spaces)     ? isa::WordClass::Space
         : in(listed.operations) ? isa::WordClass::Operation
                                 : isa::WordClass::Free;
}

namespace {

/// The parts of a type's spelling, which determine the type: `.u16x2`, `.e4m3`, `.ue8m0x2`.
struct SpelledType {
  std::string name; // name without its dot and count
  int count = 1;
  std::vector<int> numbers; // numbers in the name

  explicit SpelledType(const std::string &word) : name(word.substr(1)) {
    if (const size_t x = name.rfind('x'); x != std::string::npos && x + 2 == name.size()) {
      count = name[x + 1] - '0';
      name.resize(x);
    }
    for (size_t i = 0; i < name.size(); ++i)
      if (isdigit(name[i]) && !isdigit(name[i - 1]))
        numbers.push_back(std::stoi(name.substr(i)));
  }
};

isa::TypeKind kindOfScalar(char letter) {
  switch (letter) {
  case 'b': return isa::TypeKind::Bits;
  case 'u': return isa::TypeKind::Unsigned;
  case 's': return isa::TypeKind::Signed;
  default: return isa::TypeKind::Float;
  }
}

/// Returns the bits of an element of a narrow packed format. A single element fills a byte.
int narrowBits(const SpelledType &type) {
  const bool isNibble = type.numbers[0] + type.numbers[1] + (type.name[0] == 'e') <= 4;
  const bool isPadded = type.numbers.size() > 2; // `.e2m1p4x4`
  return isNibble && !isPadded && type.count > 1 ? 4 : 8;
}

void describeType(const SpelledType &type, isa::Word &result) {
  if (type.name == "pred") {
    result.typeKind = isa::TypeKind::Predicate;
    result.bits = 1;
  } else if (type.numbers.empty()) {
    result.typeKind = isa::TypeKind::Opaque;
    result.bits = 64;
  } else if (type.numbers.size() == 1) {
    const bool isUnusual = isalpha(type.name[1]); // .bf16, .tf32
    result.typeKind = type.count > 1 || isUnusual ? isa::TypeKind::Packed : kindOfScalar(type.name[0]);
    result.bits = narrow<uint16_t>(type.count * (type.name == "tf32" ? 32 : type.numbers[0]));
    result.unrelaxed = isUnusual;
  } else {
    result.typeKind = isa::TypeKind::Packed;
    result.bits = narrow<uint16_t>(type.count * narrowBits(type));
    result.narrow = result.unrelaxed = true;
  }
}

/// Returns the number after the last `::`, or otherwise the first number: `.x4`, `.cta_group::2`, `.2d`.
std::optional<int> numberIn(const std::string &word) {
  constexpr const char *digits = "0123456789";
  const size_t colons = word.rfind("::");
  size_t digit = word.find_first_of(digits, colons == std::string::npos ? 0 : colons);
  if (digit == std::string::npos)
    digit = word.find_first_of(digits);
  if (digit == std::string::npos)
    return {};
  return std::stoi(word.substr(digit));
}

} // namespace

uint8_t Resolver::wordKind(const std::string &kind) {
  const isa::StoredText name = text(kind);
  const auto known = std::find(output.wordKinds.begin(), output.wordKinds.end(), name);
  const auto index = narrow<uint8_t>(known - output.wordKinds.begin());
  if (known == output.wordKinds.end())
    output.wordKinds.push_back(name);
  return index;
}

isa::Word Resolver::word(const std::string &spelling) {
  const Vocabulary &listed = model.vocabulary;
  isa::Word result = output.words[0];
  result.text = text(spelling);
  result.wordClass = classOf(listed, spelling);
  if (result.wordClass == isa::WordClass::Type)
    describeType(SpelledType(spelling), result);
  result.number = numberIn(spelling).value_or(result.number);
  result.repeatable = listed.repeatable.count(spelling);
  result.skipped = listed.skipped.count(spelling);
  if (auto kind = listed.kinds.find(spelling); kind != listed.kinds.end())
    result.kind = wordKind(kind->second);
  return result;
}

/// Returns a word in a list. Returns null after an error if it is not a word.
isa::Word *Resolver::listedWord(Place place, const std::string &word) {
  if (WordId id = wordId(word))
    return &output.words[id];
  errors.report(place, "unknown-word", "unknown word `" + word + "`" + didYouMean(word, vocabulary));
  return nullptr;
}

void Resolver::gatesOfWords(const std::map<std::string, std::shared_ptr<Condition>> &gates, ExprId isa::Word::*field) {
  for (const auto &[word, gate] : gates)
    if (isa::Word *listed = listedWord(gate->place, word))
      listed->*field = condition(*gate, model.shared);
}

void Resolver::declarableTypes() {
  for (const auto &[word, declared] : model.vocabulary.declarable) {
    isa::Word &type = output.words[wordId(word)];
    if (type.wordClass != isa::WordClass::Type)
      errors.report(declared.second, "unknown-word", "`" + word + "` is not a type");
    else
      type.declarable = declared.first;
  }
}

void Resolver::addressesOfSpaces() {
  for (const auto &[space, addresses] : model.vocabulary.addresses) {
    isa::Word *listed = listedWord(addresses.second, space);
    if (listed && listed->wordClass != isa::WordClass::Space)
      errors.report(addresses.second, "unknown-word", "`" + space + "` is not a state space");
    else if (listed)
      listed->addresses = addresses.first;
  }
}

void Resolver::words() {
  collectVocabulary();
  output.words.push_back(
      {{}, isa::WordClass::Free, isa::TypeKind::None, 0, -1, false, false, false, false, True, True, 0});
  output.wordKinds.emplace_back();
  for (const std::string &spelling : vocabulary) {
    wordIds[spelling] = static_cast<WordId>(output.words.size());
    output.words.push_back(word(spelling));
  }
  const Vocabulary &listed = model.vocabulary;
  gatesOfWords(listed.gates, &isa::Word::gate);
  gatesOfWords(listed.scalarGates, &isa::Word::scalarGate);
  declarableTypes();
  addressesOfSpaces();
  for (const auto &[word, kind] : listed.kinds) {
    if (!wordIds.count(word))
      errors.report({}, "unknown-word", "unknown word `" + word + "` of kind " + kind);
    if (!rules.kinds.empty() && !rules.kinds.count(kind))
      errors.report({}, "unknown-kind", "diagnostics know no kind `" + kind + "`" + didYouMean(kind, rules.kinds));
  }
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
    auto number = narrow<uint16_t>(std::stoi(means.substr(3)));
    if (!decl.means.empty() && !names.count(decl.means))
      errors.report(decl.place, "unknown-target", "unknown target `" + decl.means + "`");
    if (!names.insert(decl.name).second)
      errors.report(decl.place, "twice", "a second target `" + decl.name + "`");
    output.targets.push_back({text(decl.name), number, variant, familyOf(number), decl.since, decl.documented,
                              decl.integrated, decl.sharedBytes, decl.threads, decl.blocks});
  }
  if (output.targets.size() > 128)
    errors.report({}, "targets", "more than 128 targets do not fit into TargetBits");
  output.versions = model.versions;
  output.versionMeanings = model.versionMeanings;
  if (!std::is_sorted(output.versions.begin(), output.versions.end()))
    errors.report({}, "versions", "versions ascend");
}

void Resolver::registers() {
  for (const RegisterDecl &decl : model.registers) {
    isa::SpecialRegister result = {
        text(decl.name), wordId(decl.type), 0, True, decl.scope, decl.enumerates, decl.narrow, -1, text(decl.manual)};
    if (!result.type)
      errors.report(decl.place, "unknown-word", "unknown type `" + decl.type + "`");
    if (!decl.needs.empty())
      result.needs = narrow<int16_t>(directiveIndex(decl.place, decl.needs));
    if (!decl.vector.empty())
      result.vector = narrow<uint8_t>(std::stoi(decl.vector.substr(2)));
    if (decl.gate)
      result.gate = condition(*decl.gate, model.shared);
    output.registers.push_back(result);
  }
  std::sort(output.registers.begin(), output.registers.end(),
            [&](const auto &a, const auto &b) { return output.text(a.name) < output.text(b.name); });
}

} // namespace ptxray::isagen
