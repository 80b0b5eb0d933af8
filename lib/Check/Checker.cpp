#include "Check/Checker.h"
#include "Check/CheckStatements.h"
#include "Check/Reuse.h"
#include "Check/Session.h"
#include "Check/Suppressions.h"
#include "Inline/Readers.h"
#include "Isa/Isa.h"

namespace ptxray {

Checker::Checker(Expansions expansions) : expansions(expansions), session(std::make_unique<Session>()) {}
Checker::~Checker() = default;

FileReport Checker::check(FileReport report, Language language, const CheckOptions &options) {
  const SourceBuffer &source = *report.source;
  CheckedText checked = language == Language::Ptx
                            ? checkModule(source, options, *session)
                            : checkStatements(readSource(source, language, report.path, Headers::WhenNeeded,
                                                         {options.macros, options.folders}),
                                              options, *session, expansions);
  return filled(std::move(report), std::move(checked), options);
}

FileReport Checker::checkStatement(FileReport report, llvm::StringRef constraints, const CheckOptions &options) {
  CheckedText checked = checkStatements(readStatement(*report.source, constraints), options, *session, expansions);
  return filled(std::move(report), std::move(checked), options);
}

Rechecked Checker::recheck(FileReport report, const CheckOptions &options, const Reuse &plan) {
  RecheckedText checked = recheckModule(*report.source, options, *session, plan);
  return {filled(std::move(report), std::move(checked.text), options), std::move(checked.items)};
}

std::optional<InlineModule> Checker::moduleAt(uint32_t place, const FileReport &report, Language language,
                                              const CheckOptions &options) {
  return ptxray::moduleAt(place, readSource(*report.source, language, report.path), options, *session);
}

DiagnosticList findingsIn(const SourceBuffer &ptx, const CheckOptions &options) {
  Session session;
  return wantedOf(checkModule(ptx, options, session), ptx, options);
}

void compareTargets(FileReport &report, llvm::ArrayRef<std::string> named) {
  const int text = isa::findTarget(report.target);
  if (text < 0)
    return;
  const isa::Target &written = isa::targets()[text];
  for (const std::string &name : named) {
    const int header = isa::findTarget(name);
    if (header < 0)
      continue;
    const isa::Target &other = isa::targets()[header];
    if (other.number == written.number && other.variant == written.variant)
      continue;
    Diagnostic &disagrees = report.diagnostics.emplace_back();
    disagrees.id = DiagId::HeaderDisagrees;
    disagrees.severity = Severity::Warning;
    disagrees.args = {std::string(other.name()), std::string(written.name())};
    return;
  }
}

FileReport unreadable(FileReport report, const std::string &problem) {
  DiagnosticSink sink;
  sink.report(DiagId::UnreadableInput, {}, report.path, problem);
  report.source = nullptr;
  report.diagnostics = sink.take();
  return report;
}

} // namespace ptxray
