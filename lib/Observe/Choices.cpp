#include "Observe/Choices.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

/// Returns the code blocks that may follow.
static llvm::SmallVector<uint32_t, 2> nextOf(const FunctionCode &code, uint32_t at) {
  const CodeBlock &block = code.blocks[at];
  llvm::SmallVector<uint32_t, 2> next;
  if (block.way == Way::Jump)
    next.push_back(block.target);
  if (block.way != Way::Jump || block.guard)
    next.push_back(at + 1);
  return next;
}

/// Calls `use` with each instruction of a code block, including the one that ends it.
template <class Use> static void eachInstruction(const CodeBlock &block, Use use) {
  for (uint32_t i = 0; i < block.instructions; ++i)
    use(block.firstInstruction + i);
}

bool Choices::onlyComputes(uint32_t at) const {
  const CodeBlock &block = code.blocks[at];
  if (block.way != Way::Next && block.way != Way::Jump)
    return false;
  bool isPure = true;
  eachInstruction(block, [&](uint32_t instruction) {
    const ValueFlow flow = code.values[instruction];
    const bool isJump = block.way == Way::Jump && instruction == block.instruction;
    isPure &= isJump || !(flow.hasEffects || flow.mixesLanes || flow.readsSchedule);
  });
  return isPure;
}

/// Adds the code blocks between a branch and its join. Returns false if one of them does more than compute, or leads
/// back.
bool Choices::addBlocks(uint32_t from, uint32_t join, std::vector<uint32_t> &blocks) const {
  constexpr size_t most = 64;
  std::vector<uint32_t> open;
  const auto visit = [&](uint32_t before, uint32_t next) {
    if (next == join || llvm::is_contained(blocks, next))
      return true;
    if (next <= before || next >= code.blocks.size() || blocks.size() == most || !onlyComputes(next))
      return false;
    blocks.push_back(next);
    open.push_back(next);
    return true;
  };
  for (const uint32_t next : nextOf(code, from))
    if (!visit(from, next))
      return false;
  while (!open.empty()) {
    const uint32_t at = open.back();
    open.pop_back();
    for (const uint32_t next : nextOf(code, at))
      if (next <= at || !visit(at, next))
        return false;
  }
  return true;
}

void Choices::addRegisters(Choice &choice) const {
  const auto add = [](std::vector<uint32_t> &list, uint32_t one) {
    if (!llvm::is_contained(list, one))
      list.push_back(one);
  };
  for (const uint32_t block : choice.blocks)
    eachInstruction(code.blocks[block], [&](uint32_t instruction) {
      const ValueFlow flow = code.values[instruction];
      for (const uint32_t one : flow.results)
        add(choice.results, one);
      for (const uint32_t one : flow.data)
        add(choice.operands, one);
      if (flow.guard != ValueFlows::none)
        add(choice.operands, flow.guard);
    });
}

std::optional<Choice> Choices::find(uint32_t at) const {
  const CodeBlock &block = code.blocks[at];
  Choice choice;
  if (block.way != Way::Jump || block.join == nowhere || !addBlocks(at, block.join, choice.blocks))
    return {};
  // No other block leads to these.
  for (uint32_t other = 0; other < code.blocks.size(); ++other) {
    if (other == at || llvm::is_contained(choice.blocks, other))
      continue;
    const CodeBlock &from = code.blocks[other];
    llvm::SmallVector<uint32_t, 4> next = nextOf(code, other);
    if (from.way == Way::Table && from.more)
      llvm::append_range(next, static_cast<const JumpTable *>(from.more)->targets);
    if (llvm::any_of(next, [&](uint32_t one) { return llvm::is_contained(choice.blocks, one); }))
      return {};
  }
  addRegisters(choice);
  return choice;
}

const Choice *Choices::at(uint32_t block) {
  const auto [found, isNew] = known.try_emplace(block);
  if (isNew && (found->second = find(block)))
    for (const uint32_t one : found->second->blocks)
      eachInstruction(code.blocks[one], [&](uint32_t instruction) {
        byInstruction[instruction].push_back(code.blocks[block].instruction);
      });
  return found->second ? &*found->second : nullptr;
}

llvm::ArrayRef<uint32_t> Choices::around(uint32_t instruction) const {
  const auto found = byInstruction.find(instruction);
  return found == byInstruction.end() ? llvm::ArrayRef<uint32_t>() : llvm::ArrayRef(found->second);
}

} // namespace ptxray::machine
