// Writes SARIF 2.1.0 for code scanning services.
#include "Diagnostics/Fingerprint.h"
#include "Render/Render.h"
#include "RulePages/RulePages.h"
#include "Source/JsonValue.h"
#include "Source/Origin.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include <algorithm>

namespace ptxray {

static llvm::StringRef levelName(Severity severity) {
  return severity == Severity::Pedantic ? "note" : severityName(severity);
}

/// Returns a path as a URI reference.
static std::string uri(llvm::StringRef path) {
  std::string out = path.starts_with("/") ? "file://" : "";
  for (char c : path)
    if (llvm::isAlnum(c) || llvm::StringRef("-._~/").contains(c))
      out += c;
    else
      out += "%" + llvm::toHex(llvm::StringRef(&c, 1));
  return out;
}

namespace {

/// Converts byte columns to character columns. The characters of a long line are counted once, regardless of the number
/// of reports.
class CharacterColumns {
public:
  explicit CharacterColumns(const SourceBuffer &source) : source(source) {}

  /// Returns the column in characters, from 1. A byte that is not UTF-8 counts as one character.
  uint32_t at(LineColumn place);

private:
  struct Mark {
    uint32_t bytes = 0, characters = 0; // preceding the mark
  };
  static constexpr uint32_t distance = 256; // minimum distance between marks in bytes

