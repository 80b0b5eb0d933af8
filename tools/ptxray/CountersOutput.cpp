#include "CountersOutput.h"
#include "Source/Escape.h"
#include "Source/JsonValue.h"
#include "Source/Origin.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace ptxray {

using machine::CountedInstruction;
using machine::InstructionCounts;

namespace {

/// A number that is counted: its column in the listing, and what Nsight Compute calls it (nothing: it has no such
/// metric).
struct Counter {
  const char *column;
  const char *name;
  uint64_t InstructionCounts::*number;
};

} // namespace

static constexpr Counter counters[] = {
    {"warps", "inst_executed", &InstructionCounts::executed},
    {"threads", "thread_inst_executed", &InstructionCounts::threads},
    {"on", "thread_inst_executed_true", &InstructionCounts::threadsOn},
    {"parted", "branches_divergent", &InstructionCounts::partings},
    {"shared", "memory_l1_wavefronts_shared", &InstructionCounts::sharedWavefronts},
    {"ideal", "memory_l1_wavefronts_shared_ideal", &InstructionCounts::sharedIdeal},
    {"sectors", "memory_l2_theoretical_sectors_global", &InstructionCounts::globalSectors},
    {"ideal", "memory_l2_theoretical_sectors_global_ideal", &InstructionCounts::globalIdeal},
    {"tags", "memory_l1_tag_requests_global", &InstructionCounts::globalTags},
    {"shared B", "bytes_shared", &InstructionCounts::sharedBytes},
    {"global B", "bytes_global", &InstructionCounts::globalBytes},
    {"local B", "bytes_local", &InstructionCounts::localBytes},
    {"const B", "bytes_const", &InstructionCounts::constBytes},
    {"async shared B", "bytes_shared_async", &InstructionCounts::asyncSharedBytes},
    {"async global B", "bytes_global_async", &InstructionCounts::asyncGlobalBytes},
    {"texture B", "bytes_texture", &InstructionCounts::textureBytes},
    {"tensor B", "bytes_tensor", &InstructionCounts::tensorBytes},
    {"bulk B", "bytes_bulk", &InstructionCounts::bulkBytes},
    {"same", "atomic_collisions", &InstructionCounts::collisions},
    {"waits", "barrier_waits", &InstructionCounts::waits},
    {"products", "matrix_products", &InstructionCounts::products},
};

/// The text of an instruction in one line.
static std::string textOf(const FileReport &report, Range range) {
  return inOneLine(report.source->text().slice(range.begin, range.end));
}

namespace {

/// A line of a listing.
struct Row {
  InstructionCounts counts;
  std::string place, text;
};

} // namespace

/// Columns in which all rows are zero are left out. `what`: the rows stand for.
static void writeRows(llvm::raw_ostream &out, llvm::ArrayRef<Row> rows, llvm::StringRef what = "line") {
  llvm::SmallVector<const Counter *> shown;
  for (const Counter &one : counters)
    if (llvm::any_of(rows, [&](const Row &row) { return row.counts.*one.number; }))
      shown.push_back(&one);
  size_t width = 4;
  for (const Row &row : rows)
    width = std::max(width, row.place.size());
  const auto cell = [&](const Counter &column, llvm::StringRef text) {
    constexpr size_t least = 9;
    out << ' ' << llvm::right_justify(text, std::max(least, llvm::StringRef(column.column).size()));
  };
  for (const Counter *one : shown)
    cell(*one, one->column);
  out << "  " << llvm::left_justify(what, static_cast<unsigned>(width)) << '\n';
  for (const Row &row : rows) {
    for (const Counter *one : shown)
      cell(*one, row.counts.*one->number ? std::to_string(row.counts.*one->number) : "");
    out << "  " << llvm::left_justify(row.place, static_cast<unsigned>(width));
    if (!row.text.empty())
      out << "  " << row.text;
    out << '\n';
  }
}

/// The sums of instructions of one kind, the most frequent first.
static std::vector<std::pair<llvm::StringRef, InstructionCounts>> byKind(llvm::ArrayRef<CountedInstruction> counts) {
  std::map<llvm::StringRef, InstructionCounts> kinds;
  for (const CountedInstruction &one : counts)
    if (one.counts.executed)
      kinds[one.kind] += one.counts;
  std::vector<std::pair<llvm::StringRef, InstructionCounts>> sorted(kinds.begin(), kinds.end());
  llvm::stable_sort(sorted, [](const auto &a, const auto &b) { return a.second.executed > b.second.executed; });
  return sorted;
}

/// With the share that they have of all that warps executed.
static void writeKinds(llvm::raw_ostream &out, llvm::ArrayRef<CountedInstruction> counts) {
  InstructionCounts all;
  for (const CountedInstruction &one : counts)
    all += one.counts;
  std::vector<Row> rows;
  for (const auto &[kind, sum] : byKind(counts)) {
    std::string share;
    llvm::raw_string_ostream(share) << llvm::format("%.1f %%", 100.0 * double(sum.executed) / double(all.executed));
    rows.push_back({sum, std::move(share), kind.str()});
  }
  rows.push_back({all, "", "all"});
  out << "\nkinds of instructions\n";
  writeRows(out, rows, "share");
}

