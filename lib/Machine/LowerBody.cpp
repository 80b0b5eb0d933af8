#include "Flow/Dominators.h"
#include "Isa/Words.h"
#include "Machine/Async.h"
#include "Machine/Flight.h"
#include "Machine/Provided.h"
#include "Operate/Codes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray::machine {

using isa::FactKind;

void BodyLowering::refuse(std::string why) {
  emit(
      [](char *, const Op &op, uint32_t mask, Warp &warp) {
        if (Fault *fault = raise(warp, op.instruction, static_cast<unsigned>(__builtin_ctz(mask))))
          fault->refusal = *static_cast<const std::string *>(op.more);
      },
      std::move(why));
}

/// Returns the registers by node of the instruction, except components of vectors that are used as a whole.
PlaceList BodyLowering::placesByNode(const Lowered &one) {
  PlaceList places(one.nodes.size());
  for (const RecipeOperand &operand : one.recipe.operands)
    for (const RecipeOperand::Register &known : operand.registers)
      if (known.node >= 0 && !known.isConstant && !known.part && one.nodes[known.node].kind != OperandKind::Sink)
        places[known.node] = placeOf(one, known.node, std::max<unsigned>(operand.type.bits * operand.type.count, 1));
  return places;
}

/// Returns the registers by node of the instruction. Appends nodes for components of vectors, also in the recipe.
PlaceList BodyLowering::placesWithParts(const Lowered &one, Recipe &recipe) {
  PlaceList places = placesByNode(one);
  for (RecipeOperand &operand : recipe.operands)
    for (RecipeOperand::Register &known : operand.registers)
      if (known.part && one.nodes[known.node].kind != OperandKind::Sink) {
        places.push_back(partOf(one, known.node, known.part));
        known.node = static_cast<int16_t>(places.size() - 1);
        known.part = 0;
      }
  return places;
}

/// Returns whether the stored value is computed from the old contents of the memory.
static bool combinesMemory(const Recipe &recipe) {
  llvm::SmallVector<uint16_t, 8> open;
  for (const RecipeResult &result : recipe.results)
    if (result.target == isa::FormulaTarget::Memory)
      open.push_back(result.step);
  while (!open.empty()) {
    const RecipeStep &step = recipe.steps[open.pop_back_val()];
    if (step.op == isa::StepOp::Memory)
      return true;
    llvm::append_range(open, step.args);
  }
  return false;
}

MemoryAccess BodyLowering::memoryAccess(const Lowered &one, const MemoryUse &use, bool isWrite) {
  const int node = one.match().nodeOf[use.operand];
  MemoryAccess result;
  result.number = builder.program.accesses++;
  result.address = addressAt(one, node);
  result.bits = use.bits;
  result.bytes = static_cast<uint32_t>(use.bits / 8 * use.elements.size());
  result.alignment = result.bytes;
  for (const Access &access : one.facts().accesses)
    if ((access.node == node || access.node == node + 1) && access.align)
      result.alignment = access.align;
  result.isWrite = isWrite;
  result.isStrong = one.facts().has(FactKind::Strong) || one.kind.reduction;
  result.isUpdate =
      llvm::any_of(one.facts().accesses, [](const Access &access) { return access.kind == isa::Access::Updates; });
  result.isCombined = result.isUpdate && combinesMemory(one.recipe);
  result.acquires = one.facts().has(FactKind::Acquires);
  result.releases = one.facts().has(FactKind::Releases);
  result.isOfBlock = one.kind.isOfBlock;
  result.elements.assign(use.elements.begin(), use.elements.end());
  const Space space = result.address.space;
  const bool isShared = space == Space::Shared,
             hasSpace = isShared || space == Space::Global || space == Space::Generic;
  const bool areWhole = llvm::all_of(result.elements, [&](Place place) {
    return place.bits == use.bits && (place.bits == 16 || place.bits == 32 || place.bits == 64);
  });
  result.isUsual = !result.isStrong && hasSpace && result.address.base.bits == (isShared ? 32 : 64) && areWhole;
  for (const Place &place : result.elements)
    result.named |= filterOf(place.slot);
  return result;
}

/// Returns the register that contains a kernel parameter. All threads have the same value, so the register is set
/// before they start. Returns no register if the parameter must be loaded.
Place BodyLowering::givenNumber(const MemoryAccess &load) {
  const AddressOf &address = load.address;
  const auto offset = static_cast<uint64_t>(address.offset);
  const bool isNumber = load.elements.size() == 1 && load.bits == load.elements[0].bits && load.bits >= 32 &&
                        load.bits <= 64 && address.offset % load.alignment == 0;
  if (address.space != Space::Param || address.base.bits || !isNumber || body.function->kind != FunctionKind::Entry ||
      offset > builder.program.parameterBytes || load.bytes > builder.program.parameterBytes - offset)
    return {};
  const auto isIt = [&](const auto &known) { return known.second == offset && known.first.bits == load.bits; };
  if (const auto known = llvm::find_if(code.givenNumbers, isIt); known != code.givenNumbers.end())
    return known->first;
  return code.givenNumbers.emplace_back(code.file.add(load.bits), offset).first;
}

