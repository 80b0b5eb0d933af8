#include "Flow/Addresses.h"
#include "Isa/Words.h"
#include "Match/Opcode.h"

namespace ptxray {

/// Returns the origin of a step's result. Sums and differences of two addresses are not addresses.
AddressOrigin AddressOrigins::originOf(const Step &step, const Inputs &inputs, uint32_t number) const {
  if (step.isGuarded || step.isBroadcast())
    return {};
  const isa::Operation operation = step.computation->operation;
  if (operation == isa::Operation::ToGeneric)
    return {AddressOrigin::Generic, 0, number};
  if (operation == isa::Operation::FromGeneric) {
    for (const OpcodeWord &word : body.verdicts[number]->opcode->words)
      if (isa::word(word.id).wordClass == isa::WordClass::Space)
        return {AddressOrigin::OfSpace, word.id, number};
    return {};
  }
  if (operation != isa::Operation::Mov && operation != isa::Operation::Add && operation != isa::Operation::Sub)
    return {};
  AddressOrigin found;
  for (unsigned i = 0; i < step.count; ++i) {
    if (!inputs[i] || inputs[i]->origin.kind == AddressOrigin::Unknown)
      continue;
    if (found.kind != AddressOrigin::Unknown || (i && operation == isa::Operation::Sub))
      return {};
    found = inputs[i]->origin;
  }
  if (found.kind != AddressOrigin::Unknown && found.made == ~0u)
    found.made = number;
  return found;
}

/// Returns whether the result of an operation is an address in the same variable as its source.
static bool staysInside(isa::Operation operation) {
  using enum isa::Operation;
  constexpr auto bit = [](isa::Operation one) { return uint32_t(1) << static_cast<unsigned>(one); };
  constexpr uint32_t inside = bit(Mov) | bit(Cvt) | bit(ToGeneric) | bit(FromGeneric) | bit(Add) | bit(Sub) | bit(Mad) |
                              bit(And) | bit(Or) | bit(Xor) | bit(Selp) | bit(Mapa);
  return inside & bit(operation);
}

static Root eitherOf(const Root &a, const Root &b) {
  Root root = {a.variable, a.areSeveral || b.areSeveral, a.isRemote || b.isRemote};
  if (root.variable == LocalId::None)
    root.variable = b.variable;
  root.areSeveral |= b.variable != LocalId::None && b.variable != root.variable;
  if (root.areSeveral)
    root.variable = LocalId::None;
  return root;
}

Root AddressOrigins::rootOf(const Step &step, const Inputs &inputs) {
  Root root;
  if (!staysInside(step.computation->operation))
    return root;
  root.isRemote = step.computation->operation == isa::Operation::Mapa;
  for (unsigned i = 0; i < step.count; ++i)
    if (inputs[i] && inputs[i]->root != Root())
      root = eitherOf(root, inputs[i]->root);
  return root;
}

Anchor AddressOrigins::anchorOf(const Step &step, const Inputs &inputs, uint32_t number) {
  const Sum sum = sumOf(step);
  if (sum.source == LocalId::None || sum.index != LocalId::None)
    return {};
  const Symbol *symbol = body.symbol(sum.source);
  const bool isVariable = symbol && symbol->kind == SymbolKind::Variable;
  const Address *source = nullptr;
  for (unsigned i = 0; i < step.count; ++i)
    if (step.list[i].local == sum.source)
      source = inputs[i];
  if (isVariable || !source || source->anchor.local == LocalId::None)
    return {sum.source, sum.added, isVariable, !sum.isCut};
  const Anchor &further = source->anchor;
  const bool isSettled = !sum.isCut && further.isSettled && analyses.precedes(definitions.only(sum.source), number);
  return {further.local, further.offset + sum.added, further.isVariable, isSettled};
}

/// Returns whether the analysis handles the arithmetic: it keeps an address in its variable, or broadcasts the value of
/// one lane.
static bool isFollowed(const Facts &facts) {
  return facts.computation.isKnown ? staysInside(facts.computation.operation) : facts.has(FactKind::Copies);
}

Address AddressOrigins::written(uint32_t number, LocalId local) {
  const Step step = isFollowed(body.facts(number)) ? stepOf(body, number) : Step();
  if (step.result != local || !step.isKnown())
    return unknown(local);
  Inputs inputs{};
  for (unsigned i = 0; i < step.count; ++i) {
    const Source &source = step.list[i];
    if (source.kind != Source::Name || !body.symbol(source.local))
      continue;
    inputs[i] = &known(source.local);
    if (inputs[i]->isUnset)
      return {};
  }
  return {false, originOf(step, inputs, number), rootOf(step, inputs), anchorOf(step, inputs, number)};
}

bool AddressOrigins::isLeaf(LocalId local) const {
  const uint32_t only = definitions.only(local);
  return only != Definitions::none && !isFollowed(body.facts(only));
}

bool AddressOrigins::addSources(LocalId local, llvm::SmallVectorImpl<LocalId> &sources) {
  if (body.isRegister(local))
    definitions.eachWriter(local, [&](uint32_t number) {
      if (isFollowed(body.facts(number)))
        addComputedWith(body, number, sources);
    });
  return false;
}

Address AddressOrigins::transfer(LocalId local) {
  const Symbol *symbol = body.symbol(local);
  Address address = unknown(local);
  if (symbol && symbol->kind == SymbolKind::Variable) {
    address.origin = {AddressOrigin::OfSpace, symbol->space};
    address.root.variable = local;
    return address;
  }
  if (!body.isRegister(local) || !definitions.isWritten(local))
    return address;
  if (const uint32_t only = definitions.only(local); only != Definitions::none)
    return written(only, local);
  Address any;
  definitions.eachWriter(local, [&](uint32_t number) { any = join(any, written(number, local)); });
  any.origin = {};
  any.anchor = {};
  return any;
}

Address AddressOrigins::join(const Address &a, const Address &b) {
  if (a.isUnset || b.isUnset)
    return a.isUnset ? b : a;
  return {false, a.origin == b.origin ? a.origin : AddressOrigin(), eitherOf(a.root, b.root),
          a.anchor == b.anchor ? a.anchor : Anchor()};
}

Address AddressOrigins::unknown(LocalId) {
  Address address;
  address.isUnset = false;
  return address;
}

Anchor AddressOrigins::anchorAt(LocalId local, uint32_t instruction) {
  const Anchor anchor = of(local).anchor;
  const Symbol *symbol = anchor.local == LocalId::None ? nullptr : body.symbol(anchor.local);
  if (!symbol || !anchor.isSettled || !analyses.precedes(definitions.only(local), instruction))
    return {local, 0, false, true};
  return anchor;
}

} // namespace ptxray
