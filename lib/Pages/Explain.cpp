#include "Pages/Explain.h"
#include "Isa/Availability.h"
#include "Isa/FactNames.h"
#include "Match/Wording.h"
#include "Targets/Needs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

std::vector<const isa::Mnemonic *> findMnemonics(StringRef written) {
  std::vector<const isa::Mnemonic *> found;
  for (StringRef prefix = written; !prefix.empty(); prefix = prefix.rsplit('.').first) {
    if (const isa::Mnemonic *exact = isa::findMnemonic(prefix)) {
      found.push_back(exact);
      break;
    }
    if (!prefix.contains('.'))
      break;
  }
  // Exclude longer mnemonics if one matches exactly: `mul` is also a prefix of `mul.lo`, and `barrier` of
  // `barrier.cluster`.
  std::vector<const isa::Mnemonic *> longer;
  for (const isa::Mnemonic &m : isa::mnemonics())
    if (StringRef(m.text()).starts_with(written.str() + "."))
      longer.push_back(&m);
  if (!longer.empty() && !found.empty() && StringRef(found.front()->text()) != written)
    found.clear();
  found.insert(found.end(), longer.begin(), longer.end());
  return found;
}

bool isOfPtxas(const isa::Form &form) {
  const isa::Tables &tables = isa::tables();
  auto warns = [&](isa::ExprId id) { // the manual describes forms that it advises against
    const isa::Expr &e = tables.exprs[id];
    return e.op == isa::ExprOp::Warn && tables.warnings[e.a]() != "advised-against";
  };
  return llvm::any_of(isa::run(tables.formRules, form.rules), [&](uint32_t index) {
    const isa::Rule &rule = tables.rules[index];
    const isa::Expr &required = tables.exprs[rule.require];
    return rule.when == 0 &&
           (warns(rule.require) ||
            (required.op == isa::ExprOp::And && llvm::any_of(tables.exprArgs.slice(required.a, required.b), warns)));
  });
}

std::string availabilityOf(const isa::Form &form) {
  llvm::SmallVector<std::string, 2> texts;
  for (const isa::ExprId gate : gatesOf(form))
    if (std::string text = gateText(gate); !text.empty())
      texts.push_back(std::move(text));
  return llvm::join(texts, "; ");
}

std::string termText(const isa::Term &term, const isa::Form &form) {
  if (term.slot < 0)
    return std::to_string(term.base * term.mul / term.div + term.add);
  std::string text = "`" + std::string(isa::run(isa::tables().slots, form.slots)[term.slot].name()) + "`";
  if (term.letter)
    text = std::string(1, term.letter) + " of " + text;
  if (term.mul != 1)
    text = std::to_string(term.mul) + " times " + text;
  if (term.div != 1)
    text += " / " + std::to_string(term.div);
  if (term.add)
    text += (term.add > 0 ? " + " : " - ") + std::to_string(std::abs(term.add));
  return text;
}

/// Returns the type as text, such as " of `.u64`"; empty if there is none.
static std::string typeText(const isa::TypeRef &type, const isa::Form &form) {
  std::string text;
  if (type.kind == isa::RefKind::Word)
    text = " of `" + std::string(isa::word(type.index).text()) + "`";
  else if (type.kind == isa::RefKind::Slot)
    text = " of the type `" + std::string(isa::run(isa::tables().slots, form.slots)[type.index].name()) + "`";
  if (type.factor != 1)
    text += ", " + std::to_string(type.factor) + " times as wide";
  if (type.divisor != 1)
    text += ", 1/" + std::to_string(type.divisor) + " as wide";
  return text;
}

/// Returns the description of an address: "an address in brackets in `.shared`, of a barrier object".
static std::string addressText(const isa::OperandDecl &operand, const isa::Form &form) {
  llvm::SmallVector<std::string, 4> spaces;
  bool isSlot = false;
  for (const isa::SpaceRef &space : isa::run(isa::tables().spaceRefs, operand.spaces)) {
    isSlot |= space.kind == isa::RefKind::Slot;
    spaces.push_back("`" +
                     std::string(isSlot ? isa::run(isa::tables().slots, form.slots)[space.index].name()
                                        : isa::word(space.index).text()) +
                     "`");
  }
  std::string text(isa::roleText(operand.role));
  if (!spaces.empty())
    text += (isSlot ? " in the state space " : " in ") + listText(spaces, "or");
  if (operand.access == isa::Access::Barrier)
    text += ", of a barrier object";
  if (operand.access == isa::Access::TensorMap)
    text += ", of a tensor map";
  return text;
}

