#include "Flow/Dominators.h"
#include "Isa/Words.h"
#include "Machine/Lower.h"
#include "Machine/Provided.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray::machine {

using isa::FactKind;

static unsigned widthOf(const Symbol &symbol) { return symbol.isPredicate ? 1 : isa::word(symbol.type).bits; }

static uint64_t aligned(uint64_t at, uint64_t alignment) {
  return alignment ? (at + alignment - 1) / alignment * alignment : at;
}

// ---- names

LocalId BodyLowering::localAt(const Lowered &one, int node) const {
  const llvm::ArrayRef<LocalId> locals = body.namesOf(one.number);
  size_t index = 0;
  for (int i = 0; i < node; ++i)
    index += one.nodes[i].kind == OperandKind::Name;
  return node >= 0 && index < locals.size() && one.nodes[node].kind == OperandKind::Name ? locals[index]
                                                                                         : LocalId::None;
}

Place BodyLowering::registerOf(LocalId local) {
  const auto [found, isNew] = registers.try_emplace(static_cast<uint32_t>(local));
  if (isNew)
    found->second = code.file.add(widthOf(*body.symbol(local)));
  return found->second;
}

/// Which special register a name is, and how wide.
static std::pair<Special, unsigned> specialNamed(llvm::StringRef name) {
  using enum Special;
  const Special what = llvm::StringSwitch<Special>(name)
                           .Case("%tid", Tid)
                           .Case("%ntid", Ntid)
                           .Case("%ctaid", Ctaid)
                           .Case("%nctaid", Nctaid)
                           .Case("%laneid", LaneId)
                           .Case("%warpid", WarpId)
                           .Case("%nwarpid", WarpCount)
                           .Case("%smid", SmId)
                           .Case("%nsmid", SmCount)
                           .Case("%gridid", GridId)
                           .Case("%is_explicit_cluster", IsCluster)
                           .Case("%clusterid", ClusterId)
                           .Case("%cluster_ctaid", ClusterCtaid)
                           .Case("%nclusterid", ClusterCount)
                           .Case("%cluster_nctaid", ClusterNctaid)
                           .Case("%cluster_ctarank", ClusterRank)
                           .Case("%cluster_nctarank", ClusterSize)
                           .Case("%lanemask_eq", MaskEq)
                           .Case("%lanemask_le", MaskLe)
                           .Case("%lanemask_lt", MaskLt)
                           .Case("%lanemask_ge", MaskGe)
                           .Case("%lanemask_gt", MaskGt)
                           .Case("%total_smem_size", TotalShared)
                           .Case("%aggr_smem_size", TotalShared)
                           .Case("%dynamic_smem_size", DynamicShared)
                           .Default(Zero);
  const bool isWide =
      name.ends_with("64") || name == "%gridid" || name == "%globaltimer" || name == "%current_graph_exec";
  return {what, what == IsCluster ? 1 : isWide ? 64 : 32};
}

Place BodyLowering::special(LocalId local, SpellingId suffix) {
  const auto [found, isNew] = specials.try_emplace({body.nameOf(local), suffix});
  if (!isNew)
    return found->second;
  const auto [what, bits] = specialNamed(body.text(local));
  found->second = code.file.add(bits);
  const llvm::StringRef component = suffix == SpellingId::None ? llvm::StringRef(".x") : body.ast->text(suffix);
  code.specials.push_back({found->second, what,
                           static_cast<uint8_t>(llvm::StringSwitch<unsigned>(component)
                                                    .Cases(".x", ".r", 0)
                                                    .Cases(".y", ".g", 1)
                                                    .Cases(".z", ".b", 2)
                                                    .Default(3))});
  return found->second;
}

static Space spaceNamed(isa::WordId word) {
  switch (word) {
  case isa::words::global: return Space::Global;
  case isa::words::shared:
  case isa::words::shared_cta:
  case isa::words::shared_cluster: return Space::Shared;
  case isa::words::local: return Space::Local;
  case isa::words::const_: return Space::Const;
  case isa::words::param:
  case isa::words::param_entry: return Space::Param;
  case isa::words::param_func: return Space::Local;
  default: return Space::Generic;
  }
}

