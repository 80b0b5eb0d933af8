#include "Semantics/Element.h"
#include "llvm/ADT/StringExtras.h"
#include <array>

namespace ptxray {

static const numbers::Format *formatNamed(llvm::StringRef name) {
  static constexpr std::array all = {&numbers::f16,  &numbers::bf16, &numbers::f32,   &numbers::f64,
                                     &numbers::tf32, &numbers::e4m3, &numbers::e5m2,  &numbers::e2m3,
                                     &numbers::e3m2, &numbers::e2m1, &numbers::ue8m0, &numbers::ue4m3};
  for (const numbers::Format *format : all)
    if (name == format->name)
      return format;
  return nullptr;
}

std::optional<ElementType> elementType(isa::WordId type) {
  const isa::Word &word = isa::word(type);
  llvm::StringRef name = llvm::StringRef(word.text()).drop_front();
  ElementType result;
  if (word.typeKind == isa::TypeKind::Predicate) {
    result.kind = ElementType::Kind::Truth;
    result.bits = 1;
    return result;
  }
  unsigned count = 1;
  if (const size_t x = name.rfind('x'); x != llvm::StringRef::npos && !name.drop_front(x + 1).getAsInteger(10, count))
    name = name.take_front(x);
  name.consume_back("p"); // `.e2m1p4x4`, handled below
  if (name == "e2m1p4")
    name = "e2m1";
  result.count = static_cast<uint16_t>(count);
  if (!word.bits)
    return {};
  result.bits = static_cast<uint16_t>(word.bits / count);
  const bool isInteger = name.size() > 1 && llvm::StringRef("bus").contains(name[0]) && llvm::isDigit(name[1]);
  if (const numbers::Format *format = isInteger ? nullptr : formatNamed(name)) {
    result.kind = ElementType::Kind::Float;
    result.format = format;
    return result;
  }
  if (word.narrow || !isInteger)
    return {};
  result.kind = name[0] == 's' ? ElementType::Kind::Signed : ElementType::Kind::Unsigned;
  return result;
}

Value readElement(Bits bits, const ElementType &type) {
  bits = lowBits(bits, type.bits);
  Value value;
  if (type.kind == ElementType::Kind::Truth)
    value = Value::truth(bits != 0);
  else if (type.isFloat())
    value = Value::real(numbers::read(static_cast<uint64_t>(bits), *type.format));
  else if (type.isSigned() && bits >> (type.bits - 1))
    value = Value::integer(lowBits(Bits(0) - bits, type.bits), true);
  else
    value = Value::integer(bits);
  value.bits = bits;
  value.hasBits = true;
  return value;
}

Bits storeElement(const Value &value, const ElementType &type) {
  if (type.kind == ElementType::Kind::Truth)
    return value.isTrue();
  if (type.isFloat())
    return numbers::store(value.asNumber(), *type.format, {});
  if (!value.isFloat())
    return lowBits(value.twosComplement(), type.bits);
  const Bits whenNaN = value.number.isWide ? numbers::integerOfNaN(numbers::f64, type.bits)
                                           : numbers::integerOfNaN(numbers::f32, type.bits);
  return numbers::toInteger(value.number, type.bits, type.isSigned(), numbers::Rounding::Zero,
                            static_cast<uint64_t>(whenNaN));
}

} // namespace ptxray
