// Writes the JSON format, which docs/diagnostics.schema.json describes.
#include "Diagnostics/Manual.h"
#include "Render/Render.h"
#include "Source/JsonValue.h"
#include "Source/Origin.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static std::string str(llvm::StringRef text) { return text.str(); }

static Json place(const SourceBuffer *source, uint32_t offset) {
  const LineColumn at = source ? source->lineColumn(offset) : LineColumn{};
  return {{"line", at.line}, {"column", at.column}, {"offset", offset}};
}

static Json range(const SourceBuffer *source, Range range) {
  return {{"start", place(source, range.begin)}, {"end", place(source, range.end)}};
}

static Json diagnostic(const Diagnostic &d, const SourceBuffer *source, const OriginTable *origins) {
  Json out = {{"rule", str(info(d.id).id)}, {"severity", str(severityName(d.severity))},
              {"message", d.message()},     {"range", range(source, d.range)},
              {"args", Json::object()},     {"notes", Json::array()}};
  for (const auto &[argument, arg] : llvm::zip(argumentsOf(d.id), d.args)) {
    int64_t number = 0;
    const bool isNumber = argument.isNumber && !llvm::StringRef(arg).getAsInteger(10, number);
    out["args"][str(argument.name)] = isNumber ? Json(number) : Json(arg);
  }
  if (d.kind != Kind::None)
    out["args"]["kind"] = str(kindText(d.kind));
  for (const Note &note : d.notes) {
    Json entry = {{"message", note.message.str()}};
    if (note.range)
      entry["range"] = range(source, *note.range);
    out["notes"].push_back(std::move(entry));
  }
  if (d.fix) {
    Json edits = Json::array();
    for (const Edit &edit : d.fix->edits)
      edits.push_back({{"offset", edit.range.begin}, {"length", edit.range.size()}, {"text", edit.text.str()}});
    out["fix"] = {{"title", d.fix->title.str()}, {"safe", d.fix->safe}, {"edits", std::move(edits)}};
  }
  if (std::optional<Origin> origin = origins ? origins->at(d.range.begin) : std::nullopt)
    out["origin"] = {{"path", origin->path}, {"line", origin->line}};
  if (!d.spec.manual.empty())
    out["manual"] = str(d.spec.manual);
  if (const ManualSection *section = findManualSection(d.spec.manual))
    out["manualLink"] = {{"title", str(section->title)}, {"url", section->url()}, {"version", str(manualVersion)}};
  if (!d.spec.file.empty())
    out["spec"] = str(d.spec.file) + ":" + std::to_string(d.spec.line);
  return out;
}

static Json resources(const FunctionResources &function) {
  Json out = {{"name", function.name},
              {"entry", function.isEntry},
              {"arch", function.arch},
              {"registers", function.registers},
              {"barriers", function.barriers},
              {"stackBytes", function.stackBytes},
              {"spillStoreBytes", function.spillStoreBytes},
              {"spillLoadBytes", function.spillLoadBytes},
              {"sharedBytes", function.sharedBytes},
              {"localBytes", function.localBytes},
              {"constantBytes", Json::object()}};
  for (const auto &[bank, bytes] : function.constantBytes)
    out["constantBytes"][bank] = bytes;
  return out;
}

void beginJson(llvm::raw_ostream &out) {
  const Json tool = {{"name", "ptxray"}, {"version", PTXRAY_VERSION}};
  out << R"({"version":1,"tool":)" << tool.dump() << ",\"files\":[\n";
}

static Json orNull(const std::string &text) { return text.empty() ? Json() : Json(text); }

static std::optional<OriginTable> originsOf(const FileReport &report) {
  if (!report.source || report.diagnostics.empty() || report.inlined)
    return std::nullopt;
  return std::optional<OriginTable>(std::in_place, *report.source);
}

static Json entryJson(const EntryPlace &entry) {
  return {{"number", entry.number},   {"name", entry.name},     {"member", entry.member},
          {"section", entry.section}, {"target", entry.target}, {"alike", entry.alike}};
}

static Json inlineJson(const InlineSummary &summary, const SourceBuffer *source) {
  Json skipped = Json::array();
  for (const InlineSummary::Skipped &one : summary.skipped)
    skipped.push_back({{"range", range(source, one.range)}, {"reason", one.reason}});
  Json out = {{"statements", summary.statements},
              {"checked", summary.statements - summary.skipped.size()},
              {"skipped", std::move(skipped)}};
  for (const InlineSummary::Expansion &one : summary.expansions)
    out["expansions"].push_back({{"range", range(source, one.range)}, {"text", one.text}});
  return out;
}

void renderJson(const FileReport &report, const RenderOptions &, llvm::raw_ostream &out) {
  out << "{\"path\":" << dump(report.path);
  if (report.entry)
    out << ",\"entry\":" << dump(entryJson(*report.entry));
  out << ",\"ptx\":" << dump(orNull(report.ptx)) << ",\"target\":" << dump(orNull(report.target))
      << ",\"diagnostics\":[";
  const std::optional<OriginTable> origins = originsOf(report);
  // Write diagnostics one by one, because there may be hundreds of thousands.
  llvm::interleave(
      report.diagnostics, out,
      [&](const Diagnostic &d) { out << dump(diagnostic(d, report.source.get(), origins ? &*origins : nullptr)); },
      ",");
  out << ']';
  if (report.inlined)
    out << ",\"inline\":" << dump(inlineJson(*report.inlined, report.source.get()));
  if (!report.compiler.path.empty())
    out << ",\"ptxas\":" << dump({{"path", report.compiler.path}, {"release", report.compiler.release}});
  if (!report.functions.empty()) {
    Json functions = Json::array();
    for (const FunctionResources &function : report.functions)
      functions.push_back(resources(function));
    out << ",\"functions\":" << dump(functions);
  }
  out << '}';
}

void endJson(const Totals &, const RenderOptions &, llvm::raw_ostream &out) { out << "\n]}\n"; }

void renderJsonLines(const FileReport &report, const RenderOptions &, llvm::raw_ostream &out) {
  const std::optional<OriginTable> origins = originsOf(report);
  for (const Diagnostic &d : report.diagnostics) {
    Json line = {{"path", report.path}, {"ptx", orNull(report.ptx)}, {"target", orNull(report.target)}};
    if (report.entry)
      line["entry"] = entryJson(*report.entry);
    line.update(diagnostic(d, report.source.get(), origins ? &*origins : nullptr));
    out << dump(line) << '\n';
  }
}

} // namespace ptxray
