// Draws fragments as the same grid as in text output, coloured by thread, and tensor memory to scale, 128 lanes high.
#include "Layout/Show.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

namespace ptxray::layout {
namespace {

constexpr unsigned margin = 16, labelWidth = 56, headHeight = 44;

/// Returns a colour for a thread. Neighbouring threads get distant hues; a group of four shares a hue and differs in
/// lightness. Computed here because not every viewer supports hsl().
std::string colour(uint32_t lane) {
  const double hue = (lane / 4) * 137 % 360 / 60.0, lightness = 0.88 - (lane % 4) * 0.07;
  const double chroma = (1 - std::abs(2 * lightness - 1)) * 0.65;
  const double second = chroma * (1 - std::abs(std::fmod(hue, 2) - 1));
  const unsigned sector = static_cast<unsigned>(hue);
  auto part = [&](unsigned strongest, unsigned weakerBefore, unsigned weakerBehind) {
    const bool strong = sector == strongest || sector == (strongest + 5) % 6;
    const double value = strong ? chroma : sector == weakerBefore || sector == weakerBehind ? second : 0;
    return static_cast<unsigned>((value + lightness - chroma / 2) * 255);
  };
  return llvm::formatv("#{0:x-2}{1:x-2}{2:x-2}", part(0, 1, 4), part(2, 0, 3), part(4, 2, 5)).str();
}

std::string range(uint32_t first, uint32_t last) {
  return first == last ? std::to_string(first) : std::to_string(first) + "-" + std::to_string(last);
}

struct Picture {
  std::string body;
  unsigned width = 0, height = 0;

