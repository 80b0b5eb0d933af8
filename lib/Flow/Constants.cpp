#include "Flow/Constants.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// The destination stands first; in a vector or pair all registers are written.
void Constants::addWritten(llvm::ArrayRef<Operand> nodes, uint32_t instruction) {
  if (nodes.empty() || nodes.front().kind == OperandKind::Address)
    return;
  for (const Operand &node : nodes.take_front(nodes.front().extent))
    if (node.kind == OperandKind::Name) {
      auto [entry, isNew] = writer.try_emplace(static_cast<uint32_t>(node.name), instruction);
      if (!isNew)
        entry->second = several;
    }
}

void Constants::readBody(const Function &function) {
  writer.clear();
  values.clear();
  for (uint32_t i = function.body.first; i < function.body.end(); ++i)
    if (const Statement statement = ast.statements[i]; statement.kind == StatementKind::Instruction) {
      const Instruction &instruction = ast.instructions[statement.index];
      addWritten(ast.operandsOf(instruction.operands), instruction.guard == NameId::None ? statement.index : several);
    }
}

std::optional<uint64_t> Constants::valueOf(NameId name, unsigned depth) {
  auto found = writer.find(static_cast<uint32_t>(name));
  if (found == writer.end() || found->second == several || depth > 64)
    return std::nullopt;
  // A register that depends on itself has no value; so has one that is being worked out.
  auto [known, isNew] = values.try_emplace(static_cast<uint32_t>(name), std::nullopt);
  if (!isNew)
    return known->second;
  const Instruction &instruction = ast.instructions[found->second];
  llvm::ArrayRef<Operand> nodes = ast.operandsOf(instruction.operands);
  if (nodes.front().kind != OperandKind::Name)
    return std::nullopt;
  llvm::SmallVector<uint64_t, 4> sources;
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].kind == OperandKind::Vector) // its elements are sources
      continue;
    const std::optional<uint64_t> value = valueOf(nodes[i], depth + 1);
    if (!value)
      return std::nullopt;
    sources.push_back(*value);
  }
  const std::optional<uint64_t> result = constantResult(ast.text(instruction.opcode), sources);
  values[static_cast<uint32_t>(name)] = result;
  return result;
}

std::optional<uint64_t> Constants::valueOf(const Operand &operand, unsigned depth) {
  if (operand.kind == OperandKind::Integer)
    return static_cast<uint64_t>(operand.value);
  if (operand.kind != OperandKind::Name || operand.flags || operand.suffix != SpellingId::None)
    return std::nullopt;
  return valueOf(operand.name, depth);
}

void Constants::fill(const Function &function, Slice operands, llvm::MutableArrayRef<Shape> shapes) {
  if (!read)
    readBody(function);
  read = true;
  for (auto [node, shape] : llvm::zip(ast.operandsOf(operands), shapes))
    if (shape.kind == ShapeKind::Register && node.kind == OperandKind::Name)
      if (const std::optional<uint64_t> value = valueOf(node, 0)) {
        shape.flags |= ShapeKnown;
        shape.value = static_cast<int64_t>(*value);
      }
}

} // namespace ptxray
