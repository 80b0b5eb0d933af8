// Draws the counters of a launch as a listing of its kernel, with a bar for each number that has a scale.
#include "CountersOutput.h"
#include "Source/Escape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

using machine::CountedInstruction;
using machine::InstructionCounts;

namespace {

constexpr unsigned margin = 16, rowHeight = 18, barWidth = 120, gap = 70, headHeight = 54;
constexpr const char *ideal = "#7fb77e", *excess = "#d9534f", *plain = "#6c8ebf";

/// A column of bars. The length of each is its share of the largest number in the column.
struct Bars {
  const char *title;
  uint64_t InstructionCounts::*number;
  uint64_t InstructionCounts::*ideal; // null if there is none, and the bar has one colour
};
constexpr Bars columns[] = {
    {"executed by warps", &InstructionCounts::executed, nullptr},
    {"shared memory: passes", &InstructionCounts::sharedWavefronts, &InstructionCounts::sharedIdeal},
    {"global memory: sectors", &InstructionCounts::globalSectors, &InstructionCounts::globalIdeal},
};

void text(llvm::raw_ostream &out, double x, double y, llvm::StringRef content, const char *style = "") {
  out << llvm::formatv("<text x=\"{0}\" y=\"{1}\"{2}>", x, y,
                       *style ? llvm::formatv(" class=\"{0}\"", style).str() : "");
  llvm::printHTMLEscaped(escaped(content), out);
  out << "</text>\n";
}

void bar(llvm::raw_ostream &out, double x, double y, double width, const char *colour) {
  if (width > 0)
    out << llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2:f1}\" height=\"{3}\" fill=\"{4}\"/>\n", x, y, width,
                         rowHeight - 6, colour);
}

} // namespace

void writeCountersPicture(llvm::raw_ostream &out, llvm::ArrayRef<CountedInstruction> counts, const FileReport &report,
                          llvm::StringRef kernel) {
  llvm::SmallVector<const Bars *> shown;
  for (const Bars &one : columns)
    if (llvm::any_of(counts, [&](const CountedInstruction &row) { return row.counts.*one.number; }))
      shown.push_back(&one);
  const unsigned left = margin + static_cast<unsigned>(shown.size()) * (barWidth + gap);
  constexpr unsigned letter = 8, mostLetters = 100;
  const unsigned width = left + 60 + letter * mostLetters, height = headHeight + rowHeight * counts.size() + margin;
  out << llvm::formatv("<svg class=\"ptxray-counters\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                       "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<style>.ptxray-counters text{{font:12px monospace;"
                       "fill:#222}.ptxray-counters .heading{{font:bold 14px sans-serif}.ptxray-counters .label{{font:"
                       "12px sans-serif;fill:#666}</style>\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                       width, height);
  text(out, margin, 22, report.path + ", kernel " + kernel.str(), "heading");
  for (size_t i = 0; i < shown.size(); ++i) {
    const double x = margin + static_cast<double>(i) * (barWidth + gap);
    const Bars &one = *shown[i];
    text(out, x, headHeight - 8, one.title, "label");
    uint64_t most = 1;
    for (const CountedInstruction &row : counts)
      most = std::max(most, row.counts.*one.number);
    for (size_t row = 0; row < counts.size(); ++row) {
      const uint64_t number = counts[row].counts.*one.number;
      if (!number)
        continue;
      const double y = headHeight + static_cast<double>(row) * rowHeight, unit = double(barWidth) / double(most);
      const uint64_t needed = one.ideal ? std::min(number, counts[row].counts.*one.ideal) : number;
      bar(out, x, y, double(needed) * unit, one.ideal ? ideal : plain);
      bar(out, x + double(needed) * unit, y, double(number - needed) * unit, excess);
      text(out, x + double(number) * unit + 4, y + 10, std::to_string(number), "label");
    }
  }
  for (size_t row = 0; row < counts.size(); ++row) {
    const Range range = counts[row].range;
    std::string listed = inOneLine(report.source->text().slice(range.begin, range.end));
    if (listed.size() > mostLetters)
      listed = listed.substr(0, mostLetters - 3) + "...";
    const double y = headHeight + static_cast<double>(row) * rowHeight + 10;
    text(out, left, y, std::to_string(report.source->lineColumn(range.begin).line), "label");
    text(out, left + 44, y, listed);
  }
  out << "</svg>\n";
}

} // namespace ptxray
