// Resolves the names of a body for the emulator: registers, special registers, variables and addresses.
#include "Isa/Words.h"
#include "Machine/Lower.h"
#include "Operate/Codes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace ptxray::machine {

static unsigned widthOf(const Symbol &symbol) { return symbol.isPredicate ? 1 : isa::word(symbol.type).bits; }

LocalId BodyLowering::localAt(const Lowered &one, int node) const {
  const llvm::ArrayRef<LocalId> locals = body.namesOf(one.number);
  size_t index = 0;
  for (int i = 0; i < node; ++i)
    index += one.nodes[i].kind == OperandKind::Name;
  return node >= 0 && index < locals.size() && one.nodes[node].kind == OperandKind::Name ? locals[index]
                                                                                         : LocalId::None;
}

/// Returns the index of a component: 1 for `.y`, 0 for none.
static unsigned componentNamed(llvm::StringRef suffix) {
  return llvm::StringSwitch<unsigned>(suffix)
      .Case(".y", 1)
      .Case(".g", 1)
      .Case(".z", 2)
      .Case(".b", 2)
      .Case(".w", 3)
      .Case(".a", 3)
      .Default(0);
}

Fidelity BodyLowering::fidelityOfReading(const Lowered &one) const {
  const auto isOfChip = [&](LocalId local) { return !body.symbol(local) && saysSomethingOfChip(body.text(local)); };
  return one.kind.fidelity == Fidelity::Exact && llvm::any_of(body.namesOf(one.number), isOfChip) ? Fidelity::Chip
                                                                                                  : one.kind.fidelity;
}

Place BodyLowering::registerOf(LocalId local, unsigned component) {
  const Symbol *symbol = body.symbol(local);
  if (!symbol) // `@%is_explicit_cluster`
    return special(local, component);
  const auto number = static_cast<uint32_t>(local);
  Place &place = component ? others[{number, component}] : registers[number];
  if (!place.bits)
    place = code.file.add(widthOf(*symbol));
  return place;
}

/// Returns the special register with this name, and its width.
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
                           .Case("%envreg1", WorkspaceHigh)
                           .Case("%envreg2", WorkspaceLow)
                           .Default(Zero);
  const bool isWide =
      name.ends_with("64") || name == "%gridid" || name == "%globaltimer" || name == "%current_graph_exec";
  return {what, what == IsCluster ? 1 : isWide ? 64 : 32};
}

/// Reads the clock: the number of instructions that the warp has executed, which never decreases.
static void readClock(char *registers, const Op &op, uint32_t /*mask*/, Warp &warp) {
  const uint64_t ticks = warp.laneInstructions + op.instruction;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (op.number == 64)
      lanesOf<uint64_t>(registers, op.d)[lane] = ticks;
    else
      lanesOf<uint32_t>(registers, op.d)[lane] = static_cast<uint32_t>(ticks);
}

/// Reads the clock again in each instruction.
Place BodyLowering::clock(unsigned bits) {
  const Place place = code.file.temporary(bits);
  Op op;
  op.run = readClock;
  op.d = place.slot;
  op.number = bits;
  emit(op);
  return place;
}

