#include "Check/FragmentLints.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static void lintOperand(const LintedFragment &linted, const Fragment::Declared &operand, const OperandUse &use,
                        DiagnosticSink &sink) {
  const bool isForGcc = linted.statements.front()->style == TemplateStyle::Gcc;
  if (!operand.isReferenced && !operand.isOutput && isForGcc)
    sink.report(DiagId::UnusedOperand, operand.operand->place, operand.name);
  if (!operand.isDeclared)
    return;
  const Note given{"it is given as `" + operand.operand->constraint + "` here", operand.operand->place};
  if (use.isWritten && !operand.isOutput)
    sink.report(DiagId::InputOperandWritten, linted.module.placeOf(use.firstWrite), operand.name)
        .notes.push_back(given);
  if (!operand.isOutput || operand.isInput)
    return;
  // Triton requires a result, so an unused one may be intended.
  if (!use.isWritten && isForGcc)
    sink.report(DiagId::OutputNeverWritten, operand.operand->place, operand.name);
  else if (use.isReadFirst)
    sink.report(DiagId::OutputReadFirst, linted.module.placeOf(use.firstRead), operand.name).notes.push_back(given);
}

/// Checks one statement of a compiler that may remove, move or copy it.
static void lintStatement(const InlineStatement &statement, const LintedFragment &linted, DiagnosticSink &sink) {
  const JudgedFragment &judged = linted.judged;
  auto opcodeOf = [&](Range range) { return linted.module.text().slice(range.begin, range.end); };
  auto report = [&](IdTakingTexts<1> id, Range range) {
    sink.report(id, linted.module.placeOf(range), opcodeOf(range));
  };
  const bool hasMemory =
      llvm::any_of(statement.clobbers, [](const auto &clobber) { return clobber.first == "memory"; });
  if (judged.changesMemory && !hasMemory)
    report(DiagId::MissingMemoryClobber, *judged.changesMemory);
  const bool hasResult =
      llvm::any_of(statement.operands, [](const InlineOperand &operand) { return operand.isOutput; });
  if (judged.hasEffect && hasResult && !statement.isVolatile)
    report(DiagId::MissingVolatile, *judged.hasEffect);
  // A kernel is not inlined.
  if (statement.function && !statement.isKernel && !statement.text.text().contains("%="))
    for (const Range label : judged.labels)
      report(DiagId::SharedLabel, label);
}

void lint(const LintedFragment &linted, DiagnosticSink &sink) {
  if (linted.judged.below) {
    const auto &[target, refused] = *linted.judged.below;
    const MappedText text = linted.fragment.module(target.ptx, target.target, target.hasFloats);
    sink.report(DiagId::InlineRegisterType, text.placeOf(refused.range), refused.args[0], refused.message());
  }
  for (const auto &[operand, use] : llvm::zip(linted.fragment.operands(), linted.judged.uses))
    lintOperand(linted, operand, use, sink);
  const InlineStatement &first = *linted.statements.front();
  if (linted.statements.size() == 1 && first.style == TemplateStyle::Gcc)
    lintStatement(first, linted, sink);
}

} // namespace ptxray
