#include "CountersOutput.h"
#include "Source/Origin.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

namespace ptxray {

using machine::CountedInstruction;
using machine::Counter;
using machine::InstructionCounts;

namespace {

/// A line of a listing.
struct Row {
  InstructionCounts counts;
  std::string place, text;
};

} // namespace

/// Writes a table without the columns that are zero in all rows. `what` is the title of the first text column.
static void writeRows(llvm::raw_ostream &out, llvm::ArrayRef<Row> rows, llvm::StringRef what = "line") {
  llvm::SmallVector<const Counter *> shown;
  for (const Counter &one : machine::allCounters())
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

/// Writes the counts by kind, with the share of each kind in all executed instructions.
static void writeKinds(llvm::raw_ostream &out, llvm::ArrayRef<CountedInstruction> counts) {
  InstructionCounts all;
  for (const CountedInstruction &one : counts)
    all += one.counts;
  std::vector<Row> rows;
  for (const auto &[kind, sum] : sumsByKind(counts)) {
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
        {one.counts, std::to_string(report.source->lineColumn(one.range.begin).line), countedText(report, one)});
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

void writeFidelity(llvm::raw_ostream &out, llvm::ArrayRef<CountedInstruction> counts, const FileReport &report) {
  const auto [exact, all] = exactOf(counts);
  out << "fidelity: " << exact << " of " << all << " instructions of warps are exact\n";
  for (const CountedInstruction &one : counts)
    if (isInexact(one))
      out << report.path << ':' << report.source->lineColumn(one.range.begin).line << ": " << nameOf(one.fidelity)
          << ", " << one.counts.executed << " times: " << countedText(report, one) << "  // " << reasonOf(one.fidelity)
          << '\n';
}

void writeCoverage(llvm::raw_ostream &out, llvm::ArrayRef<CountedInstruction> counts, const FileReport &report) {
  std::map<uint32_t, uint64_t> lines; // the highest count of an instruction in each line
  for (const CountedInstruction &one : counts) {
    uint64_t &line = lines[report.source->lineColumn(one.range.begin).line];
    line = std::max(line, one.counts.executed);
  }
  out << "TN:\nSF:" << report.path << '\n';
  // An instruction with a guard counts as a branch. Its two sides are the lanes that the guard enables, and those that
  // it disables.
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
