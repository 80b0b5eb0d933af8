// access-out-of-bounds, access-misaligned, guarded-argument, parameter-without-call, and state-space of kernel
// parameters: accesses to memory through the name of a variable.
#include "BodyRules/BodyRules.h"
#include "Isa/Words.h"
#include "Match/Wording.h"
#include "llvm/ADT/SmallSet.h"

namespace ptxray {
namespace {

/// Checks the accesses one after another, in source order.
class AccessRules {
public:
  AccessRules(const Body &body, const BodyContext &context)
      : body(body), sink(context.sink), isFragment(context.options.isFragment) {}
  void instruction(uint32_t number);

private:
  void access(const Operand &operand, LocalId local, const Access &one, uint32_t number);

  const Body &body;
  DiagnosticSink &sink;
  const bool isFragment;
  llvm::SmallSet<LocalId, 8> returned; // variables that a call has returned
};

} // namespace

void AccessRules::instruction(uint32_t number) {
  const Facts &facts = body.facts(number);
  constexpr uint8_t returns = Names | Writes;
  if ((facts.uses & returns) == returns)
    body.eachUse(number, [&](NamedUse use) {
      if ((use.uses & returns) == returns)
        returned.insert(use.local);
    });
  const Operand *nodes = body.operands(number).data();
  for (const Access &one : facts.accesses)
    if (one.isOfVariable())
      body.eachUse(number, [&](NamedUse use) {
        if (&use.operand == nodes + one.node)
          access(use.operand, use.local, one, number);
      });
}

void AccessRules::access(const Operand &operand, LocalId local, const Access &one, uint32_t number) {
  const Symbol *symbol = body.symbol(local);
  if (!symbol || symbol->kind != SymbolKind::Variable || operand.flags & AnyValue)
    return;
  const int64_t offset = operand.flags & HasOffset ? operand.value : 0;
  auto declaredHere = [&](Diagnostic &d) { d.notes.push_back({"declared here", symbol->nameRange}); };
  const llvm::StringRef name = body.text(local);
  const bool isGuarded = body.guard(number) != LocalId::None, isLoad = body.facts(number).hasResult;
  const bool isOfCall = symbol->depth > 0 && !symbol->isParameter && symbol->space == isa::words::param;
  if (isGuarded && isOfCall && !symbol->isReturn)
    declaredHere(sink.report(DiagId::GuardedArgument, operand.range, name));
  if (symbol->isParameter && body.function->kind == FunctionKind::Entry && one.space == isa::words::param_func)
    sink.report(DiagId::StateSpace, operand.range, name, isa::word(isa::words::param_entry).text(),
                quote(isa::word(isa::words::param_func).text()))
        .notes.push_back({releaseNote(1301), std::nullopt});
  const Extent &extent = symbol->extent;
  const bool isDynamicShared = !extent.bytes && symbol->space == isa::words::shared;
  if (extent.bytes && (offset < 0 || static_cast<uint64_t>(offset) + one.taken > extent.bytes))
    declaredHere(sink.report(DiagId::AccessOutOfBounds, operand.range, one.bytes, offset, name, extent.bytes));
  // Accepts dynamic shared memory, which the driver aligns regardless of the alignment of the open array.
  else if (offset % one.align || (extent.align % one.align && !isDynamicShared))
    declaredHere(sink.report(DiagId::AccessMisaligned, operand.range, one.bytes, offset, name, extent.align));
  // Requires that a variable for arguments has a value, which is the case only after a call has returned it.
  else if (isLoad && isOfCall && !symbol->isReturn && !isFragment && !returned.contains(local))
    declaredHere(sink.report(DiagId::CodegenParameter, operand.range, name));
}

void checkAccesses(const Body &body, const BodyContext &context) {
  AccessRules rules(body, context);
  for (const uint32_t number : body.notable)
    rules.instruction(number);
}

} // namespace ptxray