std::optional<BodyLowering::Variable> BodyLowering::variable(LocalId local) {
  const Symbol *symbol = body.symbol(local);
  if (!symbol || symbol->kind != SymbolKind::Variable)
    return {};
  const NameId name = body.nameOf(local);
  const std::pair key(body.locals[static_cast<uint32_t>(local)].symbol, name);
  const Space space = spaceNamed(symbol->space);
  if (space == Space::Shared) {
    const auto found = builder.shared.find(key);
    return found == builder.shared.end() ? std::nullopt
                                         : std::optional(Variable{space, found->second, symbol->extent.bytes});
  }
  if (symbol->depth == 0) {
    const auto found = builder.variables.find(static_cast<uint32_t>(name));
    if (found == builder.variables.end())
      return {};
    return Variable{found->second.space, found->second.address, found->second.bytes};
  }
  if (space == Space::Param && symbol->isParameter && body.function->kind == FunctionKind::Entry) {
    for (const ParameterPlace &one : builder.program.parameters)
      if (one.name == body.text(local))
        return Variable{Space::Param, one.offset, one.bytes};
    return {};
  }
  const auto [found, isNew] = inFrame.try_emplace(key);
  if (isNew) {
    found->second = aligned(code.frameBytes, symbol->extent.align);
    code.frameBytes = found->second + symbol->extent.bytes;
  }
  return Variable{Space::Local, found->second, symbol->extent.bytes};
}

/// The address of a variable, in its own space, as a value.
Place BodyLowering::addressOfVariable(LocalId local, int64_t offset, unsigned bits) {
  const std::optional<Variable> one = variable(local);
  if (!one)
    return code.file.constant(bits, 0);
  const uint64_t address = one->address + static_cast<uint64_t>(offset);
  if (one->space != Space::Local && one->space != Space::Shared)
    return code.file.constant(bits, address);
  const Place place = code.file.add(bits);
  (one->space == Space::Local ? code.frameAddresses : code.sharedAddresses).emplace_back(place, address);
  return place;
}

Place BodyLowering::placeOf(const Lowered &one, int node, unsigned bits) {
  if (node < 0)
    return {};
  const Operand &operand = one.nodes[node];
  if (operand.kind == OperandKind::Address)
    return placeOf(one, node + 1, bits);
  if (operand.kind == OperandKind::Integer || operand.kind == OperandKind::Float)
    return code.file.constant(bits, static_cast<uint64_t>(operand.value));
  const LocalId local = localAt(one, node);
  if (local == LocalId::None)
    return {};
  const Symbol *symbol = body.symbol(local);
  if (!symbol)
    return special(local, operand.suffix);
  if (symbol->kind == SymbolKind::Register)
    return registerOf(local);
  if (symbol->kind == SymbolKind::Variable)
    return addressOfVariable(local, operand.flags & HasOffset ? operand.value : 0, bits);
  if (symbol->kind == SymbolKind::Function)
    if (const auto found = builder.functionAddresses.find(body.nameOf(local)); found != builder.functionAddresses.end())
      return code.file.constant(bits, found->second);
  return code.file.constant(bits, 0);
}

Space BodyLowering::spaceOfAccess(const Lowered &one, int node) const {
  for (const Access &access : one.facts().accesses)
    if (access.node == node || access.node == node + 1)
      return access.isGeneric ? Space::Generic
             : access.space == isa::words::param && body.function->kind != FunctionKind::Entry
                 ? Space::Local
                 : spaceNamed(access.space);
  return Space::Generic;
}

AddressOf BodyLowering::addressAt(const Lowered &one, int node) {
  AddressOf result;
  result.space = spaceOfAccess(one, node);
  const int inner = one.nodes[node].kind == OperandKind::Address ? node + 1 : node;
  const Operand &operand = one.nodes[inner];
  if (operand.kind == OperandKind::Integer) {
    result.offset = operand.value;
    return result;
  }
  const LocalId local = localAt(one, inner);
  result.offset = operand.flags & HasOffset ? operand.value : 0;
  if (local != LocalId::None && body.isRegister(local)) {
    result.base = registerOf(local);
    return result;
  }
  const std::optional<Variable> known = variable(local);
  if (!known)
    return result;
  result.space = known->space;
  if (known->space == Space::Local || known->space == Space::Shared) {
    result.base = addressOfVariable(local, result.offset, known->space == Space::Local ? 64 : 32);
    result.offset = 0;
  } else
    result.offset += static_cast<int64_t>(known->address);
  return result;
}

