#include "Editor/Completion.h"
#include "Editor/Scope.h"
#include "Editor/Statements.h"
#include "Editor/Typing.h"
#include "Isa/Isa.h"
#include "Isa/Titles.h"
#include "Pages/Explain.h"
#include "Parse/Scanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

namespace {

constexpr size_t mostItems = 1000, mostMembers = 64;

class Completer {
public:
  /// Constructs a completer. The excerpt does not contain the statement that is being typed.
  Completer(const Excerpt &excerpt, StringRef text, uint32_t place, const Typing &typing)
      : excerpt(excerpt), typing(typing), offset(typing.begin), first(text.slice(typing.first.begin, typing.first.end)),
        written(text.slice(typing.word.begin, place)), availability(excerpt.module()) {}

  void complete();
  Completion completion;

private:
  using Kind = CompletionItem::Kind;
  void add(Kind kind, const llvm::Twine &text, StringRef label, std::string detail, unsigned rank = 1,
           isa::ExprId gate = 0);
  void opcodes();
  void qualifiers(StringRef before);
  void directives();
  void arguments();
  void targets();
  void versions();
  void types();
  void operand();
  void components();
  struct Expected {
    llvm::SmallVector<const isa::OperandDecl *, 4> operands;
    llvm::SmallVector<TypeView, 4> types;
    bool has(isa::OperandRole role) const {
      return llvm::any_of(operands, [&](const isa::OperandDecl *one) { return one->role == role; });
    }
  };
  Expected expectedHere() const;
  void names(const Expected &expected);
  void name(const VisibleName &name, const Expected &expected);
  void member(const VisibleName &name, unsigned rank);
  bool isWanted(const VisibleName &name, const Expected &expected) const;
  bool mayAccess(isa::WordId space) const;
  unsigned rankOf(const VisibleName &name, const Expected &expected) const;
  void predicates();
  void specials(const Expected &expected);

  const Excerpt &excerpt;
  const Typing &typing;
  uint32_t offset;   // location of the statement in the excerpt
  StringRef first;   // the opcode or directive
  StringRef written; // part of the word before the cursor
  Availability availability;
};

void Completer::add(Kind kind, const llvm::Twine &text, StringRef label, std::string detail, unsigned rank,
                    isa::ExprId gate) {
  CompletionItem item;
  item.text = text.str();
  if (!StringRef(item.text).starts_with_insensitive(written))
    return;
  if (completion.items.size() == mostItems) {
    completion.isCut = true;
    return;
  }
  item.kind = kind;
  item.label = label.str();
  item.isLacking = !availability.holds(gate);
  item.detail = item.isLacking ? "needs " + gateText(gate) : std::move(detail);
  item.rank = rank + (item.isLacking ? 100 : 0);
  completion.items.push_back(std::move(item));
}

// ---- opcodes

/// Returns the gate that all forms of the mnemonic share.
isa::ExprId gateOf(const isa::Mnemonic &mnemonic, const Availability &availability) {
  const isa::Tables &tables = isa::tables();
  isa::ExprId lacking = 0;
  for (uint32_t form : isa::run(tables.mnemonicForms, mnemonic.forms)) {
    isa::ExprId failing = 0;
    for (uint32_t index : isa::run(tables.formRules, tables.forms[form].rules)) {
      const isa::Rule &rule = tables.rules[index];
      if (rule.when == 0 && tables.exprs[rule.require].gateOnly && !availability.holds(rule.require))
        failing = rule.require;
    }
    if (!failing)
      return 0;
    lacking = failing;
  }
  return lacking;
}

void Completer::opcodes() {
  const size_t dot = written.rfind('.');
  if (dot != StringRef::npos)
    qualifiers(written.take_front(dot));
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    const StringRef text = mnemonic.text();
    if (!text.starts_with(written))
      continue;
    const uint32_t form = isa::run(isa::tables().mnemonicForms, mnemonic.forms).front();
    const isa::Entry &entry = isa::tables().entries[isa::tables().forms[form].entry];
    add(Kind::Opcode, text, text, std::string(isa::titleOf(mnemonic, entry)), dot == StringRef::npos ? 1 : 50,
        gateOf(mnemonic, availability));
  }
}

