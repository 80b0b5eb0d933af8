// Determines the values of names: registers, special registers, addresses of variables, and parameters. Also models
// memory accesses.
#include "Isa/Words.h"
#include "Prove/Walk.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::prove {

using isa::FactKind;

static unsigned widthOf(const Symbol &symbol) {
  return symbol.isPredicate ? 1 : std::max<unsigned>(isa::word(symbol.type).bits, 1);
}

LocalId Walk::localAt(uint32_t number, int node) const {
  const llvm::ArrayRef<Operand> nodes = body.operands(number);
  if (node < 0 || nodes[node].kind != OperandKind::Name)
    return LocalId::None;
  size_t index = 0;
  for (int i = 0; i < node; ++i)
    index += nodes[i].kind == OperandKind::Name;
  return index < body.namesOf(number).size() ? body.namesOf(number)[index] : LocalId::None;
}

/// Returns the address of a variable, in its own space.
Term Walk::variableAddress(LocalId local) {
  const Symbol *symbol = body.symbol(local);
  const bool isShared = isa::wholeSpace(symbol->space) == isa::words::shared;
  // All arrays of dynamic shared memory begin at the same address.
  const auto name = isShared && !symbol->extent.bytes ? ~0u : static_cast<uint32_t>(body.nameOf(local));
  const auto [found, isNew] = addresses.try_emplace(name, Term::None);
  if (!isNew)
    return found->second;
  const bool isLocal = symbol->space == isa::words::local || symbol->space == isa::words::param;
  const unsigned width = isShared ? 32 : 64;
  found->second = terms.variable({body.text(local).str(),
                                  static_cast<uint16_t>(width),
                                  isLocal ? Sharing::Thread : Sharing::Grid,
                                  0,
                                  maskOf(width),
                                  {}});
  if (!isLocal) {
    Buffer buffer{found->second, body.text(local).str()};
    buffer.isShared = isShared;
    buffer.bytes = symbol->extent.bytes;
    if (isShared && !buffer.bytes)
      buffer.bytes = model.shape.shared.value_or(0);
    model.buffers.push_back(std::move(buffer));
  }
  return found->second;
}

static unsigned componentOf(llvm::StringRef suffix) {
  return suffix == ".x" ? 0 : suffix == ".y" ? 1 : suffix == ".z" ? 2 : 3;
}

/// Returns the value of a special register. Unknown values have the scope in the tables.
Term Walk::special(LocalId local, llvm::StringRef suffix, uint32_t number) {
  const isa::SpecialRegister *known = body.special(local);
  const llvm::StringRef name = body.text(local);
  const unsigned component = componentOf(suffix);
  if (component < 3) {
    if (name == "%tid")
      return model.thread[component];
    if (name == "%ntid")
      return terms.constant(32, model.shape.block[component]);
    if (name == "%ctaid")
      return model.block[component];
    if (name == "%nctaid")
      return model.grid[component];
  }
  if (name == "%laneid") {
    const auto &block = model.shape.block;
    const Term row = terms.add(model.thread[1], terms.multiply(model.thread[2], terms.constant(32, block[1])));
    const Term linear = terms.add(model.thread[0], terms.multiply(row, terms.constant(32, block[0])));
    return terms.bitAnd(linear, terms.constant(32, 31));
  }
  if (name == "%dynamic_smem_size" && model.shape.shared)
    return terms.constant(32, *model.shape.shared);
  const bool isClock = name.starts_with("%clock") || name.starts_with("%globaltimer") || name.starts_with("%pm");
  const unsigned width = known ? std::max<unsigned>(isa::word(known->type).bits, 1) : 32;
  const Sharing sharing = !known                             ? Sharing::Thread
                          : known->scope == isa::Scope::Grid ? Sharing::Grid
                          : known->scope == isa::Scope::Cta  ? Sharing::Block
                                                             : Sharing::Thread;
  if (isClock)
    return fresh(name.str(), width, Sharing::Thread, current);
  const auto [found, isNew] = specials.try_emplace({static_cast<uint32_t>(body.nameOf(local)), component}, Term::None);
  if (isNew)
    found->second =
        terms.variable({name.str() + suffix.str(), static_cast<uint16_t>(width), sharing, 0, maskOf(width), {}});
  (void)number;
  return found->second;
}

