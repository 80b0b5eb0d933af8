#include "Layout/Show.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray::layout {
namespace {

/// Returns how many neighbouring elements in one direction are adjacent on the axes.
uint32_t runOf(const Layout &layout, Along along, llvm::ArrayRef<Axis> axes, uint32_t most) {
  uint32_t run = 1;
  for (bool grown = true; grown;) {
    grown = false;
    for (const Digit &digit : layout.digits) {
      if (digit.along != along || digit.elementStep != run || !llvm::is_contained(axes, digit.axis))
        continue;
      // On the bit axis, adjacent elements are one element width apart, on other axes one step.
      const uint32_t unit = digit.axis == Bit ? layout.elementBits : 1;
      const bool contiguous = digit.axis == Bit ? digit.placeStep == unit * run : true;
      if (!contiguous || run * digit.extent > most)
        continue;
      if (digit.axis != Bit && digit.placeStep != 1 && !(digit.axis == Lane && digit.placeStep == run))
        continue;
      run *= digit.extent;
      grown = true;
    }
  }
  return run;
}

std::string axisStep(const Layout &layout, Axis axis, uint32_t step) {
  const std::string number = std::to_string(step);
  switch (axis) {
  case Cta: return number + (step == 1 ? " CTA" : " CTAs");
  case Lane: return number + " " + laneName(layout).str() + (step == 1 ? "" : "s");
  case Word: return number + (layout.store == Store::TensorMemory ? " column" : " register") + (step == 1 ? "" : "s");
  default: return layout.store == Store::SharedMemory ? std::to_string(step / 8) + " bytes" : number + " bits";
  }
}

/// Returns how many cells in a direction are displayed. Omits outermost digits in whole repetitions.
uint32_t shown(const Layout &layout, Along along, uint32_t cell, uint32_t most, std::vector<std::string> &repeats) {
  uint32_t cells = (size(layout, along) + cell - 1) / cell;
  llvm::SmallVector<const Digit *, 8> outermost;
  for (const Digit &digit : layout.digits)
    if (digit.along == along && digit.elementStep >= cell)
      outermost.push_back(&digit);
  llvm::sort(outermost, [](const Digit *a, const Digit *b) { return a->elementStep > b->elementStep; });
  for (const Digit *digit : outermost) {
    if (cells <= most)
      break;
    const uint32_t unit = digit->elementStep / cell;
    cells = std::max(1u, most / unit) * unit;
    const std::string name = layout.elementNames[along];
    repeats.push_back("and so on: " + std::to_string(digit->elementStep) + " " + name +
                      (digit->elementStep == 1 ? "" : "s") + " further lies " +
                      axisStep(layout, digit->axis, digit->placeStep) + " further, up to " + name + " " +
                      std::to_string(size(layout, along) - 1));
  }
  return cells;
}

} // namespace

Grid::Grid(const Layout &layout, uint32_t mostRows, uint32_t mostColumns) {
  const bool tensor = layout.store == Store::TensorMemory, shared = layout.store == Store::SharedMemory;
  const uint32_t most = shared ? 128 / layout.elementBits : ~0u;
  if (layout.elementBits && !layout.carryStep) {
    llvm::SmallVector<Axis, 2> inner{Bit};
    if (tensor)
      inner.push_back(Word);
    cellColumns = runOf(layout, Column, inner, most);
    if (cellColumns == 1 || tensor)
      cellRows = runOf(layout, Row, inner, most);
  }
  if (tensor) {
    const uint32_t lanes = runOf(layout, Row, {Lane}, ~0u);
    if (cellRows == 1)
      cellRows = lanes;
    if (cellColumns == 1)
      cellColumns = runOf(layout, Column, {Lane}, ~0u);
  }
  rows = shown(layout, Row, cellRows, mostRows, repeats);
  columns = shown(layout, Column, cellColumns, mostColumns, repeats);
  for (const Digit &digit : layout.digits)
    if (digit.along == Matrix)
      repeats.push_back(layout.elementNames[Matrix] + " 0 of " + std::to_string(size(layout, Matrix)) +
                        "; the next lies " + axisStep(layout, digit.axis, digit.placeStep) + " further");
}

} // namespace ptxray::layout