void Completer::qualifiers(StringRef before) {
  const Opcode opcode(before);
  unsigned rank = 1;
  for (const NextWord &next : nextWords(opcode, availability)) {
    const isa::Word &word = isa::word(next.word);
    std::string detail = describeWord(word);
    if (detail.empty())
      detail = isa::tables().forms[next.form].syntax();
    add(word.typeKind == isa::TypeKind::None ? Kind::Qualifier : Kind::Type,
        before + llvm::Twine(StringRef(word.text())), word.text(), std::move(detail), rank++, next.lacking);
  }
}

// ---- directives

void Completer::directives() {
  const bool inBody = excerpt.bodyBegin().has_value();
  const uint16_t places =
      inBody ? isa::InEntry | isa::InFunction : isa::InModule | isa::OnVariable | isa::OnFunction | isa::OnEntry;
  for (const isa::Directive &one : isa::tables().directives)
    if (one.places & places)
      add(Kind::Directive, StringRef(one.name()), one.name(), std::string(one.title()), 1, one.gate);
}

void Completer::targets() {
  for (const isa::Target &target : isa::targets())
    if (target.documented)
      add(Kind::Value, StringRef(target.name()), target.name(), "since PTX " + isa::versionText(target.since));
}

void Completer::versions() {
  unsigned rank = 1;
  for (const uint16_t version : llvm::reverse(isa::versions())) {
    const std::string text = isa::versionText(version);
    add(Kind::Value, text, text, "", rank++);
  }
}

void Completer::types() {
  for (const isa::Word &word : isa::tables().words)
    if (word.declarable == isa::Declarable::Yes)
      add(Kind::Type, StringRef(word.text()), word.text(), "a type", 1, word.gate);
  for (const Keyword &keyword : keywords())
    if (keyword.kind == TokenKind::Align || keyword.kind == TokenKind::Ptr)
      add(Kind::Directive, keyword.text, keyword.text, "");
}

void Completer::arguments() {
  const StringRef directive = first;
  if (directive == ".target")
    return targets();
  if (directive == ".version")
    return versions();
  const bool isList = directive == ".branchtargets" || directive == ".calltargets";
  if (isList)
    return names({});
  if (written.starts_with("."))
    return types();
}

// ---- operands

/// Returns the operands at the cursor in all forms that match the written words.
Completer::Expected Completer::expectedHere() const {
  Expected expected;
  const Opcode opcode(first);
  std::vector<FormMatch> forms = formsFor(opcode, /*complete=*/true);
  if (forms.empty())
    forms = formsFor(opcode, /*complete=*/false);
  for (const FormMatch &form : forms) {
    const auto patterns = isa::run(isa::tables().patterns, form.form().patterns);
    unsigned top = 0;
    for (size_t i = 0; i < patterns.size(); i += patterns[i].extent, ++top) {
      if (top != typing.operand)
        continue;
      const bool isGroup = patterns[i].kind != isa::PatternKind::Operand && patterns[i].extent > 1;
      const size_t at = i + (isGroup ? std::min<size_t>(1 + typing.element, patterns[i].extent - 1) : 0);
      expected.operands.push_back(&form.operands[patterns[at].operand]);
      expected.types.push_back(form.typeOf(patterns[at].operand));
    }
  }
  return expected;
}

bool isAddressOpen(StringRef open) { return open.contains('['); }