Term Walk::valueAt(uint32_t number, int node, unsigned part, unsigned bits) {
  const llvm::ArrayRef<Operand> nodes = body.operands(number);
  if (nodes[node].kind == OperandKind::Address)
    ++node;
  const Operand &operand = nodes[node];
  if (operand.kind == OperandKind::Integer || operand.kind == OperandKind::Float)
    return terms.constant(bits, static_cast<Number>(static_cast<__int128>(operand.value)));
  const LocalId local = localAt(number, node);
  if (local == LocalId::None || part)
    return fresh("unknown", bits, Sharing::Thread, current);
  const Symbol *symbol = body.symbol(local);
  const llvm::StringRef suffix = operand.suffix == SpellingId::None ? "" : body.ast->text(operand.suffix);
  const auto offset = static_cast<Number>(static_cast<__int128>(operand.flags & HasOffset ? operand.value : 0));
  if (!symbol && body.special(local))
    return special(local, suffix, number);
  if (symbol && symbol->kind == SymbolKind::Variable && !(operand.flags & Subscript)) {
    const Term address = terms.resized(variableAddress(local), bits, false);
    return terms.add(address, terms.constant(bits, offset));
  }
  if (!symbol || symbol->kind != SymbolKind::Register || !suffix.empty())
    return fresh("unknown", bits, Sharing::Thread, current);
  Term &value = registers[static_cast<uint32_t>(local)];
  if (value == Term::None)
    value = fresh(body.text(local).str(), widthOf(*symbol), Sharing::Thread, current);
  return offset ? terms.add(value, terms.constant(terms.width(value), offset)) : value;
}

void Walk::assign(uint32_t number, int node, Term bits, bool isSigned, Term predicate) {
  const LocalId local = localAt(number, node);
  const Symbol *symbol = local == LocalId::None ? nullptr : body.symbol(local);
  if (!symbol || symbol->kind != SymbolKind::Register)
    return;
  Term &to = registers[static_cast<uint32_t>(local)];
  const Term value = terms.resized(bits, widthOf(*symbol), isSigned);
  to = to == Term::None ? value : terms.choice(predicate, value, to);
}

/// Makes a parameter the address of a buffer.
void Walk::addBuffer(Term parameter) {
  if (llvm::any_of(model.buffers, [&](const Buffer &one) { return one.base == parameter; }))
    return;
  Buffer buffer{parameter, terms.variableOf(parameter).name};
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (kernel.parameters[i].name == buffer.name)
      buffer.parameter = static_cast<int>(i);
  model.buffers.push_back(std::move(buffer));
}

/// Returns the only variable or parameter to which an address is relative: one that was converted as an address,
/// otherwise the only 64-bit parameter.
Term Walk::baseOf(Term address) {
  const Node node = terms[address];
  const auto isBase = [&](Term term) {
    return llvm::any_of(model.buffers, [&](const Buffer &one) { return one.base == term; });
  };
  const auto isParameter = [&](Term term) {
    return llvm::any_of(model.parameters, [&](const Parameter &one) { return one.variable == term && one.bytes == 8; });
  };
  if (isBase(address))
    return address;
  llvm::SmallVector<Term, 4> bases, parameters;
  if (isParameter(address))
    parameters.push_back(address);
  if (node.op == Op::Sum)
    for (size_t i = 0; i < node.args.size(); ++i)
      if (node.factors[i] == 1 || isBase(node.args[i])) {
        if (isBase(node.args[i]))
          bases.append(node.factors[i] == 1 ? 1 : 2, node.args[i]);
        else if (isParameter(node.args[i]))
          parameters.push_back(node.args[i]);
      }
  if (bases.empty() && parameters.size() == 1) {
    addBuffer(parameters[0]);
    return parameters[0];
  }
  return bases.size() == 1 ? bases[0] : Term::None;
}

Term Walk::addressAt(uint32_t number, const Access &access, Memory &memory) {
  const llvm::ArrayRef<Operand> nodes = body.operands(number);
  const int node = nodes[access.node].kind == OperandKind::Address ? access.node + 1 : access.node;
  const isa::WordId space = isa::wholeSpace(access.space);
  const bool isShared = !access.isGeneric && space == isa::words::shared;
  memory = access.isGeneric || !space    ? Memory::Global
           : isShared                    ? Memory::Shared
           : space == isa::words::global ? Memory::Global
           : space == isa::words::local  ? Memory::Local
                                         : Memory::Other;
  Term address = valueAt(number, node, 0, isShared ? 32 : 64);
  address = terms.resized(address, isShared ? 32 : 64, false);
  return address;
}

Term Walk::parameterAt(uint64_t offset, unsigned bits) {
  const auto [found, isNew] = parameters.try_emplace({static_cast<uint32_t>(offset), bits}, Term::None);
  if (!isNew)
    return found->second;
  uint64_t begin = 0;
  Variable variable{"param+" + std::to_string(offset), static_cast<uint16_t>(bits), Sharing::Grid, 0, maskOf(bits), {}};
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto &one = kernel.parameters[i];
    begin = (begin + one.alignment - 1) / one.alignment * one.alignment;
    if (begin == offset && one.bytes * 8 == bits) {
      variable.name = one.name;
      if (const auto range = ranges.find(static_cast<int>(i));
          range != ranges.end() && range->second.low >= 0 && range->second.high >= 0) {
        const auto low = static_cast<Number>(range->second.low), high = static_cast<Number>(range->second.high);
        if (low <= std::min(variable.high, high)) { // otherwise, the assumptions contradict each other
          variable.low = low;
          variable.high = std::min(variable.high, high);
        }
      }
      found->second = terms.variable(variable);
    }
    begin += one.bytes;
  }
  if (found->second == Term::None)
    found->second = terms.variable(variable);
  model.parameters.push_back({static_cast<uint32_t>(offset), bits / 8, found->second});
  return found->second;
}