void BodyLowering::access(const Lowered &one, const MemoryUse &use, bool isWrite) {
  const MemoryAccess access = memoryAccess(one, use, isWrite);
  if (const Place given = isWrite ? Place() : givenNumber(access); given.bits) {
    Op copy;
    copy.run = handlerOf(Code::Copy, given.bits == 32 ? Lane::U32 : Lane::U64, Lane::U32);
    copy.d = access.elements[0].slot;
    copy.a = given.slot;
    copy.whole = copy.d;
    copy.keeps = given.bits == 32 ? 2 : 3;
    return emit(copy);
  }
  const LoweringOptions &how = builder.how;
  if (!access.isUsual || how.partsAccesses || (how.isObserved && !how.observedAccess))
    return emit(isWrite ? storeElements : loadElements, access);
  emit(how.isObserved ? how.observedAccess(access) : quickHandlerOf(access), access);
}

/// Lowers `[dst] = bytes([src], count, all)`. Returns whether the formula has this form.
bool BodyLowering::copiesBytes(const Lowered &one) {
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
  emit(copyBytes, copy);
  return true;
}

/// Returns whether the operation adds 1 to a 32-bit number.
static bool isIncrement(const Lowered &one) {
  const std::optional<Reduction> &reduction = one.kind.reduction;
  const int amount = one.node("b");
  return reduction && reduction->how == Reduction::How::Add && !reduction->type.isFloat() &&
         reduction->type.bits == 32 && amount >= 0 && one.nodes[amount].kind == OperandKind::Integer &&
         one.nodes[amount].value == 1;
}

/// Creates the payload of an operation that executes lane by lane.
AtomicAccess BodyLowering::atomicOf(const Lowered &one, const Compiled &compiled) {
  AtomicAccess atomic;
  for (const MemoryUse &use : compiled.reads)
    atomic.reads.push_back(memoryAccess(one, use, false));
  for (const MemoryUse &use : compiled.writes)
    atomic.writes.push_back(memoryAccess(one, use, true));
  atomic.ops.assign(compiled.ops.begin(), compiled.ops.end());
  atomic.isIncrement = isIncrement(one);
  return atomic;
}

Compiled BodyLowering::compiledOf(const Lowered &one, llvm::ArrayRef<Place> places) {
  return one.kind.hasVectors ? compile(one.recipe, places, code.carry, code.file, code.kept)
                             : one.kind.compiled(places, code.carry, code.file, code.kept);
}

void BodyLowering::compute(const Lowered &one) {
  if (!one.recipe.refusal.empty()) {
    if (!lowerNamed(one.recipe.refusal, one, *this))
      refuse("`" + one.recipe.refusal + "`");
    return;
  }
  if (one.recipe.move.function) {
    if (!lowerNamed("matrices", one, *this))
      lowerMove(one, *this);
    return;
  }
  if (one.recipe.results.empty() || copiesBytes(one))
    return;
  if (!one.kind.hasVectors)
    return computeFormulas(one, placesByNode(one));
  Recipe recipe = one.recipe;
  const PlaceList places = placesWithParts(one, recipe);
  computeFormulas({one.number, one.written, one.verdict, one.nodes, one.kind, recipe}, places);
}

void BodyLowering::computeFormulas(const Lowered &one, llvm::ArrayRef<Place> places) {
  const Compiled compiled = compiledOf(one, places);
  if (!compiled.refusal.empty())
    return refuse(compiled.refusal);
  if (builder.how.checksNumbers)
    checkDivisors(one);
  const Place areFinite = builder.how.checksNumbers ? noteFiniteSources(one) : Place();
  if (compiled.isOneByOne) {
    AtomicAccess atomic = atomicOf(one, compiled);
    if (!atomic.writes.empty() && atomic.writes[0].address.space == Space::Generic)
      // `.f32` additions flush subnormal numbers only in global memory.
      if (const Recipe *global = builder.kinds.inGlobal(one.kind, one.verdict, one.nodes))
        atomic.inGlobal.push_back(atomicOf(one, compile(*global, places, code.carry, code.file, code.kept)));
    return emit(accessAtomically, std::move(atomic));
  }
  for (const MemoryUse &use : compiled.reads)
    access(one, use, false);
  for (Op op : compiled.ops) {
    op.isComputation = true;
    emit(op);
  }
  for (const MemoryUse &use : compiled.writes)
    access(one, use, true);
  if (areFinite.bits)
    checkFiniteResults(one, areFinite);
}

static void copyPredicate(char *registers, const Op &op, uint32_t, Warp &) {
  *lanesOf<uint32_t>(registers, op.d) = *lanesOf<uint32_t>(registers, op.a);
}

