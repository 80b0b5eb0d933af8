#include "Editor/Actions.h"
#include "Diagnostics/RuleGroups.h"
#include "Editor/TextEdits.h"
#include "Module/Header.h"
#include "Source/Foreign.h"
#include "Targets/Requirements.h"
#include "Workspace/Fixes.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using llvm::StringRef;

static bool touches(Range one, Range other) { return one.begin <= other.end && other.begin <= one.end; }

/// Returns an action that inserts a comment above the line, with the same indent, that suppresses the diagnostic.
static CodeAction silence(const Document &document, const Diagnostic &d) {
  const StringRef text = document.text();
  const size_t lineBegin = text.take_front(d.range.begin).rfind('\n') + 1;
  const StringRef line = text.drop_front(lineBegin);
  const StringRef indent = line.take_while([](char c) { return c == ' ' || c == '\t'; });
  const auto at = static_cast<uint32_t>(lineBegin);
  CodeAction action;
  action.kind = CodeAction::Silence;
  action.title = "silence `" + d.ruleText() + "` here";
  action.edits.push_back({{at, at}, SharedText(indent.str() + "// ptxray: ignore " + d.ruleText() + "\n")});
  return action;
}

/// Returns whether a comment can suppress the diagnostic, which is not the case in text that could not be parsed.
static bool maySilence(const Document &document, const Diagnostic &d) {
  return document.isPtx() && d.id != DiagId::UnusedSuppression && d.range.size() != 0 && groupOf(d.id).name != "syntax";
}

static bool isGate(DiagId id) {
  return id == DiagId::RequiresPtx || id == DiagId::RequiresTarget || id == DiagId::RequiresTargetVariant;
}

/// Returns the lowest sufficient version, and the first sufficient target, starting with the current one.
static std::optional<std::pair<uint16_t, uint16_t>> leastHeader(const CellSet &passes, int present) {
  const auto targets = isa::targets();
  const unsigned number = present < 0 ? 0 : targets[present].number;
  std::optional<std::pair<uint16_t, uint16_t>> best;
  for (uint16_t i = 0; i < targets.size(); ++i) {
    const uint16_t version =
        targets[i].number >= number && targets[i].documented ? Requirements::leastVersion(passes, i) : uint16_t(0);
    auto order = [&](uint16_t index) { return std::tuple(targets[index].number, targets[index].variant); };
    if (version && (!best || order(i) < order(best->second)))
      best = {version, i};
    if (version && i == present)
      return std::pair(version, i);
  }
  return best;
}

/// Returns the headers with which all instructions pass, ignoring instructions that never pass.
static CellSet needsOf(const SourceBuffer &source) {
  CellSet common;
  common.set();
  const Requirements requirements(source);
  for (const Requirements::Demand &demand : requirements.demands())
    if (demand.passes.any())
      common &= demand.passes;
  return common;
}

/// Raises the version or target. Returns nothing if the module does not pass with any header, or if its header cannot
/// be parsed.
static std::optional<CodeAction> raise(Document &document) {
  DiagnosticSink sink;
  const SourceBuffer &source = document.source();
  Parser parser;
  const CheckOptions options; // options given in the source itself
  Header header(source, options, sink);
  parser.stream(source, sink, [&](const Ast &ast, Statement item) {
    if (item.kind == StatementKind::Directive)
      header.read(ast, ast.directives[item.index]);
  });
  const ModuleContext module = header.context();
  if (!module.version.size() || !module.targetName.size())
    return std::nullopt;
  const auto least = leastHeader(needsOf(source), module.target == anyTarget ? -1 : module.target);
  if (!least)
    return std::nullopt;
  const std::string version = isa::versionText(std::max(least->first, module.ptx));
  const std::string target(isa::targets()[least->second].name());
  CodeAction action;
  action.kind = CodeAction::Raise;
  action.title = "raise the header to the requirements of the module: PTX " + version + ", " + target;
  if (source.text(module.version) != version)
    action.edits.push_back({module.version, version});
  if (source.text(module.targetName) != target)
    action.edits.push_back({module.targetName, target});
  return action.edits.empty() ? std::nullopt : std::optional(std::move(action));
}

std::vector<CodeAction> actionsIn(Document &document, Range part) {
  std::vector<CodeAction> actions;
  bool anyGate = false;
  const DiagnosticList &all = document.checked().diagnostics;
  for (size_t i = 0; i < all.size(); ++i) {
    const Diagnostic &d = all[i];
    if (!touches(d.range, part))
      continue;
    if (d.fix)
      actions.push_back(
          {CodeAction::Fix, d.fix->title.str(), {d.fix->edits.begin(), d.fix->edits.end()}, i, d.fix->safe});
    if (maySilence(document, d)) {
      actions.push_back(silence(document, d));
      actions.back().diagnostic = i;
    }
    if (isGate(d.id) && document.isPtx() && !std::exchange(anyGate, true))
      if (std::optional<CodeAction> action = raise(document)) {
        action->diagnostic = i;
        actions.push_back(std::move(*action));
      }
  }
  return actions;
}

std::vector<Edit> fixAll(const Document &document) {
  if (document.language() == Language::Ptx && !isSurelyPtx(document.text()))
    return {};
  FileReport report;
  report.path = document.path().str();
  report.source = SourceBuffer::fromText(report.path, document.text());
  Checker checker;
  auto check = [&](FileReport one) { return checker.check(std::move(one), document.language(), document.options()); };
  report = check(std::move(report));
  fixReport(report, /*unsafe=*/false, check);
  return editsBetween(document.text(), report.source->text());
}

} // namespace ptxray
