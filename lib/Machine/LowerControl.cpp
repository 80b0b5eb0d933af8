// Lowers transfers of control between code blocks: branches, exits, calls and barriers.
#include "Flow/Dominators.h"
#include "Isa/Words.h"
#include "Machine/Lower.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::machine {

using isa::FactKind;

void BodyLowering::openBlock() {
  CodeBlock &block = code.blocks.emplace_back();
  block.first = block.end = static_cast<uint32_t>(code.ops.size());
}

CodeBlock &BodyLowering::closeBlock(Way way, const Lowered *one) {
  CodeBlock &block = code.blocks.back();
  block.end = static_cast<uint32_t>(code.ops.size());
  block.way = way;
  if (one) {
    block.instruction = one->number;
    if (const LocalId guard = body.guard(one->number); guard != LocalId::None && way != Way::Together) {
      block.guard = registerOf(guard).slot;
      block.isNot = one->written.guardNot;
    }
  }
  return block;
}

void BodyLowering::beTogether(const Lowered &one) {
  const Action *among = one.action(FactKind::Among), *converged = one.action(FactKind::Converged);
  if (!among && !converged)
    return;
  const uint32_t instructions = code.blocks.back().instructions;
  code.blocks.back().instructions = instructions - 1;
  CodeBlock &block = closeBlock(Way::Together, &one);
  if (among && among->node >= 0)
    block.more = keep(placeOf(one, among->node, 32));
  openBlock();
  code.blocks.back().instructions = 1;
}

bool BodyLowering::control(const Lowered &one) {
  for (const Action &action : one.facts().actions)
    switch (action.kind) {
    case FactKind::Branches: branch(one, action); return true;
    case FactKind::Ends:
      closeBlock(action.detail == static_cast<uint8_t>(isa::End::Function) ? Way::Return
                 : action.detail == static_cast<uint8_t>(isa::End::Thread) ? Way::Exit
                                                                           : Way::Trap,
                 &one);
      openBlock();
      return true;
    case FactKind::Calls: call(one, action); return true;
    case FactKind::Syncs:
    case FactKind::Arrives:
    case FactKind::Awaits:
      if (action.node >= 0 || (action.scope() != isa::Scope::Cta && action.scope() != isa::Scope::Cluster))
        break;
      barrier(one, action);
      return true;
    case FactKind::Waits: {
      // An operation of a warpgroup completes when all of its warps have executed the wait.
      const Action *converged = one.action(FactKind::Converged);
      if (!converged || converged->scope() != isa::Scope::Warpgroup)
        break;
      BarrierSite site;
      site.scope = isa::Scope::Warpgroup;
      closeBlock(Way::Barrier, &one).more = keep(site);
      openBlock();
      return true;
    }
    default: break;
    }
  return false;
}

void BodyLowering::branch(const Lowered &one, const Action &action) {
  const LocalId target = localAt(one, action.node);
  const auto block = static_cast<uint32_t>(code.blocks.size() - 1);
  if (const auto label = labels.find(static_cast<uint32_t>(target)); label != labels.end()) {
    closeBlock(Way::Jump, &one);
    unconnected.push_back({block, label->second, nullptr});
  } else {
    auto table = std::make_shared<JumpTable>();
    table->index = placeAt(one, "index", 32);
    closeBlock(Way::Table, &one).more = table.get();
    code.kept.push_back(table);
    unconnected.push_back({block, 0, table});
    for (const PlacedDirective &directive : body.directives)
      if (body.ast->directives[directive.index].label == body.nameOf(target))
        for (uint32_t i = directive.targets.first; i < directive.targets.end(); ++i)
          table->targets.push_back(labels.lookup(static_cast<uint32_t>(body.targets[i])));
  }
  parting.emplace_back(block, graph.blockOf(one.number));
  openBlock();
}

void BodyLowering::barrier(const Lowered &one, const Action &action) {
  BarrierSite site;
  site.number = action.which >= 0 ? placeOf(one, action.which, 32) : code.file.constant(32, 0);
  if (action.amount >= 0)
    site.threads = placeOf(one, action.amount, 32);
  site.waits = action.kind != FactKind::Arrives;
  site.scope = action.scope();
  const Action *converged = one.action(FactKind::Converged);
  site.isAligned = converged && converged->scope() == isa::Scope::Warp;
  site.isRelaxed = site.scope == isa::Scope::Cluster && !one.facts().has(FactKind::Releases);
  if (const int counted = one.node("c"); counted >= 0) {
    using Result = BarrierSite::Result;
    site.counted = placeOf(one, counted, 1);
    site.isNot = one.nodes[counted].flags & Not;
    const int count = one.node("d"), predicate = one.node("p");
    site.to = placeOf(one, count >= 0 ? count : predicate, count >= 0 ? 32 : 1);
    const bool areAll = llvm::any_of(one.verdict.opcode->words,
                                     [](const OpcodeWord &word) { return isa::word(word.id).text() == ".and"; });
    site.result = count >= 0 ? Result::Count : areAll ? Result::All : Result::Any;
  }
  closeBlock(Way::Barrier, &one).more = keep(site);
  openBlock();
}

/// Returns a register that is passed in a call.
Passed BodyLowering::passedRegister(LocalId local) {
  Passed value;
  value.place = registerOf(local);
  value.bytes = std::max(1, value.place.bits / 8);
  for (unsigned i = 1; isVector(local) && i < body.symbol(local)->shape.vector; ++i)
    value.parts.push_back(registerOf(local, i));
  return value;
}