bool Completer::isWanted(const VisibleName &name, const Expected &expected) const {
  if (expected.operands.empty())
    return true;
  const bool label = expected.has(isa::OperandRole::Label), function = expected.has(isa::OperandRole::Function);
  switch (name.kind) {
  case VisibleName::Label: return label;
  case VisibleName::Function_:
    return function || expected.has(isa::OperandRole::Symbol) ||
           llvm::any_of(expected.operands, [](const isa::OperandDecl *one) { return one->rules & isa::SymbolAllowed; });
  case VisibleName::Register: return !label && (!function || typing.operand != 0);
  case VisibleName::Variable:
  case VisibleName::Parameter:
    return !label && !llvm::all_of(expected.operands, [](const isa::OperandDecl *one) {
      return one->role == isa::OperandRole::Predicate ||
             (one->rules & isa::Destination && one->role == isa::OperandRole::Register);
    });
  }
  return true;
}

static bool isSpace(StringRef word) {
  return llvm::any_of(keywords(), [&](const Keyword &one) { return one.kind == TokenKind::Space && one.text == word; });
}

/// Returns whether the opcode may access the space: it names this space, or none.
bool Completer::mayAccess(isa::WordId space) const {
  bool namesOthers = false;
  llvm::SmallVector<StringRef> parts;
  first.split(parts, '.');
  for (const StringRef part : llvm::drop_begin(parts)) {
    const isa::WordId named = isa::wholeSpace(isa::findWord("." + part.str()));
    if (named == space)
      return true;
    namesOthers |= isSpace(isa::word(named).text());
  }
  return !namesOthers;
}

/// Returns the rank of a name. Names with the operand's type come first.
unsigned Completer::rankOf(const VisibleName &name, const Expected &expected) const {
  const TypeView own = viewType(name.type);
  if (isAddressOpen(typing.open)) {
    if (name.kind != VisibleName::Register)
      return mayAccess(name.space) ? 1 : 3;
    const bool isAddress = own.bits == 64 && mayBeInteger(own);
    return isAddress ? 1 : mayBeInteger(own) && own.bits == 32 ? 2 : 4;
  }
  if (expected.has(isa::OperandRole::Predicate))
    return own.kind == isa::TypeKind::Predicate ? 1 : 4;
  if (name.kind != VisibleName::Register)
    return name.kind == VisibleName::Label || name.kind == VisibleName::Function_ ? 1 : 3;
  const bool fits =
      llvm::any_of(expected.types, [&](TypeView type) { return type && typesAgree(type, own, false, false); });
  return fits ? 1 : 3;
}

CompletionItem::Kind kindOf(const VisibleName &name) {
  switch (name.kind) {
  case VisibleName::Register: return CompletionItem::Register;
  case VisibleName::Variable: return CompletionItem::Variable;
  case VisibleName::Parameter: return CompletionItem::Parameter;
  case VisibleName::Label: return CompletionItem::Label;
  case VisibleName::Function_: return CompletionItem::Function;
  }
  return CompletionItem::Register;
}

std::string detailOf(const VisibleName &name) {
  std::string detail;
  for (const isa::WordId word : {name.space, name.type})
    if (word)
      detail += (detail.empty() ? "" : " ") + std::string(isa::word(word).text());
  return name.kind == VisibleName::Label ? "a label" : name.kind == VisibleName::Function_ ? "a function" : detail;
}

/// Offers the members of a family whose names begin with the typed text.
void Completer::member(const VisibleName &name, unsigned rank) {
  const StringRef prefix = excerpt.ast().text(name.name);
  size_t shown = 0;
  for (uint32_t number = 0; number < name.familyCount && shown < mostMembers; ++number) {
    const std::string text = prefix.str() + std::to_string(number);
    if (!StringRef(text).starts_with(written))
      continue;
    add(Kind::Register, text, text, detailOf(name), rank);
    ++shown;
  }
  completion.isCut |= shown == mostMembers;
}

void Completer::name(const VisibleName &name, const Expected &expected) {
  if (!isWanted(name, expected))
    return;
  const unsigned rank = rankOf(name, expected);
  if (name.familyCount)
    return member(name, rank);
  const StringRef text = excerpt.ast().text(name.name);
  add(kindOf(name), text, text, detailOf(name), rank);
}