Place BodyLowering::special(LocalId local, unsigned component) {
  if (const llvm::StringRef name = body.text(local);
      (name.starts_with("%clock") || name.starts_with("%globaltimer")) && !name.ends_with("hi"))
    return clock(specialNamed(name).second);
  const auto [found, isNew] = specials.try_emplace({body.nameOf(local), component});
  if (!isNew)
    return found->second;
  const auto [what, bits] = specialNamed(body.text(local));
  found->second = code.file.add(bits);
  const bool differs = what == Special::Ctaid || what == Special::ClusterId;
  (differs ? code.ofBlocks : code.specials).push_back({found->second, what, static_cast<uint8_t>(component)});
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

/// Adds a guard zone before the next variable of the frame.
static void addGuard(FunctionCode &code) {
  if (code.guards.empty() || code.guards.back() + guardBytes != code.frameBytes) {
    code.guards.push_back(code.frameBytes);
    code.frameBytes += guardBytes;
  }
}

std::optional<BodyLowering::Variable> BodyLowering::variable(LocalId local) {
  const Symbol *symbol = body.symbol(local);
  if (!symbol || symbol->kind != SymbolKind::Variable)
    return {};
  const NameId name = body.nameOf(local);
  const uint32_t number = body.locals[static_cast<uint32_t>(local)].symbol;
  const std::pair key(number, name);
  const Space space = spaceNamed(symbol->space);
  if (space == Space::Shared) {
    const auto found = builder.shared.find(key);
    return found == builder.shared.end() ? std::nullopt
                                         : std::optional(Variable{space, found->second, symbol->extent.bytes});
  }
  if (symbol->depth == 0 || space == Space::Global || space == Space::Const) {
    const auto found = builder.variables.find({symbol->depth ? number : 0, name});
    if (found == builder.variables.end())
      return {};
    return Variable{found->second.space, found->second.address, found->second.bytes};
  }
  if (space == Space::Param && symbol->isParameter && body.function->kind == FunctionKind::Entry) {
    for (const NamedPlace &one : builder.program.parameters)
      if (one.name == body.text(local))
        return Variable{Space::Param, one.offset, one.bytes};
    return {};
  }
  const auto [found, isNew] = inFrame.try_emplace(key);
  if (isNew) {
    const bool isLocal = symbol->space == isa::words::local;
    if (isLocal && code.frameBytes)
      addGuard(code);
    found->second = llvm::alignTo(code.frameBytes, symbol->extent.align);
    code.frameBytes = found->second + symbol->extent.bytes;
    if (isLocal)
      addGuard(code);
  }
  return Variable{Space::Local, found->second, symbol->extent.bytes};
}

/// Returns the address of a variable, in its own space, as a value.
Place BodyLowering::addressOfVariable(LocalId local, int64_t offset, unsigned bits) {
  const std::optional<Variable> one = variable(local);
  if (!one) {
    refuse("`" + body.text(local).str() + "`, which has no memory in this module");
    return code.file.constant(bits, 0);
  }
  const uint64_t address = one->address + static_cast<uint64_t>(offset);
  if (one->space != Space::Local && one->space != Space::Shared)
    return code.file.constant(bits, address);
  const Place place = code.file.add(bits);
  (one->space == Space::Local ? code.frameAddresses : code.sharedAddresses).emplace_back(place, address);
  return place;
}

Place BodyLowering::registerAt(const Lowered &one, int node) {
  const LocalId local = localAt(one, node);
  const SpellingId suffix = one.nodes[node].suffix;
  const bool isPart = suffix != SpellingId::None && (!body.symbol(local) || isVector(local));
  return registerOf(local, isPart ? componentNamed(body.ast->text(suffix)) : 0);
}

/// Returns the offset in bytes of `+8`, or of `[2]`, which counts elements of a variable.
static int64_t offsetOf(const Operand &operand, const Symbol *symbol) {
  const bool countsElements = operand.flags & Subscript && symbol && symbol->kind == SymbolKind::Variable;
  return operand.flags & HasOffset ? operand.value * (countsElements ? isa::word(symbol->type).bits / 8 : 1) : 0;
}

/// Returns the value of `%r1 + 4`. ptxas adds with the width of the register.
Place BodyLowering::sumOf(Place place, int64_t number) {
  const Lane lane = place.bits == 16   ? Lane::U16
                    : place.bits == 32 ? Lane::U32
                    : place.bits == 64 ? Lane::U64
                                       : Lane::U128;
  const Place result = code.file.temporary(place.bits);
  Op op;
  op.run = handlerOf(Code::Add, lane, lane);
  op.d = op.whole = result.slot;
  op.a = place.slot;
  op.b = code.file.constant(place.bits, static_cast<uint64_t>(number)).slot;
  op.isComputation = true;
  emit(op);
  return result;
}

Place BodyLowering::placeOf(const Lowered &one, int node, unsigned bits) {
  if (node < 0)
    return {};
  if (one.nodes[node].kind == OperandKind::Address)
    ++node;
  const bool isInAddress = node > 0 && one.nodes[node - 1].kind == OperandKind::Address;
  const Operand &operand = one.nodes[node];
  if (operand.kind == OperandKind::Integer || operand.kind == OperandKind::Float)
    return code.file.constant(bits, static_cast<uint64_t>(operand.value));
  const LocalId local = localAt(one, node);
  if (local == LocalId::None)
    return {};
  const Symbol *symbol = body.symbol(local);
  if (!symbol || symbol->kind == SymbolKind::Register) {
    const Place place = registerAt(one, node);
    const bool isSum = operand.flags & HasOffset && !isInAddress;
    if (isSum && symbol && isa::word(symbol->type).typeKind == isa::TypeKind::Float)
      refuse("an offset of a float");
    return isSum ? sumOf(place, operand.value) : place;
  }
  if (symbol->kind == SymbolKind::Variable)
    return addressOfVariable(local, offsetOf(operand, symbol), bits);
  if (symbol->kind == SymbolKind::Function)
    if (const auto found = builder.functionAddresses.find(body.nameOf(local)); found != builder.functionAddresses.end())
      return code.file.constant(bits, found->second);
  return code.file.constant(bits, 0);
}

Place BodyLowering::partOf(const Lowered &one, int node, unsigned part) {
  const LocalId local = localAt(one, node);
  return local == LocalId::None ? Place() : registerOf(local, part);
}

Place BodyLowering::handleOf(const Lowered &one, int node) {
  constexpr unsigned bits = 64;
  const int inner = one.nodes[node].kind == OperandKind::Address ? node + 1 : node;
  const LocalId local = localAt(one, inner);
  const std::optional<Variable> known = local == LocalId::None ? std::nullopt : variable(local);
  if (!known || known->space != Space::Param)
    return placeOf(one, node, bits);
  MemoryAccess load;
  load.number = builder.program.accesses++;
  load.address.offset = static_cast<int64_t>(known->address);
  load.address.space = Space::Param;
  load.bytes = load.alignment = bits / 8;
  load.bits = bits;
  load.elements.push_back(code.file.temporary(bits));
  const Place place = load.elements[0];
  emit(loadElements, std::move(load));
  return place;
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
  result.offset = offsetOf(operand, body.symbol(local));
  if (local != LocalId::None && body.isRegister(local)) {
    result.base = registerAt(one, inner);
    return result;
  }
  const std::optional<Variable> known = variable(local);
  if (!known) {
    if (const Symbol *symbol = body.symbol(local); symbol && symbol->kind == SymbolKind::Variable)
      refuse("`" + body.text(local).str() + "`, which has no memory in this module");
    return result;
  }
  result.space = known->space;
  if (known->space == Space::Local || known->space == Space::Shared) {
    result.base = addressOfVariable(local, result.offset, known->space == Space::Local ? 64 : 32);
    result.offset = 0;
  } else
    result.offset += static_cast<int64_t>(known->address);
  return result;
}

} // namespace ptxray::machine
