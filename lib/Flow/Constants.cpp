#include "Flow/Constants.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

void Constants::read(const Body &read) {
  body = &read;
  values.clear();
  writer.assign(body->locals.size(), nobody);
  for (uint32_t number = 0; number < body->size(); ++number) {
    const bool isCertain = body->facts(number).known && body->guard(number) == LocalId::None;
    body->eachUse(number, [&](NamedUse use) {
      if (!(use.uses & Writes))
        return;
      uint32_t &known = writer[static_cast<uint32_t>(use.local)];
      known = isCertain && known == nobody ? number : several;
    });
  }
}

std::optional<uint64_t> Constants::valueOf(LocalId local, unsigned depth) {
  const uint32_t instruction = writer[static_cast<uint32_t>(local)];
  if (instruction == nobody || instruction == several || depth > 64)
    return std::nullopt;
  // A register that depends on itself has no value; so has one that is being worked out.
  auto [known, isNew] = values.try_emplace(static_cast<uint32_t>(local), std::nullopt);
  if (!isNew)
    return known->second;
  const std::optional<uint64_t> value = computed(instruction, depth);
  values[static_cast<uint32_t>(local)] = value;
  return value;
}

/// What an instruction with one register as its result makes of its sources.
std::optional<uint64_t> Constants::computed(uint32_t instruction, unsigned depth) {
  const Instruction &one = body->instruction(instruction);
  const llvm::ArrayRef<Operand> nodes = body->ast->operandsOf(one.operands);
  if (nodes.front().kind != OperandKind::Name)
    return std::nullopt;
  llvm::SmallVector<uint64_t, 4> sources;
  const LocalId *local = body->namesOf(instruction).data();
  for (const Operand &node : nodes.drop_front()) {
    local += node.kind == OperandKind::Name;
    std::optional<uint64_t> value;
    if (node.kind == OperandKind::Vector) // its elements are sources
      continue;
    if (node.kind == OperandKind::Integer && !(node.flags & AnyValue))
      value = static_cast<uint64_t>(node.value);
    else if (node.kind == OperandKind::Name && !node.flags && node.suffix == SpellingId::None)
      value = valueOf(*local, depth + 1);
    if (!value)
      return std::nullopt;
    sources.push_back(*value);
  }
  return constantResult(body->facts(instruction).computation, sources);
}

void Constants::fill(uint32_t instruction, llvm::MutableArrayRef<Shape> shapes) {
  const LocalId *local = body->namesOf(instruction).data();
  for (auto [node, shape] : llvm::zip(body->ast->operandsOf(body->instruction(instruction).operands), shapes)) {
    if (node.kind != OperandKind::Name)
      continue;
    const LocalId named = *local++;
    if (shape.kind != ShapeKind::Register)
      continue;
    if (const std::optional<uint64_t> value = valueOf(named, 0)) {
      shape.flags |= ShapeKnown;
      shape.value = static_cast<int64_t>(*value);
    }
  }
}

} // namespace ptxray