void Completer::names(const Expected &expected) {
  for (const VisibleName &one : visibleNames(excerpt, offset))
    name(one, expected);
}

void Completer::predicates() {
  for (const VisibleName &one : visibleNames(excerpt, offset))
    if (one.kind == VisibleName::Register && viewType(one.type).kind == isa::TypeKind::Predicate)
      name(one, {});
}

void Completer::specials(const Expected &expected) {
  const bool allowed = expected.operands.empty() || llvm::any_of(expected.operands, [](const isa::OperandDecl *one) {
                         return one->rules & isa::SpecialAllowed;
                       });
  if (!allowed || !typing.open.empty())
    return;
  for (const isa::SpecialRegister &reg : isa::specialRegisters())
    add(Kind::Special, StringRef(reg.name()), reg.name(),
        "special register of " + std::string(isa::word(reg.type).text()), 5, reg.gate);
}

/// Offers components, such as `x` for `%tid`.
void Completer::components() {
  const StringRef base = written.split('.').first;
  const isa::SpecialRegister *special = isa::findSpecialRegister(base);
  if (!special || !special->vector)
    return;
  for (const char *component : {".x", ".y", ".z", ".w"})
    add(Kind::Special, base + llvm::Twine(component), component, std::string(isa::word(special->type).text()), 1,
        special->gate);
}

void Completer::operand() {
  if (written.contains('.'))
    return components();
  const bool isNumber = !written.empty() && llvm::isDigit(written.front());
  if (isNumber)
    return;
  const Expected expected = expectedHere();
  names(expected);
  specials(expected);
}

void Completer::complete() {
  switch (typing.where) {
  case Typing::Hidden: return;
  case Typing::Guard: return predicates();
  case Typing::Argument: return arguments();
  case Typing::Operand: return operand();
  case Typing::First: break;
  }
  if (written.empty() || written.starts_with("."))
    directives();
  if (!written.starts_with(".") && excerpt.bodyBegin())
    opcodes();
}

} // namespace

/// Returns the range of the statement up to the end of its line, so that the following text remains visible.
static Range statementAround(StringRef text, const Typing &typing, uint32_t place) {
  const size_t end = std::min(text.find_first_of(";\n\r", place), text.size());
  const bool hasEnd = end < text.size() && text[end] == ';';
  return {typing.begin, static_cast<uint32_t>(end + hasEnd)};
}

Completion completionAt(Document &document, uint32_t place) {
  const std::optional<ExcerptText> around = document.textAround(place);
  const auto at = around ? around->text.offsetOf(place) : std::nullopt;
  if (!at)
    return {};
  const StringRef text = around->text.text();
  const Typing typing = typingAt(text, around->bodyBegin ? *around->bodyBegin + 1 : 0, *at);
  if (typing.where == Typing::Hidden)
    return {};
  // Text after the part of the word at the cursor is kept.
  const auto dot = static_cast<uint32_t>(std::min<size_t>(text.find('.', *at), typing.word.end));
  const Range replaced{typing.word.begin, std::max(dot, *at)};
  if (replaced.size() && !around->text.isExact(replaced))
    return {};
  const Excerpt excerpt(without(*around, statementAround(text, typing, *at)));
  Completer completer(excerpt, text, *at, typing);
  completer.complete();
  Completion completion = std::move(completer.completion);
  // In templates, a percent sign is doubled or absent.
  if (document.language() != Language::Ptx)
    llvm::erase_if(completion.items, [](const CompletionItem &item) {
      return StringRef(item.text).find_first_of("%$") != StringRef::npos;
    });
  llvm::stable_sort(completion.items, [](const CompletionItem &a, const CompletionItem &b) { return a.rank < b.rank; });
  completion.replaced = replaced.size() ? around->text.placeOf(replaced) : Range{place, place};
  return completion;
}

} // namespace ptxray