// ---- instructions

void BodyLowering::refuse(const Lowered &one, std::string why) {
  Op op;
  op.run = [](char *, const Op &op, uint32_t mask, Warp &warp) {
    if (warp.fault)
      return;
    Fault &fault = warp.fault.emplace();
    fault.refusal = *static_cast<const std::string *>(op.more);
    fault.code = &warp.now.frame->code;
    fault.instruction = op.instruction;
    fault.lane = static_cast<unsigned>(__builtin_ctz(mask));
  };
  op.more = keep(std::move(why));
  emit(op);
  (void)one;
}

std::vector<Place> BodyLowering::placesByNode(const Lowered &one) {
  std::vector<Place> places(one.nodes.size());
  for (const RecipeOperand &operand : one.recipe.operands)
    for (const RecipeOperand::Register &known : operand.registers)
      if (known.node >= 0 && !known.isConstant && one.nodes[known.node].kind != OperandKind::Sink)
        places[known.node] = placeOf(one, known.node, std::max<unsigned>(operand.type.bits * operand.type.count, 1));
  return places;
}

/// Whether the access takes part in the order that threads agree on.
static bool isStrong(const Lowered &one) {
  return one.recipe.isOneByOne || llvm::any_of(one.verdict.opcode->words, [](const OpcodeWord &word) {
           return llvm::StringSwitch<bool>(isa::word(word.id).text)
               .Cases(".volatile", ".relaxed", ".acquire", ".release", ".acq_rel", ".mmio", true)
               .Default(false);
         });
}

MemoryAccess BodyLowering::memoryAccess(const Lowered &one, const MemoryUse &use, bool isWrite) {
  const int node = one.match().nodeOf[use.operand];
  MemoryAccess result;
  result.address = addressAt(one, node);
  result.bits = use.bits;
  result.bytes = static_cast<uint32_t>(use.bits / 8 * use.elements.size());
  result.alignment = result.bytes;
  for (const Access &access : one.facts().accesses)
    if ((access.node == node || access.node == node + 1) && access.align)
      result.alignment = access.align;
  result.isWrite = isWrite;
  result.isStrong = isStrong(one);
  result.elements.assign(use.elements.begin(), use.elements.end());
  return result;
}

void BodyLowering::access(const Lowered &one, const MemoryUse &use, bool isWrite) {
  Op op;
  op.run = isWrite ? storeElements : loadElements;
  op.more = keep(memoryAccess(one, use, isWrite));
  emit(op);
}

/// `[dst] = bytes([src], count, all)`.
bool BodyLowering::copiesBytes(Lowered &one) {
  if (one.recipe.results.size() != 1 || one.recipe.results[0].target != isa::FormulaTarget::Memory)
    return false;
  const RecipeResult &result = one.recipe.results[0];
  const RecipeStep &root = one.recipe.steps[result.step];
  if (root.op != isa::StepOp::Bytes)
    return false;
  MemoryCopy copy;
  copy.to = addressAt(one, one.match().nodeOf[result.operand]);
  copy.from = addressAt(one, one.match().nodeOf[one.recipe.steps[root.args[0]].operand]);
  const auto number = [&](uint16_t step) -> std::optional<int64_t> {
    const RecipeStep &known = one.recipe.steps[step];
    if (known.op == isa::StepOp::Constant || known.op == isa::StepOp::Number)
      return known.constant;
    if (known.op == isa::StepOp::Operand && one.recipe.operands[known.operand].registers[0].isConstant)
      return static_cast<int64_t>(one.recipe.operands[known.operand].registers[0].constant);
    return {};
  };
  if (const auto count = number(root.args[1]))
    copy.bytes = static_cast<uint32_t>(*count);
  else if (one.recipe.steps[root.args[1]].op == isa::StepOp::Operand)
    copy.count = placeOf(one, one.match().nodeOf[one.recipe.steps[root.args[1]].operand], 32);
  else
    return false;
  if (root.args.size() > 2) {
    const auto all = number(root.args[2]);
    if (!all)
      return false;
    if (!copy.count.bits)
      copy.count = code.file.constant(32, copy.bytes);
    copy.bytes = static_cast<uint32_t>(*all);
  }
  copy.alignment = copy.bytes && copy.bytes <= 16 ? copy.bytes : 16;
  Op op;
  op.run = copyBytes;
  op.more = keep(copy);
  emit(op);
  return true;
}

