#pragma once
// Renders layouts as text, JSON and pictures.
#include "Layout/Layout.h"

namespace llvm {
class raw_ostream;
}

namespace ptxray::layout {

/// The displayed part of a layout. Adjacent elements in one location share a cell, and repetitions beyond the limits
/// are omitted.
struct Grid {
  Grid(const Layout &layout, uint32_t mostRows, uint32_t mostColumns);

  uint32_t cellRows = 1, cellColumns = 1; // elements per cell
  uint32_t rows, columns;                 // cells
  std::vector<std::string> repeats;       // descriptions of the omitted parts

  Element first(uint32_t row, uint32_t column) const { return {row * cellRows, column * cellColumns, 0}; }
};

/// Writes a grid that fits into lines of `width` characters.
void writeText(const Layout &layout, unsigned width, llvm::raw_ostream &out);
void writeSvg(llvm::ArrayRef<Layout> layouts, llvm::StringRef title, llvm::raw_ostream &out);
using ElementFilter = llvm::function_ref<bool(const Element &, const Place &)>;
/// Writes one JSON object with all elements that match `wanted`.
void writeJson(llvm::ArrayRef<Layout> layouts, llvm::ArrayRef<std::string> notes, llvm::StringRef instruction,
               ElementFilter wanted, llvm::raw_ostream &out);

} // namespace ptxray::layout