  /// Draws text. Left-aligned text widens the picture, because the viewer's font determines the width of letters.
  void text(double x, double y, llvm::StringRef content, llvm::StringRef style = "") {
    const double letter = style == "heading" ? 10 : style == "title" ? 8 : style == "note" ? 7 : 0;
    width = std::max<unsigned>(width, x + letter * content.size() + margin);
    body += llvm::formatv("<text x=\"{0}\" y=\"{1}\"{2}>{3}</text>\n", x, y,
                          style.empty() ? "" : (" class=\"" + style + "\"").str(), content)
                .str();
  }
  void box(double x, double y, double w, double h, llvm::StringRef fill) {
    body += llvm::formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" fill=\"{4}\"/>\n", x, y, w, h, fill)
                .str();
  }
};

/// Draws the elements as a grid with their owners.
void drawGrid(const Layout &layout, Picture &picture) {
  const Grid grid(layout, 64, 32);
  constexpr unsigned cellHeight = 22;
  const unsigned cellWidth = layout.store == Store::TensorMemory ? 130 : 62;
  const unsigned top = picture.height;
  picture.text(margin, top + 18, layout.name + ": " + layout.what, "title");
  for (uint32_t column = 0; column < grid.columns; ++column)
    picture.text(labelWidth + (column + 0.5) * cellWidth, top + 37,
                 range(column * grid.cellColumns, (column + 1) * grid.cellColumns - 1), "label");
  for (uint32_t row = 0; row < grid.rows; ++row) {
    const double y = top + headHeight + row * cellHeight;
    picture.text(labelWidth - 22, y + 15, range(row * grid.cellRows, (row + 1) * grid.cellRows - 1), "label");
    for (uint32_t column = 0; column < grid.columns; ++column) {
      const auto places = placesOf(layout, grid.first(row, column));
      if (places.empty())
        continue;
      const Place &place = places.front();
      const double x = labelWidth + column * cellWidth;
      std::string text, fill;
      if (layout.store == Store::SharedMemory) {
        text = llvm::formatv("{0:x-3}", place[Bit] / 8).str();
        fill = colour(place[Bit] / 128 % 8 * 4);
      } else {
        text = (layout.store == Store::TensorMemory ? "lane " : "T") + std::to_string(place[Lane]);
        if (layout.store != Store::Addresses)
          text += " " + wordText(layout, place[Word]);
        fill = colour(place[Lane]);
      }
      picture.box(x, y, cellWidth, cellHeight, fill);
      picture.text(x + cellWidth / 2.0, y + 15, text, "cell");
    }
  }
  picture.width = std::max<unsigned>(picture.width, labelWidth + grid.columns * cellWidth + margin);
  picture.height = top + headHeight + grid.rows * cellHeight + 8;
  for (const std::string &repeat : grid.repeats)
    picture.text(margin, picture.height += 16, repeat, "note");
  picture.height += 28;
}

/// Draws tensor memory to scale. Each rectangle is a part of the matrix that is contiguous in lanes and columns.
void drawMemory(const Layout &layout, Picture &picture) {
  const Grid grid(layout, ~0u, ~0u);
  const uint32_t ctas = size(layout, Cta), words = size(layout, Word);
  constexpr double laneHeight = 3;
  const double columnWidth = 340.0 / words;
  const unsigned top = picture.height, apart = 440;
  picture.text(margin, top + 18, layout.name + ": " + layout.what, "title");
  for (uint32_t cta = 0; cta < ctas; ++cta) {
    const double left = labelWidth + 30 + cta * apart;
    picture.text(left - 44, top + 37, "lanes", "label");
    if (ctas > 1)
      picture.text(left + 170, top + 37, "CTA " + std::to_string(cta), "label");
    picture.box(left, top + headHeight, 340, 128 * laneHeight, "#eeeeee");
    for (uint32_t warp = 0; warp < 4; ++warp)
      picture.text(left - 44, top + headHeight + (warp * 32 + 17) * laneHeight,
                   llvm::formatv("{0}-{1}", 32 * warp, 32 * warp + 31).str(), "label");
    picture.text(left, top + headHeight + 128 * laneHeight + 16, "column 0", "left");
    picture.text(left + 340, top + headHeight + 128 * laneHeight + 16, std::to_string(words - 1), "right");
  }
  for (uint32_t row = 0; row < grid.rows; ++row)
    for (uint32_t column = 0; column < grid.columns; ++column) {
      const Element first = grid.first(row, column);
      const Element last = {std::min(first[Row] + grid.cellRows, size(layout, Row)) - 1,
                            std::min(first[Column] + grid.cellColumns, size(layout, Column)) - 1, 0};
      const auto from = placesOf(layout, first), to = placesOf(layout, last);
      for (auto [a, b] : llvm::zip(from, to)) {
        const double x = labelWidth + 30 + a[Cta] * apart + (a[Word] + a[Bit] / double(layout.wordBits)) * columnWidth;
        const double w = (b[Word] - a[Word] +
                          (double(b[Bit]) +
                           std::max<double>(layout.elementBits, layout.name == "D" ? layout.wordBits : 0) - a[Bit]) /
                              layout.wordBits) *
                         columnWidth;
        const double y = top + headHeight + a[Lane] * laneHeight, h = (b[Lane] - a[Lane] + 1) * laneHeight;
        picture.box(x, y, w, h, colour(4 * (first[Row] / 16 + 5 * column)));
        const std::string rows = layout.elementNames[Row] + "s " + range(first[Row], last[Row]),
                          columns = layout.elementNames[Column] + "s " + range(first[Column], last[Column]);
        if (w >= 60 && h >= 32) {
          picture.text(x + w / 2, y + h / 2 - 2, rows, "cell");
          picture.text(x + w / 2, y + h / 2 + 12, columns, "cell");
        } else if (w >= 150 && h >= 16) {
          picture.text(x + w / 2, y + h / 2 + 4, rows + ", " + columns, "cell");
        }
      }
    }
  picture.width = std::max<unsigned>(picture.width, labelWidth + 30 + (ctas - 1) * apart + 340 + 2 * margin);
  picture.height = top + headHeight + 128 * laneHeight + 26;
  for (const std::string &note : layout.notes)
    picture.text(margin, picture.height += 16, note, "note");
  picture.height += 30;
}

} // namespace

/// A style with its own class, because a page may contain other pictures.
static constexpr llvm::StringLiteral style =
    "<style>.ptxray-layout text{font:12px sans-serif;fill:#222}.ptxray-layout .heading{font:bold 16px sans-serif}"
    ".ptxray-layout .title{font-weight:bold}.ptxray-layout .label,.ptxray-layout .cell{text-anchor:middle}"
    ".ptxray-layout .label{fill:#666}.ptxray-layout .note{fill:#444}.ptxray-layout .right{text-anchor:end}"
    ".ptxray-layout rect{stroke:#fff}</style>\n";

void writeSvg(llvm::ArrayRef<Layout> layouts, llvm::StringRef title, llvm::raw_ostream &out) {
  Picture picture;
  picture.height = 40;
  picture.text(margin, 26, title, "heading");
  for (const Layout &layout : layouts)
    layout.store == Store::TensorMemory ? drawMemory(layout, picture) : drawGrid(layout, picture);
  out << llvm::formatv("<svg class=\"ptxray-layout\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                       "viewBox=\"0 0 {0} {1}\">\n",
                       picture.width, picture.height)
      << style
      << llvm::formatv("<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n", picture.width, picture.height)
      << picture.body << "</svg>\n";
}

} // namespace ptxray::layout