void writeCounters(llvm::raw_ostream &out, llvm::ArrayRef<CountedInstruction> counts, const FileReport &report) {
  const OriginTable origins(*report.source);
  std::map<std::pair<std::string, uint32_t>, InstructionCounts> bySource;
  std::vector<Row> rows;
  for (size_t i = 0; i < counts.size(); ++i) {
    const CountedInstruction &one = counts[i];
    if (!i || counts[i - 1].function != one.function)
      out << (i ? "\n" : "") << "function `" << one.function << "`\n";
    rows.push_back(
        {one.counts, std::to_string(report.source->lineColumn(one.range.begin).line), textOf(report, one.range)});
    if (const std::optional<Origin> origin = origins.at(one.range.begin))
      bySource[{origin->path, origin->line}] += one.counts;
    if (i + 1 == counts.size() || counts[i + 1].function != one.function) {
      writeRows(out, rows);
      rows.clear();
    }
  }
  writeKinds(out, counts);
  if (bySource.empty())
    return;
  out << "\nlines of the source\n";
  for (const auto &[place, sum] : bySource)
    rows.push_back({sum, place.first + ':' + std::to_string(place.second), ""});
  writeRows(out, rows);
}

static Json numbersOf(const InstructionCounts &counts) {
  Json json = Json::object();
  for (const Counter &one : counters)
    if (const uint64_t number = counts.*one.number)
      json[one.name] = number;
  return json;
}

void writeCountersJson(llvm::raw_ostream &out, llvm::ArrayRef<CountedInstruction> counts, const FileReport &report,
                       llvm::StringRef kernel) {
  const OriginTable origins(*report.source);
  Json all = {{"version", 1}, {"file", report.path}, {"kernel", kernel.str()}};
  InstructionCounts sum;
  Json instructions = Json::array();
  for (const CountedInstruction &one : counts) {
    const LineColumn at = report.source->lineColumn(one.range.begin);
    Json json = {{"function", one.function.str()},
                 {"line", at.line},
                 {"column", at.column},
                 {"text", textOf(report, one.range)},
                 {"counts", numbersOf(one.counts)}};
    if (const std::optional<Origin> origin = origins.at(one.range.begin))
      json["source"] = {{"path", origin->path}, {"line", origin->line}};
    sum += one.counts;
    instructions.push_back(std::move(json));
  }
  all["counts"] = numbersOf(sum);
  Json kinds = Json::object();
  for (const auto &[kind, numbers] : byKind(counts))
    kinds[kind.str()] = numbersOf(numbers);
  all["kinds"] = std::move(kinds);
  all["instructions"] = std::move(instructions);
  out << dump(all, 1) << '\n';
}

/// Counts the executions that are exact, and all of them.
static std::pair<uint64_t, uint64_t> exactOf(llvm::ArrayRef<CountedInstruction> counts) {
  std::pair<uint64_t, uint64_t> sum;
  for (const CountedInstruction &one : counts) {
    sum.first += one.fidelity == machine::Fidelity::Exact ? one.counts.executed : 0;
    sum.second += one.counts.executed;
  }
  return sum;
}

static bool isInexact(const CountedInstruction &one) {
  return one.fidelity != machine::Fidelity::Exact && one.counts.executed;
}

void writeFidelity(llvm::raw_ostream &out, llvm::ArrayRef<CountedInstruction> counts, const FileReport &report) {
  const auto [exact, all] = exactOf(counts);
  out << "fidelity: " << exact << " of " << all << " instructions of warps are exact\n";
  for (const CountedInstruction &one : counts)
    if (isInexact(one))
      out << report.path << ':' << report.source->lineColumn(one.range.begin).line << ": " << nameOf(one.fidelity)
          << ", " << one.counts.executed << " times: " << textOf(report, one.range) << "  // " << reasonOf(one.fidelity)
          << '\n';
}

void writeFidelityJson(llvm::raw_ostream &out, llvm::ArrayRef<CountedInstruction> counts, const FileReport &report,
                       llvm::StringRef kernel) {
  const auto [exact, executed] = exactOf(counts);
  Json all = {
      {"version", 1}, {"file", report.path}, {"kernel", kernel.str()}, {"executed", executed}, {"exact", exact}};
  Json instructions = Json::array();
  for (const CountedInstruction &one : counts)
    if (isInexact(one)) {
      const LineColumn at = report.source->lineColumn(one.range.begin);
      instructions.push_back({{"function", one.function.str()},
                              {"line", at.line},
                              {"column", at.column},
                              {"text", textOf(report, one.range)},
                              {"executed", one.counts.executed},
                              {"fidelity", nameOf(one.fidelity)},
                              {"reason", reasonOf(one.fidelity)}});
    }
  all["instructions"] = std::move(instructions);
  out << dump(all, 1) << '\n';
}

void writeCoverage(llvm::raw_ostream &out, llvm::ArrayRef<CountedInstruction> counts, const FileReport &report) {
  std::map<uint32_t, uint64_t> lines; // the most that an instruction of each was executed
  for (const CountedInstruction &one : counts) {
    uint64_t &line = lines[report.source->lineColumn(one.range.begin).line];
    line = std::max(line, one.counts.executed);
  }
  out << "TN:\nSF:" << report.path << '\n';
  // An instruction with a guard is a branch: lanes that it allows, and lanes that it does not.
  size_t branches = 0, taken = 0;
  for (const CountedInstruction &one : counts) {
    const LineColumn at = report.source->lineColumn(one.range.begin);
    if (!report.source->text().substr(one.range.begin).starts_with("@"))
      continue;
    for (const uint64_t lanes : {one.counts.threadsOn, one.counts.threads - one.counts.threadsOn}) {
      out << "BRDA:" << at.line << ',' << at.column << ',' << branches % 2 << ','
          << (one.counts.executed ? std::to_string(lanes) : "-") << '\n';
      ++branches;
      taken += lanes != 0;
    }
  }
  out << "BRF:" << branches << "\nBRH:" << taken << '\n';
  for (const auto &[line, executed] : lines)
    out << "DA:" << line << ',' << executed << '\n';
  out << "LF:" << lines.size() << "\nLH:" << llvm::count_if(lines, [](const auto &one) { return one.second != 0; })
      << "\nend_of_record\n";
}

} // namespace ptxray