void BodyLowering::compute(Lowered &one) {
  if (!one.recipe.refusal.empty()) {
    if (!lowerNamed(one.recipe.refusal, one, *this))
      refuse(one, "`" + one.recipe.refusal + "`");
    return;
  }
  if (one.recipe.results.empty() || copiesBytes(one))
    return;
  Compiled compiled = compile(one.recipe, placesByNode(one), code.carry, code.file, code.kept);
  if (!compiled.refusal.empty())
    return refuse(one, compiled.refusal);
  if (compiled.isOneByOne) {
    AtomicAccess atomic;
    for (const MemoryUse &use : compiled.reads)
      atomic.reads.push_back(memoryAccess(one, use, false));
    for (const MemoryUse &use : compiled.writes)
      atomic.writes.push_back(memoryAccess(one, use, true));
    atomic.ops = std::move(compiled.ops);
    Op op;
    op.run = accessAtomically;
    op.more = keep(std::move(atomic));
    return emit(op);
  }
  for (const MemoryUse &use : compiled.reads)
    access(one, use, false);
  for (const Op &op : compiled.ops)
    emit(op);
  for (const MemoryUse &use : compiled.writes)
    access(one, use, true);
}

static void copyPredicate(char *registers, const Op &op, uint32_t, Warp &) {
  *lanesOf<uint32_t>(registers, op.d) = *lanesOf<uint32_t>(registers, op.a);
}

/// The operations since the first one are of the instruction: they compute in the lanes that its guard allows.
void BodyLowering::guardOps(const Lowered &one, size_t first) {
  const LocalId guard = body.guard(one.number);
  Place place;
  if (guard != LocalId::None) {
    place = registerOf(guard);
    if (code.ops.size() - first > 1 && llvm::is_contained(body.namesOf(one.number), guard)) {
      Op copy; // an operation may write the guard of those that follow
      copy.run = copyPredicate;
      copy.a = place.slot;
      place = code.file.temporary(1);
      copy.d = place.slot;
      code.ops.insert(code.ops.begin() + static_cast<long>(first), copy);
      code.ops[first].instruction = one.number;
      ++first;
    }
  }
  for (Op &op : llvm::MutableArrayRef(code.ops).drop_front(first)) {
    op.guard = place.slot;
    op.isNot = one.written.guardNot;
    op.instruction = one.number;
  }
}

/// Facts that say nothing of what the instruction does while the machine does everything at once and in order.
static bool isHandled(FactKind kind) {
  switch (kind) {
  case FactKind::Async:
  case FactKind::Expects:
  case FactKind::Completes:
  case FactKind::Inits:
  case FactKind::Invalidates:
  case FactKind::Allocates:
  case FactKind::Frees: return false;
  default: return true;
  }
}

void BodyLowering::instruction(uint32_t number) {
  const Verdict &verdict = *body.verdicts[number];
  const Instruction &written = body.instruction(number);
  Lowered one{number, written, verdict, body.ast->operandsOf(written.operands), {}, {}};
  ++code.blocks.back().instructions;
  const size_t first = code.ops.size();
  if (!verdict.match || !verdict.facts->known) {
    refuse(one, "this instruction");
    return guardOps(one, first);
  }
  one.shapes.assign(verdict.shapes.begin(), verdict.shapes.end());
  for (auto [shape, node] : llvm::zip(one.shapes, one.nodes))
    if (shape.kind == ShapeKind::Integer || shape.kind == ShapeKind::Float || node.flags & HasOffset)
      shape.value = node.value;
  one.recipe = recipeOf({*verdict.opcode, one.shapes, builder.module.state().availability}, *verdict.match);
  beTogether(one);
  const size_t begin = code.ops.size();
  if (control(one))
    return;
  const bool isCopy =
      llvm::any_of(one.recipe.steps, [](const RecipeStep &step) { return step.op == isa::StepOp::Bytes; });
  compute(one);
  for (const Action &action : one.facts().actions)
    if (!isHandled(action.kind) && !(action.kind == FactKind::Async && isCopy && action.node < 0)) {
      refuse(one, "the asynchronous operation");
      break;
    }
  guardOps(one, begin);
  code.file.endInstruction();
}