std::vector<Passed> BodyLowering::passed(const Lowered &one, int list, llvm::ArrayRef<Formal> formals) {
  std::vector<Passed> result;
  if (list < 0)
    return result;
  const int end = list + static_cast<int>(one.nodes[list].extent);
  for (int node = list + 1; node < end; node += static_cast<int>(one.nodes[node].extent)) {
    Passed value;
    const LocalId local = localAt(one, node);
    const Symbol *symbol = local == LocalId::None ? nullptr : body.symbol(local);
    if (symbol && isVector(local) && one.nodes[node].suffix == SpellingId::None)
      value = passedRegister(local);
    else if (symbol && symbol->kind == SymbolKind::Variable && symbol->space == isa::words::param) {
      const std::optional<Variable> known = variable(local);
      value.offset = known->address;
      value.bytes = known->bytes;
    } else if (one.nodes[node].kind != OperandKind::Sink) {
      const unsigned bits =
          result.size() < formals.size() ? std::max<unsigned>(8, isa::word(formals[result.size()].type).bits) : 32;
      value.place = placeOf(one, node, bits);
      value.bytes = std::max(1, value.place.bits / 8);
    }
    result.push_back(value);
  }
  return result;
}

void BodyLowering::call(const Lowered &one, const Action &action) {
  CallSite site;
  const LocalId local = localAt(one, action.node);
  const Symbol *symbol = local == LocalId::None ? nullptr : body.symbol(local);
  llvm::ArrayRef<Formal> parameters, results;
  if (symbol && symbol->kind == SymbolKind::Function) {
    site.name = body.nameOf(local);
    const auto found = builder.program.byName.find(static_cast<uint32_t>(site.name));
    if (found != builder.program.byName.end())
      site.callee = found->second;
    else
      site.provided = body.text(local).str();
    builder.program.needsOrder |= !site.provided.empty();
    const auto &known = builder.module.state().functions;
    if (const auto signature = known.find(static_cast<uint32_t>(site.name)); signature != known.end()) {
      parameters = signature->second.parameters;
      results = signature->second.returns;
    }
  } else
    site.address = placeOf(one, action.node, 64);
  site.arguments = passed(one, one.node("param-list"), parameters);
  site.results = passed(one, one.node("ret-param"), results);
  closeBlock(Way::Call, &one).more = keep(std::move(site));
  openBlock();
  code.blocks.back().isJoin = true;
}

/// Finds the code blocks that lead to more than computations. Code after a return is unknown, and is treated as having
/// no effects.
static void findEffects(FunctionCode &code) {
  std::vector<CodeBlock> &blocks = code.blocks;
  const auto hasEffect = [&](const CodeBlock &block) {
    return (block.way > Way::Table && block.way != Way::Return && block.way != Way::Exit) ||
           llvm::any_of(llvm::ArrayRef(code.ops).slice(block.first, block.end - block.first),
                        [](const Op &op) { return !op.isComputation; });
  };
  const auto leads = [&](size_t at) {
    const CodeBlock &block = blocks[at];
    const bool isLast = at + 1 == blocks.size();
    const bool goesOn = !isLast && (block.way == Way::Next || block.guard);
    const bool toNext = goesOn && blocks[at + 1].leadsToEffects;
    if (block.way == Way::Table)
      return toNext || llvm::any_of(static_cast<const JumpTable *>(block.more)->targets,
                                    [&](uint32_t target) { return blocks[target].leadsToEffects; });
    return toNext || (block.way == Way::Jump && blocks[block.target].leadsToEffects);
  };
  for (CodeBlock &block : blocks)
    block.leadsToEffects = hasEffect(block);
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (size_t at = blocks.size(); at--;)
      if (!blocks[at].leadsToEffects && leads(at))
        isChanged = blocks[at].leadsToEffects = true;
  }
}

/// Connects the code blocks. Diverged lanes reconverge where all their paths join.
void BodyLowering::connect() {
  const auto end = static_cast<uint32_t>(code.blocks.size() - 1);
  const auto blockAt = [&](uint32_t instruction) {
    return instruction < body.size() ? codeOf[indexOf(graph.blockOf(instruction))] : end;
  };
  for (const Unconnected &one : unconnected) {
    if (one.table)
      for (uint32_t &target : one.table->targets)
        target = blockAt(target);
    else
      code.blocks[one.block].target = blockAt(one.instruction);
  }
  for (CodeBlock &block : code.blocks) {
    const auto ops = llvm::ArrayRef(code.ops).slice(block.first, block.end - block.first);
    block.isGuarded = llvm::any_of(ops, [](const Op &op) { return op.guard != noSlot; });
    block.isComputation =
        block.way <= Way::Jump && !block.isGuarded && llvm::all_of(ops, [](const Op &op) { return op.isComputation; });
  }
  findEffects(code);
  const DominatorTree tree = postDominatorsOf(graph);
  for (const auto &[block, of] : parting) {
    const BlockId join = tree.parent[indexOf(of)];
    if (join == BlockId::None || indexOf(join) >= graph.size())
      continue;
    code.blocks[block].join = codeOf[indexOf(join)];
    code.blocks[codeOf[indexOf(join)]].isJoin = true;
  }
  const auto leadsTo = [&](uint32_t side, uint32_t join) {
    const CodeBlock &block = code.blocks[side];
    return side == join || (block.isComputation && block.way <= Way::Jump && !block.isJoin && !block.guard &&
                            (block.way == Way::Next ? side + 1 : block.target) == join);
  };
  for (uint32_t at = 0; at < end; ++at) {
    CodeBlock &block = code.blocks[at];
    block.isFork = block.way == Way::Jump && block.join != nowhere && leadsTo(at + 1, block.join) &&
                   leadsTo(block.target, block.join);
  }
}

} // namespace ptxray::machine