/// Applies the guard of an instruction to the operations from index `first`.
void BodyLowering::guardOps(uint32_t number, size_t first) {
  const LocalId guard = body.guard(number);
  Place place;
  if (guard != LocalId::None) {
    place = registerOf(guard);
    if (code.ops.size() - first > 1 && llvm::is_contained(body.namesOf(number), guard)) {
      Op copy; // a copy, because an operation may write the guard of the following ones
      copy.run = copyPredicate;
      copy.a = place.slot;
      place = code.file.temporary(1);
      copy.d = place.slot;
      code.ops.insert(code.ops.begin() + static_cast<long>(first), copy);
      code.ops[first].instruction = number;
      ++first;
    }
  }
  for (Op &op : llvm::MutableArrayRef(code.ops).drop_front(first)) {
    op.guard = place.slot;
    op.isNot = body.instruction(number).guardNot;
    op.instruction = number;
  }
}

/// Returns whether the result of the instruction may depend on the order of blocks.
static bool ordersBlocks(const Lowered &one) {
  const auto isOutside = [](const Access &access) {
    const isa::WordId space = isa::wholeSpace(access.space);
    return space != isa::words::shared && space != isa::words::local;
  };
  return llvm::any_of(one.facts().accesses, isOutside) && (one.facts().has(FactKind::Strong) || one.kind.reduction);
}

void BodyLowering::instruction(uint32_t number) {
  const Verdict &verdict = *body.verdicts[number];
  const Instruction &written = body.instruction(number);
  ++code.blocks.back().instructions;
  const size_t first = code.ops.size();
  const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(written.operands);
  const bool isIndexed =
      llvm::any_of(nodes, [](const Operand &node) { return node.flags & Subscript && node.extent > 1; });
  if (!verdict.match || !verdict.facts->known || isIndexed) {
    refuse(isIndexed ? "a register as a subscript" : "this instruction");
    return guardOps(number, first);
  }
  InstructionKind &kind = builder.kinds.of(verdict, nodes);
  const Lowered one{number, written, verdict, nodes, kind, kind.recipe};
  builder.program.needsOrder |= ordersBlocks(one);
  code.fidelity[number] = fidelityOfReading(one);
  beTogether(one);
  noteFlow(one);
  if (code.blocks.back().instructions == 1)
    code.blocks.back().firstInstruction = number;
  const size_t begin = code.ops.size();
  lowerTouch(one, body, held, *this);
  lowerGroups(one, *this);
  guardOps(number, begin);
  if (control(one))
    return noteValues(one, begin, /*isControl=*/true);
  const size_t start = code.ops.size();
  checkLanes(one);
  compute(one);
  if (std::string why = lowerFacts(one, *this); !why.empty())
    refuse(std::move(why));
  lowerStart(one, start, code, *this);
  noteValues(one, start, /*isControl=*/false);
  guardOps(number, start);
  code.file.endInstruction();
  if (builder.how.partsAccesses && !one.facts().accesses.empty()) {
    closeBlock(Way::Next);
    openBlock();
  }
}

void BodyLowering::parameters() {
  const auto list = [&](Slice declarations, std::vector<Passed> &result) {
    for (uint32_t i = declarations.first; i < declarations.end(); ++i) {
      const Declaration &declared = body.ast->declarations[i];
      Passed &value = result.emplace_back(); // empty if the body does not use the parameter
      for (uint32_t local = 1; local < body.locals.size(); ++local) {
        const Symbol *symbol = body.symbol(LocalId(local));
        if (body.locals[local].name != declared.name || !symbol || !(symbol->isParameter || symbol->isReturn))
          continue;
        if (symbol->kind == SymbolKind::Register)
          value = passedRegister(LocalId(local));
        else if (const std::optional<Variable> known = variable(LocalId(local))) {
          value.offset = known->address;
          value.bytes = known->bytes;
        }
        break;
      }
    }
  };
  if (body.function->kind == FunctionKind::Entry)
    return;
  list(body.function->parameters, code.parameters);
  list(body.function->returns, code.results);
}

/// Returns whether the code block is empty since it was opened.
bool BodyLowering::isEmpty(const CodeBlock &block) const {
  return block.first == code.ops.size() && !block.instructions;
}

void BodyLowering::nameRegisters() {
  auto other = others.begin();
  for (uint32_t local = 0; local < registers.size(); ++local) {
    if (registers[local].bits)
      code.named.emplace_back(LocalId(local), registers[local]);
    for (; other != others.end() && other->first.first == local; ++other)
      code.named.emplace_back(LocalId(local), other->second);
  }
}

std::string BodyLowering::lower() {
  code.body = &body;
  code.carry = code.file.add(1);
  if (body.isBroken)
    return "a body with errors";
  if (isTangled(body))
    return "a function body with too many branches through long lists";
  for (const PlacedLabel &label : body.labels)
    labels[static_cast<uint32_t>(label.local)] = label.before;
  registers.resize(body.locals.size());
  code.fidelity.resize(body.size());
  code.flows = RegisterFlows(body.size());
  code.values.begin(builder.how.followsValues ? body.size() : 0);
  code.ops.reserve(body.size());
  parameters();
  held = heldLocals(body);
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
  closeBlock(Way::Return); // the end of the source returns
  connect();
  noteReadFirst();
  nameRegisters();
  return "";
}

} // namespace ptxray::machine