// ---- blocks of code and ways on

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
  if (converged && !among && one.action(FactKind::Syncs))
    return; // a barrier waits for each of them anyway
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
      if (action.node >= 0 || action.scope() != isa::Scope::Cta)
        break;
      barrier(one, action);
      return true;
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
  site.waits = action.kind == FactKind::Syncs;
  if (const int counted = one.node("c"); counted >= 0) {
    using Result = BarrierSite::Result;
    site.counted = placeOf(one, counted, 1);
    site.isNot = one.nodes[counted].flags & Not;
    const int count = one.node("d"), predicate = one.node("p");
    site.to = placeOf(one, count >= 0 ? count : predicate, count >= 0 ? 32 : 1);
    const bool areAll = llvm::any_of(one.verdict.opcode->words,
                                     [](const OpcodeWord &word) { return isa::word(word.id).text == ".and"; });
    site.result = count >= 0 ? Result::Count : areAll ? Result::All : Result::Any;
  }
  closeBlock(Way::Barrier, &one).more = keep(site);
  openBlock();
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
    if (symbol && symbol->kind == SymbolKind::Variable && symbol->space == isa::words::param) {
      const std::optional<Variable> known = variable(local);
      value.offset = known->address;
      value.bytes = known->bytes;
    } else {
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

/// The ways lead to blocks of code, and lanes that part meet where all ways do.
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
  const DominatorTree tree = postDominatorsOf(graph);
  for (const auto &[block, of] : parting) {
    const BlockId join = tree.parent[indexOf(of)];
    if (join == BlockId::None || indexOf(join) >= graph.size())
      continue;
    code.blocks[block].join = codeOf[indexOf(join)];
    code.blocks[codeOf[indexOf(join)]].isJoin = true;
  }
}

void BodyLowering::parameters() {
  const auto list = [&](Slice declarations, std::vector<Passed> &result) {
    for (uint32_t i = declarations.first; i < declarations.end(); ++i) {
      const Declaration &declared = body.ast->declarations[i];
      Passed value;
      for (uint32_t local = 1; local < body.locals.size(); ++local) {
        const Symbol *symbol = body.symbol(LocalId(local));
        if (body.locals[local].name != declared.name || !symbol || !(symbol->isParameter || symbol->isReturn))
          continue;
        if (symbol->kind == SymbolKind::Register) {
          value.place = registerOf(LocalId(local));
          value.bytes = std::max(1, value.place.bits / 8);
        } else if (const std::optional<Variable> known = variable(LocalId(local))) {
          value.offset = known->address;
          value.bytes = known->bytes;
        }
        break;
      }
      result.push_back(value);
    }
  };
  if (body.function->kind == FunctionKind::Entry)
    return;
  list(body.function->parameters, code.parameters);
  list(body.function->returns, code.results);
}

/// Nothing has come into the block of code since it was opened.
bool BodyLowering::isEmpty(const CodeBlock &block) const {
  return block.first == code.ops.size() && !block.instructions;
}

std::string BodyLowering::lower() {
  code.body = &body;
  code.carry = code.file.add(1);
  if (body.isBroken)
    return "a body with errors";
  if (isTangled(body))
    return "a body with too many branches by long lists";
  for (const PlacedLabel &label : body.labels)
    labels[static_cast<uint32_t>(label.local)] = label.before;
  parameters();
  graph = graphOf(body, builder.module.state());
  codeOf.resize(graph.size());
  for (uint32_t block = 0; block < graph.size(); ++block) {
    if (code.blocks.empty() || !isEmpty(code.blocks.back())) {
      if (!code.blocks.empty())
        closeBlock(Way::Next);
      openBlock();
    }
    codeOf[block] = static_cast<uint32_t>(code.blocks.size() - 1);
    for (uint32_t number = graph.blocks[block].first; number < graph.blocks[block].end; ++number)
      instruction(number);
  }
  if (!code.blocks.empty())
    closeBlock(Way::Next);
  openBlock();
  closeBlock(Way::Return); // control that comes to the end of the text returns
  connect();
  return "";
}

} // namespace ptxray::machine