  const SourceBuffer &source;
  llvm::DenseMap<uint32_t, std::vector<Mark>> marks; // keyed by line
};

} // namespace

uint32_t CharacterColumns::at(LineColumn place) {
  const llvm::StringRef line = source.lineText(place.line);
  const auto end = static_cast<uint32_t>(std::min<size_t>(place.column - 1, line.size()));
  std::vector<Mark> &known = marks[place.line];
  if (known.empty())
    known.emplace_back();
  const auto after = std::ranges::upper_bound(known, end, {}, &Mark::bytes);
  Mark now = *std::prev(after);
  const auto *const bytes = reinterpret_cast<const llvm::UTF8 *>(line.data());
  while (now.bytes < end) {
    const bool isWhole = end - now.bytes >= 4; // otherwise, `end` may split a character
    const llvm::UTF8 *next = bytes + now.bytes;
    llvm::UTF32 character;
    const bool isValid =
        llvm::convertUTF8Sequence(&next, bytes + end, &character, llvm::strictConversion) == llvm::conversionOK;
    now.bytes = isValid ? static_cast<uint32_t>(next - bytes) : now.bytes + 1;
    ++now.characters;
    if (isWhole && now.bytes >= known.back().bytes + distance)
      known.push_back(now);
  }
  return now.characters + 1;
}

static Json region(const SourceBuffer &source, Range range, CharacterColumns &columns) {
  const LineColumn from = source.lineColumn(range.begin), to = source.lineColumn(range.end);
  return {{"startLine", from.line},      {"startColumn", columns.at(from)}, {"endLine", to.line},
          {"endColumn", columns.at(to)}, {"byteOffset", range.begin},       {"byteLength", range.size()}};
}

static Json location(const FileReport &report, std::optional<Range> range, CharacterColumns *columns) {
  Json physical = {{"artifactLocation", {{"uri", uri(report.path)}}}};
  if (!range || !report.source)
    return {{"physicalLocation", std::move(physical)}};
  if (!report.entry) {
    physical["region"] = region(*report.source, *range, *columns);
    return {{"physicalLocation", std::move(physical)}};
  }
  // Lines in a binary's entries are not lines of the file.
  const LineColumn at = report.source->lineColumn(range->begin);
  const std::string name = report.entry->name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  return {{"physicalLocation", std::move(physical)},
          {"logicalLocations", Json::array({{{"name", name}, {"kind", "module"}}})}};
}

static Json fixOf(const Fix &fix, const FileReport &report, CharacterColumns &columns) {
  Json replacements = Json::array();
  for (const Edit &edit : fix.edits)
    replacements.push_back({{"deletedRegion", region(*report.source, edit.range, columns)},
                            {"insertedContent", {{"text", edit.text.str()}}}});
  return {{"description", {{"text", fix.title.str()}}},
          {"artifactChanges", Json::array({{{"artifactLocation", {{"uri", uri(report.path)}}},
                                            {"replacements", std::move(replacements)}}})}};
}

static Json result(const Diagnostic &d, const FileReport &report, const OriginTable *origins,
                   const std::string &fingerprint, CharacterColumns *columns) {
  std::string message = d.message();
  Json related = Json::array();
  for (const Note &note : d.notes)
    if (note.range) {
      Json place = location(report, note.range, columns);
      place["message"] = {{"text", note.message.str()}};
      related.push_back(std::move(place));
    } else {
      message += "\n" + note.message.str();
    }
  if (std::optional<Origin> origin = origins ? origins->at(d.range.begin) : std::nullopt)
    related.push_back({{"physicalLocation",
                        {{"artifactLocation", {{"uri", uri(origin->path)}}},
                         {"region", {{"startLine", std::max(origin->line, 1u)}}}}},
                       {"message", {{"text", "the source line"}}}});
  Json out = {{"ruleId", info(d.id).id.str()},
              {"ruleIndex", static_cast<unsigned>(d.id)},
              {"level", levelName(d.severity).str()},
              {"message", {{"text", std::move(message)}}},
              {"locations", Json::array({location(report, d.range, columns)})}};
  if (!related.empty())
    out["relatedLocations"] = std::move(related);
  if (d.fix && report.source && !report.entry)
    out["fixes"] = Json::array({fixOf(*d.fix, report, *columns)});
  out["partialFingerprints"] = {{"primaryLocationLineHash", fingerprint}};
  if (d.kind != Kind::None)
    out["properties"]["kind"] = kindText(d.kind).str();
  if (!d.spec.manual.empty())
    out["properties"]["manual"] = d.spec.manual.str();
  if (!d.spec.file.empty())
    out["properties"]["spec"] = (d.spec.file + ":" + llvm::Twine(d.spec.line)).str();
  return out;
}

void beginSarif(llvm::raw_ostream &out) {
  out << R"({"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0",)"
      << R"("runs":[{"columnKind":"unicodeCodePoints","results":[)" << '\n';
}

void renderSarif(const FileReport &report, const RenderOptions &, llvm::raw_ostream &out) {
  const std::vector<std::string> prints = fingerprints(report);
  std::optional<CharacterColumns> columns;
  if (report.source)
    columns.emplace(*report.source);
  std::optional<OriginTable> origins;
  if (report.source && !report.diagnostics.empty() && !report.inlined)
    origins.emplace(*report.source);
  llvm::interleave(
      llvm::zip(report.diagnostics, prints), out,
      [&](const auto &pair) {
        const auto &[d, print] = pair;
        out << dump(result(d, report, origins ? &*origins : nullptr, print, columns ? &*columns : nullptr));
      },
      ",\n");
}

/// Returns the paragraphs of a page before its example.
static llvm::StringRef description(llvm::StringRef page) { return page.split('\n').second.split("\n## ").first.trim(); }

static Json rule(DiagId id, const RuleTotal &total, const RenderOptions &options) {
  const llvm::StringRef name = info(id).id, page = rulePage(name), about = description(page);
  auto text = [](llvm::StringRef text) -> Json { return {{"text", text.str()}}; };
  Json out = {{"id", name.str()},
              {"shortDescription", text(info(id).message)},
              {"fullDescription", text(about.split("\n\n").first)},
              {"help", {{"text", about.str()}, {"markdown", page.str()}}},
              {"defaultConfiguration", {{"level", levelName(info(id).level).str()}}}};
  if (const std::string address = pageOfRule(options, name); !address.empty())
    out["helpUri"] = address;
  for (llvm::StringRef section : total.sections)
    out["properties"]["manual"].push_back(section.str());
  return out;
}

void endSarif(const Totals &totals, const RenderOptions &options, llvm::raw_ostream &out) {
  // Rules in the order of DiagId, which is the rule index of a result. Rules without results have only a name.
  Json rules = Json::array();
  for (const DiagInfo &known : allDiagInfos())
    rules.push_back({{"id", known.id.str()}});
  for (const auto &[id, total] : totals.rules)
    rules[static_cast<size_t>(id)] = rule(id, total, options);
  Json tool = {{"driver", {{"name", "ptxray"}, {"semanticVersion", PTXRAY_VERSION}}}};
  if (!options.site.empty())
    tool["driver"]["informationUri"] = options.site.str();
  tool["driver"]["rules"] = std::move(rules);
  const Json invocations = Json::array({{{"executionSuccessful", totals.unreadable == 0}}});
  out << "],\n\"invocations\":" << dump(invocations) << ",\n\"tool\":" << dump(tool) << "}]}\n";
}

} // namespace ptxray
