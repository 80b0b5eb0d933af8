#include "Module/InitialValues.h"
#include "Isa/Isa.h"
#include <bit>

namespace ptxray {

/// Returns the bits of a number in a variable of that size.
static uint64_t bitsOf(const Operand &number, uint8_t size) {
  const auto bits = static_cast<uint64_t>(number.value);
  if (number.kind != OperandKind::Float)
    return size < 8 ? bits & ((uint64_t(1) << 8 * size) - 1) : bits;
  const bool isSingle = number.flags & HexFloat && !(number.flags & WideFloat);
  if (size == 4)
    return isSingle ? bits : std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
  return isSingle ? std::bit_cast<uint64_t>(double(std::bit_cast<float>(static_cast<uint32_t>(bits)))) : bits;
}

/// Reads `3`, `a+4`, `generic(a)+4`, `0xff00(a+4)` or `0xff(generic(a))`.
static InitialValue valueAt(const Operand *node, uint8_t size) {
  InitialValue value;
  value.size = size;
  if (node->kind == OperandKind::List &&
      node->name == NameId::None) { // a mask, and the address from which it selects a byte
    value.byteOf = static_cast<uint8_t>(std::countr_zero(static_cast<uint64_t>(node[1].value)) / 8);
    node += 2;
  }
  if (node->kind != OperandKind::List && node->kind != OperandKind::Name) {
    value.number = value.byteOf ? static_cast<uint64_t>(node->value) >> 8 * *value.byteOf & 0xff : bitsOf(*node, size);
    value.byteOf.reset();
    return value;
  }
  value.isGeneric = node->kind == OperandKind::List;
  const Operand &name = value.isGeneric ? node[1] : *node;
  value.symbol = name.name;
  for (const Operand *one : {node, &name})
    if (one->flags & HasOffset)
      value.number = static_cast<uint64_t>(one->value);
  return value;
}

std::vector<InitialValue> initialValues(const Ast &ast, const Declaration &declaration) {
  const isa::Word &type = isa::word(isa::findWord(ast.text(declaration.type)));
  const bool isNumber = type.typeKind != isa::TypeKind::None && type.typeKind != isa::TypeKind::Opaque;
  if (!isNumber || ast.text(declaration.type) == ".f16x2")
    return {};
  const auto size = static_cast<uint8_t>(type.bits / 8);
  std::vector<InitialValue> values;
  // Incomplete inner braces are not padded: the next value follows immediately, as on a GPU.
  for (uint32_t node = declaration.initialiser.first; node < declaration.initialiser.end();) {
    const Operand &value = ast.operands[node];
    if (value.kind == OperandKind::Vector) {
      ++node;
      continue;
    }
    InitialValue &one = values.emplace_back(valueAt(&value, size));
    one.offset = (values.size() - 1) * size;
    node += value.extent;
  }
  return values;
}

} // namespace ptxray
