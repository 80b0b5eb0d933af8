// zero-divisor, shift-beyond-width, register-value, constant-condition: effects of operands with a known value.
#include "BodyRules/BodyRules.h"
#include "Flow/Values.h"

namespace ptxray {
namespace {

class ValueRules {
public:
  ValueRules(const Body &body, const BodyContext &context, Analyses &analyses, bool areConditionsWanted)
      : body(body), sink(context.sink), areConditionsWanted(areConditionsWanted), values(analyses.values()) {}
  void instruction(uint32_t number);

private:
  void divisor(uint32_t number);
  void shift(uint32_t number);
  void ranges(uint32_t number);
  void condition(uint32_t number);
  llvm::StringRef textOf(uint32_t number, uint32_t node) const {
    return body.operands(number)[node].kind == OperandKind::Name ? body.ast->text(body.operands(number)[node].name)
                                                                 : "0";
  }

  const Body &body;
  DiagnosticSink &sink;
  const bool areConditionsWanted;
  Values &values;
};

} // namespace

void ValueRules::divisor(uint32_t number) {
  const llvm::ArrayRef<Operand> nodes = body.operands(number);
  if (nodes.size() != 3 || values.numbersAt(number, 2) != Numbers::of(0))
    return;
  if (values.numbersAt(number, 1).isNumber()) // libgcc uses `1 / 0` to trap on purpose
    return;
  const Instruction &instruction = body.instruction(number);
  sink.report(DiagId::ZeroDivisor, nodes[2].range, body.ast->text(instruction.opcode), textOf(number, 2));
}

/// Reports a shift that removes all bits. A shifted signed number keeps its sign.
void ValueRules::shift(uint32_t number) {
  const Computation &computation = body.facts(number).computation;
  const llvm::ArrayRef<Operand> nodes = body.operands(number);
  if (nodes.size() != 3 || computation.resultKind == isa::TypeKind::Signed)
    return;
  const Numbers count = readAs(values.numbersAt(number, 2), isa::TypeKind::Unsigned, 32);
  if (count.isNumber() && count.low >= computation.resultBits)
    sink.report(DiagId::ShiftBeyondWidth, nodes[2].range, count.low, computation.resultBits);
}

/// Reports a register whose value would be rejected as a constant.
void ValueRules::ranges(uint32_t number) {
  for (const OperandRange &range : body.facts(number).ranges) {
    const Numbers value = values.numbersAt(number, range.node);
    if (!value.isNumber() || range.contains(value.low) || range.contains(value.low & UINT32_MAX) ||
        range.contains(static_cast<int32_t>(value.low)))
      continue;
    sink.report(DiagId::RegisterValue, body.operands(number)[range.node].range, textOf(number, range.node), value.low,
                range.text());
  }
}

static std::string boundsText(const Numbers &numbers) {
  if (numbers.isNumber())
    return std::to_string(numbers.low);
  return std::to_string(numbers.low) + " to " + std::to_string(numbers.high);
}

/// Reports a comparison that always has the same result, although not all its sources are constants.
void ValueRules::condition(uint32_t number) {
  const llvm::ArrayRef<Operand> nodes = body.operands(number);
  const Computation &computation = body.facts(number).computation;
  if (nodes.size() != 3 || nodes[0].kind != OperandKind::Name || body.guard(number) != LocalId::None)
    return;
  const Numbers sources[] = {values.numbersAt(number, 1), values.numbersAt(number, 2)};
  const Numbers outcome = numbersOf(computation, sources);
  if (!outcome.isNumber() || (sources[0].isNumber() && sources[1].isNumber()))
    return;
  const auto read = [&](unsigned i) {
    return boundsText(readAs(sources[i], computation.sourceKind, computation.sourceBits));
  };
  sink.report(DiagId::ConstantCondition, body.instruction(number).range, textOf(number, 0),
              outcome.low ? "true" : "false", "it compares " + read(0) + " with " + read(1));
}

void ValueRules::instruction(uint32_t number) {
  const Facts &facts = body.facts(number);
  if (!facts.ranges.empty())
    ranges(number);
  if (!facts.computation.isKnown)
    return;
  switch (facts.computation.operation) {
  case isa::Operation::Div:
  case isa::Operation::Rem: return divisor(number);
  case isa::Operation::Shl:
  case isa::Operation::Shr: return shift(number);
  case isa::Operation::Setp: return areConditionsWanted ? condition(number) : void();
  default: return;
  }
}

void checkValues(const Body &body, const BodyContext &context, Analyses &analyses) {
  ValueRules rules(body, context, analyses, isWanted(context.options, DiagId::ConstantCondition));
  for (const uint32_t number : body.numeric)
    rules.instruction(number);
}

} // namespace ptxray