/// Adds the elements that an instruction loads.
void Walk::loaded(uint32_t number, const Access &access, const Recipe &recipe, uint32_t index, FormulaInput &input) {
  const ModelAccess *const made = index < model.accesses.size() ? &model.accesses[index] : nullptr;
  for (const MemoryRead &read : memoryReads(recipe)) {
    for (unsigned i = 0; i < read.elements; ++i) {
      const isa::WordId space = isa::wholeSpace(access.space);
      if (space == isa::words::param && !access.isGeneric) {
        const llvm::ArrayRef<Operand> nodes = body.operands(number);
        const int node = nodes[access.node].kind == OperandKind::Address ? access.node + 1 : access.node;
        const LocalId local = localAt(number, node);
        std::optional<uint64_t> at;
        uint64_t begin = 0;
        for (const auto &one : kernel.parameters) {
          begin = (begin + one.alignment - 1) / one.alignment * one.alignment;
          if (local != LocalId::None && body.text(local) == one.name)
            at = begin + (nodes[node].flags & HasOffset ? static_cast<uint64_t>(nodes[node].value) : 0);
          begin += one.bytes;
        }
        const bool isKnown = at && !(nodes[node].flags & Subscript);
        input.loaded.push_back(isKnown ? parameterAt(*at + i * read.bits / 8, read.bits)
                                       : fresh("parameter", read.bits, Sharing::Thread, current));
        continue;
      }
      const Term variable = fresh("loaded", read.bits, Sharing::Thread, current);
      input.loaded.push_back(variable);
      if (made && !made->isAtomic && !made->isStrong && made->memory != Memory::Local)
        loads.push_back({index, variable, i, made->address});
    }
  }
}

void Walk::access(uint32_t number, const Access &access, Term guard, const Recipe &recipe, FormulaInput &input) {
  if (!access.reads() && !access.writes())
    return;
  ModelAccess made;
  made.instruction = number;
  made.segment = segment;
  made.guard = guard;
  const isa::WordId space = isa::wholeSpace(access.space);
  const bool isParameter = space == isa::words::param && !access.isGeneric;
  uint32_t index = ~0u;
  if (!isParameter) {
    made.address = addressAt(number, access, made.memory);
    made.bytes = access.bytes;
    made.isRead = access.reads();
    made.isWrite = access.writes();
    made.isAtomic = made.isRead && made.isWrite;
    made.isStrong = body.facts(number).has(FactKind::Strong);
    made.isOfBlock = body.verdicts[number]->opcode->has(isa::words::cta);
    if (access.space == isa::words::shared_cluster)
      obstacle(number, "shared memory of another block");
    if (!made.bytes || access.isDescribed)
      obstacle(number, "an access whose size is not known");
    index = static_cast<uint32_t>(model.accesses.size());
    model.accesses.push_back(made);
  }
  if (access.reads())
    loaded(number, access, recipe, index, input);
}

/// Splits an access whose address is one of two into two accesses.
void Walk::splitChoices() {
  constexpr size_t most = 400;
  for (size_t i = 0; i < model.accesses.size() && model.accesses.size() < most; ++i) {
    const Term address = model.accesses[i].address;
    if (baseOf(address) != Term::None || model.accesses[i].memory == Memory::Local)
      continue;
    const Node node = terms[address];
    Term chosen = node.op == Op::Choice ? address : Term::None;
    for (size_t part = 0; node.op == Op::Sum && part < node.args.size(); ++part)
      if (terms[node.args[part]].op == Op::Choice && node.factors[part] == 1)
        chosen = node.args[part];
    if (chosen == Term::None)
      continue;
    const Node choice = terms[chosen];
    ModelAccess other = model.accesses[i];
    model.accesses[i].isSplit = other.isSplit = true;
    const Term rest = terms.subtract(address, chosen), guard = other.guard;
    model.accesses[i].address = terms.add(rest, choice.args[1]);
    model.accesses[i].guard = terms.both(guard, choice.args[0]);
    other.address = terms.add(rest, choice.args[2]);
    other.guard = terms.both(guard, terms.no(choice.args[0]));
    model.accesses.push_back(std::move(other));
    --i; // contains possibly another choice
  }
}

/// Determines the base of each address, after loops are solved.
void Walk::findBases() {
  splitChoices();
  for (ModelAccess &access : model.accesses) {
    access.base = baseOf(access.address);
    if (access.base != Term::None || access.memory != Memory::Global || window == Term::None)
      continue;
    const Term low = terms.extract(terms.subtract(access.address, window), 0, 32);
    if (const Term shared = baseOf(low); shared != Term::None) {
      access.memory = Memory::Shared;
      access.base = shared;
      access.address = low;
    }
  }
}

} // namespace ptxray::prove
