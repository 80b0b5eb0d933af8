// access-out-of-bounds, access-misaligned, impossible-alignment, other-space: accesses to memory through registers.
#include "BodyRules/AddressRanges.h"
#include "BodyRules/BodyRules.h"
#include "Flow/Addresses.h"
#include "Isa/Isa.h"

namespace ptxray {
namespace {

class AddressRules {
public:
  AddressRules(const Body &body, const BodyContext &context, Analyses &analyses)
      : body(body), sink(context.sink), analyses(analyses), addresses(analyses.addresses()), ranges(body, analyses) {}
  void instruction(uint32_t number);

private:
  void access(const Operand &operand, LocalId local, const Access &one, uint32_t number);
  void space(const Operand &operand, LocalId local, const Access &one);
  void bounds(const Operand &operand, const Misplaced &place, const Access &one);
  void alignment(const Operand &operand, const Anchor &anchor, const Access &one, uint32_t number);

  /// The access with the greatest alignment for a base so far.
  struct Strictest {
    uint32_t number, align, bytes;
    int64_t offset;
    Range range;
  };

  const Body &body;
  DiagnosticSink &sink;
  Analyses &analyses;
  AddressOrigins &addresses;
  AddressRanges ranges;
  llvm::SmallDenseMap<LocalId, Strictest, 8> strictest;
};

} // namespace

/// Returns the kind of addresses in a space. If there is no space, addresses are generic.
static isa::Addresses addressesOf(isa::WordId space) {
  return space ? isa::word(space).addresses : isa::Addresses::Generic;
}

/// Reports an address of one space that is used in another, where it refers to a different location or is invalid.
void AddressRules::space(const Operand &operand, LocalId local, const Access &one) {
  const AddressOrigin origin = addresses.of(local).origin;
  if (origin.kind == AddressOrigin::Unknown || (!one.isGeneric && (!one.space || one.space == origin.space)))
    return;
  const isa::WordId wanted = one.isGeneric ? 0 : isa::wholeSpace(one.space);
  const isa::WordId found = origin.kind == AddressOrigin::Generic ? 0 : isa::wholeSpace(origin.space);
  const isa::Addresses here = addressesOf(wanted), there = addressesOf(found);
  const bool areKnown = here != isa::Addresses::Unknown && there != isa::Addresses::Unknown;
  if (wanted == found || !areKnown || (here == isa::Addresses::Generic && there == isa::Addresses::Generic))
    return;
  const auto text = [](isa::WordId space) { return space ? isa::word(space).text() : isa::Text("generic"); };
  sink.report(DiagId::OtherSpace, operand.range, body.text(local), text(found), text(wanted))
      .notes.push_back({"the address is made here", body.instruction(origin.made).range});
}

void AddressRules::bounds(const Operand &operand, const Misplaced &place, const Access &one) {
  const Symbol &symbol = *body.symbol(place.variable);
  const llvm::StringRef name = body.text(place.variable);
  Diagnostic &diagnostic =
      place.isOutside
          ? sink.report(DiagId::AccessOutOfBounds, operand.range, one.bytes, place.offset, name, symbol.extent.bytes)
          : sink.report(DiagId::AccessMisaligned, operand.range, one.bytes, place.offset, name, symbol.extent.align);
  if (!place.when.empty())
    diagnostic.notes.push_back({place.when, std::nullopt});
  diagnostic.notes.push_back({"declared here", symbol.nameRange});
}

/// Reports two accesses through one register that cannot both be aligned. Every path to the second one must pass the
/// first.
void AddressRules::alignment(const Operand &operand, const Anchor &anchor, const Access &one, uint32_t number) {
  if (one.align < 2 ||
      (body.symbol(anchor.local)->kind == SymbolKind::Register && body.definitions.isWritten(anchor.local) &&
       body.definitions.only(anchor.local) == Definitions::none))
    return;
  const Strictest seen = {number, one.align, one.bytes, anchor.offset, operand.range};
  auto [known, isNew] = strictest.try_emplace(anchor.local, seen);
  if (isNew)
    return;
  const Strictest before = known->second;
  const uint32_t both = std::min<uint32_t>(before.align, one.align);
  const bool isUnguarded = body.guard(before.number) == LocalId::None;
  const bool haveOneGuard = body.guard(before.number) == body.guard(number) &&
                            body.instruction(before.number).guardNot == body.instruction(number).guardNot;
  const bool isCertain = (isUnguarded || haveOneGuard) && analyses.precedes(before.number, number);
  if (isCertain && (anchor.offset - before.offset) % both)
    sink.report(DiagId::ImpossibleAlignment, operand.range, one.bytes, before.bytes)
        .notes.push_back(
            {"of the same address, " + std::to_string(anchor.offset - before.offset) + " bytes away", before.range});
  else if (one.align > before.align || !isCertain)
    known->second = seen;
}

void AddressRules::access(const Operand &operand, LocalId local, const Access &one, uint32_t number) {
  const Symbol *symbol = body.symbol(local);
  if (!symbol || symbol->kind != SymbolKind::Register || !one.bytes || one.kind == isa::Access::Names)
    return;
  space(operand, local, one);
  const Root root = addresses.of(local).root;
  const bool leadsToVariable = root.variable != LocalId::None || root.areSeveral;
  if (leadsToVariable)
    if (const std::optional<Misplaced> place = ranges.misplaced(operand, local, one, number))
      return bounds(operand, *place, one);
  Anchor anchor = addresses.anchorAt(local, number);
  anchor.offset += operand.flags & HasOffset ? operand.value : 0;
  if (!anchor.isVariable)
    alignment(operand, anchor, one, number);
}

void AddressRules::instruction(uint32_t number) {
  for (const Access &one : body.facts(number).accesses) {
    if (!one.bytes || one.isVariable)
      continue;
    const Source source = sourceAt(body, number, one.node);
    const llvm::ArrayRef<Operand> nodes = body.operands(number);
    if (source.kind == Source::Name)
      access(nodes[one.node + (nodes[one.node].kind == OperandKind::Address)], source.local, one, number);
  }
}

void checkAddresses(const Body &body, const BodyContext &context, Analyses &analyses) {
  AddressRules rules(body, context, analyses);
  for (const uint32_t number : body.accessing)
    rules.instruction(number);
}

} // namespace ptxray