static std::string vectorText(const isa::OperandDecl &operand, const isa::Form &form, const std::string &type) {
  llvm::SmallVector<std::string, 4> lengths;
  bool isNumber = true;
  for (const isa::Term &term : isa::run(isa::tables().terms, operand.lengths)) {
    isNumber &= term.slot < 0;
    lengths.push_back(termText(term, form));
  }
  const std::string what =
      operand.rules & isa::Destination || operand.role == isa::OperandRole::Register ? "registers" : "values";
  if (lengths.empty())
    return what + type + " in braces";
  // Without this word, the operand is a single value without braces.
  if (!isNumber && !(operand.rules & isa::Vec) && lengths.size() == 1 &&
      isa::run(isa::tables().terms, operand.lengths).front().letter == 0)
    return (what == "values" ? "a value" : "a register") + type + ", or as many in braces as " + lengths.front() +
           " says";
  if (!isNumber)
    return what + type + " in braces, " + listText(lengths, "or") + " of them";
  return listText(lengths, "or") +
         (lengths.size() == 1 && lengths.front() == "1" ? " " + what.substr(0, what.size() - 1) : " " + what) + type +
         " in braces";
}

std::string describeOperand(const isa::OperandDecl &operand, const isa::Form &form) {
  const std::string type = typeText(operand.type, form);
  const bool isResult = operand.rules & isa::Destination;
  if (operand.role == isa::OperandRole::Predicate && isResult)
    return "a predicate register for the result";
  if (operand.role == isa::OperandRole::Address)
    return addressText(operand, form);
  std::string text;
  if (operand.rules & isa::Vec || operand.lengths.count)
    text = vectorText(operand, form, type);
  else if (operand.role == isa::OperandRole::Immediate)
    text = "a constant" + type;
  else if (const isa::Text role = isa::roleText(operand.role); !role.empty())
    return std::string(role);
  else
    text = (isResult || operand.role == isa::OperandRole::Register ? "a register" : "a register or constant") + type;
  if (operand.rules & isa::Wide)
    text += " or wider";
  if (isResult)
    text += " for the result";
  if (operand.ranges.count)
    text += ": " + rangesText(isa::run(isa::tables().ranges, operand.ranges));
  return text;
}

std::string placesOf(const isa::Directive &directive) {
  static constexpr std::pair<uint16_t, StringRef> names[] = {
      {isa::InModule, "outside of functions"},
      {isa::OnVariable, "in the declaration of a variable"},
      {isa::OnParameter, "at a parameter of an entry"},
      {isa::OnEntry | isa::OnDeclaredEntry, "in the head of an entry"},
      {isa::OnFunction | isa::OnDeclaredFunction, "in the head of a function"},
      {isa::InEntry | isa::InFunction, "in a body"},
      {isa::InDirective, "in the braces of another directive"},
  };
  llvm::SmallVector<std::string, 4> found;
  for (const auto &[bits, name] : names)
    if (directive.places & bits)
      found.push_back(name.str());
  return llvm::join(found, ", ");
}

/// Returns the description of a packed type: "two `.e4m3` in 16 bits", "float: 4 bits of exponent, 3 of fraction".
static std::string packedText(const isa::Word &word) {
  static constexpr StringRef counts[] = {"", "", "two", "", "four"};
  StringRef name = word.text();
  const auto [element, count] = name.rsplit('x');
  if (unsigned number = 0; !count.empty() && !count.getAsInteger(10, number) && number < std::size(counts))
    return (counts[number] + " `" + element + "` in " + llvm::Twine(word.bits) + " bits").str();
  unsigned exponent = 0, fraction = 0;
  const bool isUnsigned = name.consume_front(".u");
  if (!isUnsigned)
    name.consume_front(".");
  if (name.consume_front("e") && !name.consumeInteger(10, exponent) && name.consume_front("m") &&
      !name.consumeInteger(10, fraction))
    return ((isUnsigned ? "float without sign: " : "float: ") + llvm::Twine(exponent) + " bits of exponent, " +
            llvm::Twine(fraction) + " of fraction")
        .str();
  return "";
}

std::string wordMeaning(const isa::Word &word, StringRef mnemonic) {
  if (const std::optional<isa::Meaning> meaning = isa::findMeaning(word.text(), mnemonic))
    return std::string(meaning->text);
  switch (word.typeKind) {
  case isa::TypeKind::Bits: return "bits, whatever they mean";
  case isa::TypeKind::Unsigned: return "unsigned integer";
  case isa::TypeKind::Signed: return "signed integer";
  case isa::TypeKind::Float: return "floating-point number";
  case isa::TypeKind::Packed: return packedText(word);
  case isa::TypeKind::Predicate: return "predicate";
  case isa::TypeKind::Opaque: return "opaque: known only by name";
  case isa::TypeKind::None: break;
  }
  return "";
}

std::string describeWord(const isa::Word &word, StringRef mnemonic) {
  const std::optional<isa::Meaning> meaning = isa::findMeaning(word.text(), mnemonic);
  const std::string says = wordMeaning(word, mnemonic);
  if (word.wordClass == isa::WordClass::Type) {
    const bool hasBits = word.typeKind >= isa::TypeKind::Bits && word.typeKind <= isa::TypeKind::Float;
    if (word.typeKind == isa::TypeKind::Bits && !meaning)
      return std::to_string(word.bits) + " " + says;
    return hasBits ? says + " of " + std::to_string(word.bits) + (word.bits == 1 ? " bit" : " bits") : says;
  }
  const std::string topic(meaning ? meaning->topic : isa::Text());
  return topic + (topic.empty() || says.empty() ? "" : ": ") + says;
}

} // namespace ptxray
