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

/// Reports a statement that changes or orders memory without a memory clobber. LLVM never moves accesses across
/// statements with side effects, so in LLVM assembly only statements without side effects are reported.
static void lintClobber(const InlineStatement &statement, const LintedFragment &linted, DiagnosticSink &sink) {
  const JudgedFragment &judged = linted.judged;
  const bool hasMemory = llvm::any_of(statement.clobbers, [](const auto &clobber) {
    return clobber.first == "memory" || clobber.first == "~{memory}";
  });
  const auto &place = judged.ordersMemory    ? judged.ordersMemory
                      : judged.changesMemory ? judged.changesMemory
                                             : judged.signals;
  if (hasMemory || statement.changesMemory || !place)
    return;
  Diagnostic &diagnostic = sink.report(DiagId::MissingMemoryClobber, linted.module.placeOf(*place),
                                       linted.module.text().slice(place->begin, place->end),
                                       judged.ordersMemory    ? "orders"
                                       : judged.changesMemory ? "accesses"
                                                              : "counts accesses to");
  if (judged.ordersMemory && linted.isAmongAccesses && (statement.style == TemplateStyle::Gcc || !statement.isVolatile))
    diagnostic.severity = Severity::Warning;
  if (!statement.clobberText.empty())
    diagnostic.fix = Fix{"declare that the statement changes memory",
                         {{Range{statement.clobberPlace, statement.clobberPlace}, statement.clobberText}},
                         /*safe=*/false};
}

void lintComment(const InlineStatement &statement, DiagnosticSink &sink) {
  const llvm::StringRef text = statement.text.text();
  for (size_t begin = text.find("//"); begin != llvm::StringRef::npos;) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const auto *literal = llvm::upper_bound(statement.literalEnds, begin);
    if (literal != statement.literalEnds.end() && *literal < end && text.slice(*literal, end).contains(';')) {
      const Range comment{static_cast<uint32_t>(begin), *literal};
      sink.report(DiagId::EndlessComment, statement.text.placeOf(comment))
          .notes.push_back({"these instructions are part of the comment",
                            statement.text.placeOf(Range{*literal, static_cast<uint32_t>(end)})});
    }
    begin = text.find("//", end);
  }
}

/// Checks one statement of a compiler that may remove, move or copy statements.
static void lintStatement(const InlineStatement &statement, const LintedFragment &linted, DiagnosticSink &sink) {
  const JudgedFragment &judged = linted.judged;
  auto opcodeOf = [&](Range range) { return linted.module.text().slice(range.begin, range.end); };
  auto report = [&](IdTakingTexts<1> id, Range range) {
    sink.report(id, linted.module.placeOf(range), opcodeOf(range));
  };
  lintComment(statement, sink);
  const bool hasResult =
      llvm::any_of(statement.operands, [](const InlineOperand &operand) { return operand.isOutput; });
  if (judged.hasEffect && hasResult && !statement.isVolatile)
    report(DiagId::MissingVolatile, *judged.hasEffect);
  // Kernels are not inlined.
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
  if (linted.statements.size() == 1)
    lintClobber(first, linted, sink);
  if (linted.statements.size() == 1 && first.style == TemplateStyle::Gcc)
    lintStatement(first, linted, sink);
}

} // namespace ptxray
