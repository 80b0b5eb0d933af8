#pragma once
// Shows layouts as text, JSON and pictures.
#include "Layout/Layout.h"

namespace llvm {
class raw_ostream;
}

namespace ptxray::layout {

/// A grid is what is shown of a layout: adjacent neighbours are one cell, and repetitions are cut off after the limits.
struct Grid {
  Grid(const Layout &layout, uint32_t mostRows, uint32_t mostColumns);

  uint32_t cellRows = 1, cellColumns = 1; // elements of a cell
  uint32_t rows, columns;                 // cells
  std::vector<std::string> repeats;       // what was cut off, in words

  Element first(uint32_t row, uint32_t column) const { return {row * cellRows, column * cellColumns, 0}; }
};

/// Writes a grid that fits into lines of `width` characters.
void writeText(const Layout &layout, unsigned width, llvm::raw_ostream &out);
void writeSvg(llvm::ArrayRef<Layout> layouts, llvm::StringRef title, llvm::raw_ostream &out);
using ElementFilter = llvm::function_ref<bool(const Element &, const Place &)>;
/// Writes one object with all wanted elements.
void writeJson(llvm::ArrayRef<Layout> layouts, llvm::ArrayRef<std::string> notes, llvm::StringRef instruction,
               ElementFilter wanted, llvm::raw_ostream &out);

} // namespace ptxray::layout
