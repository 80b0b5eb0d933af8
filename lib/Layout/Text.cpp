#include "Layout/Show.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray::layout {
namespace {

std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string rangeOf(uint32_t first, uint32_t count) {
  return count == 1 ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(first + count - 1);
}

/// Returns the location of a cell's elements in the shortest form.
std::string cellText(const Layout &layout, const Grid &grid, uint32_t row, uint32_t column) {
  const auto places = placesOf(layout, grid.first(row, column));
  if (places.empty())
    return "";
  const Place &place = places.front();
  switch (layout.store) {
  case Store::Registers: {
    std::string text = "T" + std::to_string(place[Lane]) + ":" + wordText(layout, place[Word]);
    // Cells that share a register show their position in it.
    if (grid.cellRows * grid.cellColumns * layout.elementBits < size(layout, Bit))
      text += "." + std::to_string(place[Bit]);
    return text;
  }
  case Store::Addresses: return "T" + std::to_string(place[Lane]);
  case Store::SharedMemory: return llvm::formatv("{0:x-3}", place[Bit] / 8).str();
  case Store::TensorMemory: break;
  }
  const uint32_t elements = grid.cellRows * grid.cellColumns;
  // The last element of the cell shows its extent on each axis.
  const auto lastPlaces = placesOf(layout, {std::min((row + 1) * grid.cellRows, size(layout, Row)) - 1,
                                            std::min((column + 1) * grid.cellColumns, size(layout, Column)) - 1, 0});
  const Place &last = lastPlaces.empty() || elements == 1 ? place : lastPlaces.front();
  std::string text = "L" + rangeOf(place[Lane], last[Lane] - place[Lane] + 1) + ":c" +
                     rangeOf(place[Word], last[Word] - place[Word] + 1);
  if (last[Cta] || place[Cta])
    text = "CTA" + std::to_string(place[Cta]) + " " + text;
  if (last[Word] == place[Word] && last[Bit] + layout.elementBits - place[Bit] < layout.wordBits)
    text += "." + rangeOf(place[Bit], last[Bit] + layout.elementBits - place[Bit]);
  return text;
}

} // namespace

void writeText(const Layout &layout, unsigned width, llvm::raw_ostream &out) {
  out << layout.name << ": " << layout.what << "\n";
  // Find the widest cell, which is one of the corners. It determines how many cells fit into a line.
  Grid all(layout, ~0u, ~0u);
  size_t cell = 1;
  for (uint32_t row : {0u, all.rows - 1})
    for (uint32_t column : {0u, all.columns - 1})
      cell = std::max(cell, cellText(layout, all, row, column).size());
  for (uint32_t column : {0u, all.columns - 1})
    cell = std::max(cell, rangeOf(column * all.cellColumns, all.cellColumns).size());
  const size_t label = rangeOf((all.rows - 1) * all.cellRows, all.cellRows).size() + 1;
  const uint32_t fits = std::max<size_t>(1, (width - label) / (cell + 1));
  const Grid grid(layout, 64, fits);
  std::string line(label, ' ');
  for (uint32_t column = 0; column < grid.columns; ++column)
    line += " " + padded(rangeOf(column * grid.cellColumns, grid.cellColumns), cell);
  out << llvm::StringRef(line).rtrim() << '\n';
  for (uint32_t row = 0; row < grid.rows; ++row) {
    const std::string rows = rangeOf(row * grid.cellRows, grid.cellRows);
    line = std::string(label - rows.size(), ' ') + rows;
    for (uint32_t column = 0; column < grid.columns; ++column)
      line += " " + padded(cellText(layout, grid, row, column), cell);
    out << llvm::StringRef(line).rtrim() << '\n';
  }
  for (const std::string &repeat : grid.repeats)
    out << "  " << repeat << '\n';
  for (const std::string &note : layout.notes)
    out << "  " << note << '\n';
  if (layout.store == Store::Registers)
    out << "  CuTe: " << cuteNotation(layout) << '\n';
  out << "  from: " << layout.source << '\n';
}

} // namespace ptxray::layout
