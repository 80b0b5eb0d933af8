// Tensor memory: 128 lanes of 512 columns of 32 bits in each CTA.
#include "Layout/Instructions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray::layout {
namespace {

Layout inTensorMemory(std::string name, std::string what, uint32_t bits, std::string source) {
  Layout layout;
  layout.name = std::move(name);
  layout.what = std::move(what);
  layout.source = std::move(source);
  layout.store = Store::TensorMemory;
  layout.elementBits = bits;
  return layout;
}

std::string hex(uint32_t address) {
  std::string digits = llvm::Twine::utohexstr(address).str();
  return "0x" + std::string(8 - digits.size(), '0') + digits;
}

// The lanes that a matrix of `rows` rows uses in one CTA. Half: 16 of each 32 lanes, so two such matrices share the
// memory. Split: columns are distributed over groups of lanes.
enum class DataPath { Full, Half, SplitInTwo, SplitInFour };

struct PathLayout {
  char name;
  DataPath path;
  uint32_t ctas, rows; // rows of one CTA
};

std::optional<PathLayout> pathLayout(uint32_t m, uint32_t ctas, bool sparse, bool ws) {
  if (ctas == 1 && m == 32 && ws)
    return PathLayout{'G', DataPath::SplitInFour, 1, 32};
  if (ctas == 1 && m == 64)
    return ws ? PathLayout{'E', DataPath::SplitInTwo, 1, 64} : PathLayout{'F', DataPath::Half, 1, 64};
  if (ctas == 1 && m == 128)
    return PathLayout{'D', DataPath::Full, 1, 128};
  if (ctas == 2 && m == 128 && !ws)
    return sparse ? PathLayout{'C', DataPath::Half, 2, 64} : PathLayout{'B', DataPath::SplitInTwo, 2, 64};
  if (ctas == 2 && m == 256 && !ws)
    return PathLayout{'A', DataPath::Full, 2, 128};
  return std::nullopt;
}

/// Distributes rows over lanes and CTAs, and columns over columns with `perColumn` elements each.
void layRows(Layout &layout, const PathLayout &path, uint32_t laneOffset) {
  if (path.path == DataPath::Half) {
    layout.count(16, Lane, 1, Row, 1).count(path.rows / 16, Lane, 32, Row, 16);
    layout.origin[Lane] = laneOffset;
  } else {
    layout.count(32, Lane, 1, Row, 1).count(path.rows / 32, Lane, 32, Row, 32);
  }
  layout.count(path.ctas, Cta, 1, Row, path.rows);
}

Layout accumulatorIn(const PathLayout &path, uint32_t m, uint32_t n, llvm::StringRef type, uint32_t laneOffset) {
  const uint32_t split = path.path == DataPath::SplitInTwo ? 2 : path.path == DataPath::SplitInFour ? 4 : 1;
  Layout layout = inTensorMemory("D", (llvm::Twine(m) + "x" + llvm::Twine(n) + " of ." + type).str(), bitsOfType(type),
                                 "PTX ISA 9.7.16.10.5; cute mma_traits_sm100_frag.hpp (tmem_frg, tmem_frg_ws)");
  layRows(layout, path, laneOffset);
  layout.count(n / split, Word, 1, Column, 1).count(split, Lane, 128 / split, Column, n / split);
  layout.notes.push_back(std::string("Layout ") + path.name + " of PTX ISA 9.7.16.10.5");
  if (bitsOfType(type) == 16)
    layout.notes.push_back("each element has a column of its own, in the lower half of the word");
  // Lists the addresses from which a warp loads: one for each piece of 32 (or 16) lanes.
  const uint32_t lanes = path.path == DataPath::Half ? 16 : 32;
  for (uint32_t cta = 0; cta < path.ctas; ++cta)
    for (uint32_t warp = 0; warp < 4; ++warp) {
      const uint32_t lane = 32 * warp + laneOffset;
      const auto first = elementAt(layout, {cta, lane, 0, 0});
      if (!first)
        continue;
      std::string where = path.ctas == 2 ? "CTA " + std::to_string(cta) + ", " : "";
      layout.notes.push_back((where + "warp " + llvm::Twine(warp) + ": taddr + " + hex(lane << 16) + ", rows " +
                              llvm::Twine((*first)[Row]) + "-" + llvm::Twine((*first)[Row] + lanes - 1) + ", columns " +
                              llvm::Twine((*first)[Column]) + "-" + llvm::Twine((*first)[Column] + n / split - 1))
                                 .str());
    }
  return layout;
}

/// Returns the layout of A in tensor memory. 6-bit elements have separate bytes, and so have 4-bit elements unless two
/// share a byte.
Layout multiplicandIn(const PathLayout &path, uint32_t m, uint32_t k, llvm::StringRef type, uint32_t bits,
                      uint32_t laneOffset) {
  Layout layout = inTensorMemory("A", (llvm::Twine(m) + "x" + llvm::Twine(k) + " of ." + type).str(), bits,
                                 "PTX ISA 9.7.16.10.4, 9.7.16.10.5; cute mma_traits_sm100_frag.hpp (tmem_frg)");
  layRows(layout, path, laneOffset);
  layout.count(32 / bits, Bit, bits, Column, 1).count(k * bits / 32, Word, 1, Column, 32 / bits);
  if (path.path == DataPath::SplitInTwo || path.path == DataPath::SplitInFour) {
    const uint32_t copies = path.path == DataPath::SplitInTwo ? 2 : 4;
    layout.count(copies, Lane, 128 / copies, Column, 0);
    layout.notes.push_back("every group of lanes holds all of A");
  }
  return layout;
}

Layout scaleFactorsIn(bool ofA, uint32_t count, uint32_t factors, uint32_t id, uint32_t lanesSplit) {
  Layout layout = inTensorMemory(
      ofA ? "scale-a" : "scale-b",
      (llvm::Twine(count) + (ofA ? " rows, " : " columns, ") + llvm::Twine(factors) + " factors of 8 bits each").str(),
      8,
      "PTX ISA 9.7.16.10.7; cute mma_traits_sm100_frag.hpp (tmem_sf_frg), "
      "cutlass sm103_blockscaled_mma_warpspecialized.hpp (K = 96)");
  const Along outer = ofA ? Row : Column, inner = ofA ? Column : Row;
  layout.elementNames[inner] = "factor";
  layout.origin[Bit] = 8 * id;
  // Rows fill the 32 lanes, then the next column. The next four factors follow all rows, so three or six factors may
  // begin in one word and end in another.
  const uint32_t blocks = (count / lanesSplit + 127) / 128 * 4;
  layout.carryStep = blocks;
  layout.count(factors, Bit, 8, inner, 1);
  const uint32_t here = count / lanesSplit;
  layout.limit[outer] = count;
  layout.count(std::min(32u, here), Lane, 1, outer, 1).count((here + 31) / 32, Word, 1, outer, 32);
  if (lanesSplit == 2) {
    layout.count(2, Lane, 64, outer, here).count(2, Lane, 32, outer, 0);
    layout.notes.push_back("the halves of N are in lanes 0-63 and 64-127, and each is stored twice");
  } else {
    layout.count(4, Lane, 32, outer, 0);
    layout.notes.push_back("all four groups of 32 lanes hold the same data");
  }
  return layout;
}

/// Returns the layout of the metadata of a sparse A. For elements of at least 16 bits, each lane describes two rows,
/// for narrower ones its own row.
Layout metadataIn(const PathLayout &path, uint32_t m, uint32_t k, llvm::StringRef kind, uint32_t selector,
                  uint32_t laneOffset) {
  const bool wide = kind == "f16" || kind == "ti16" || kind == "tf32";
  const uint32_t chunk = kind == "tf32" ? 2 : kind.starts_with("mxf4") ? 8 : 4, chunks = k / chunk;
  Layout layout = inTensorMemory("metadata",
                                 (llvm::Twine(m) + "x" + llvm::Twine(chunks) + " indices of 4 bits, one for each " +
                                  llvm::Twine(chunk) + " columns of A")
                                     .str(),
                                 4,
                                 "PTX ISA 9.7.16.10.8.4; cute mma_traits_sm100_frag.hpp (tmem_e_frg, tmem_e_frg_ws); "
                                 "JAX Mosaic GPU (format_tcgen05_sparse_metadata)");
  layout.elementNames[Column] = "chunk";
  const bool half = path.path == DataPath::Half;
  if (wide) {
    layout.count(chunks / 2, Bit, 4, Column, 1)
        .count(8, Lane, 1, Row, 1)
        .count(2, Bit, 16, Row, 8)
        .count(2, Lane, 8, Column, chunks / 2)
        .count(path.rows / 16, Lane, half ? 32 : 16, Row, 16)
        .count(path.ctas, Cta, 1, Row, path.rows);
    layout.origin[Word] = selector;
    layout.notes.push_back("the sparsity selector counts columns from the address, which is even");
  } else {
    layout.count(8, Bit, 4, Column, 1).count(chunks / 8, Word, 1, Column, 8);
    layRows(layout, path, 0);
    layout.notes.push_back("the sparsity selector is 0");
  }
  if (half)
    layout.origin[Lane] = laneOffset;
  if (path.path == DataPath::SplitInTwo || path.path == DataPath::SplitInFour) {
    const uint32_t copies = path.path == DataPath::SplitInTwo ? 2 : 4;
    layout.count(copies, Lane, 128 / copies, Column, 0);
  }
  layout.notes.push_back(kind == "tf32" ? "an index is 0b1110 (the upper of two columns) or 0b0100 (the lower)"
                                        : "an index is one of 0b0100 0b1000 0b1100 0b1001 0b1101 0b0110 0b1110");
  return layout;
}

} // namespace

static void explain(Layout &layout, uint32_t lanes, uint32_t columns, uint32_t registers, uint32_t warp) {
  layout.what = (llvm::Twine(lanes) + " lanes of " + llvm::Twine(columns) + " columns, " + llvm::Twine(registers) +
                 " registers a thread")
                    .str();
  layout.notes.push_back((llvm::Twine("warp ") + llvm::Twine(warp) + " of a warpgroup reaches lanes " +
                          llvm::Twine(32 * warp) + "-" + llvm::Twine(32 * warp + 31) +
                          "; lane and column are relative to the address")
                             .str());
}

Answer describeTensorLoad(const Words &words, const Request &request) {
  uint32_t times = 1;
  for (llvm::StringRef word : words.all)
    if (word.consume_front("x") && word.getAsInteger(10, times))
      return Answer::refuse("`.x" + word.str() + "` is not a count");
  const bool packed = words.has("pack::16b") || words.has("unpack::16b");
  const uint32_t warp = request.number("warp", 0);
  if (warp > 3)
    return Answer::refuse("a warp of a warpgroup is 0 to 3");
  if (times == 0 || (times & (times - 1)) || times > 128)
    return Answer::refuse("a count is .x1, .x2, .x4, ... .x128");
  Layout layout;
  layout.name = "fragment";
  layout.source = "PTX ISA 9.7.16.2.3.1, 9.7.16.8; cute copy_traits_sm100.hpp";
  layout.elementNames[Row] = "lane";
  layout.elementBits = packed ? 16 : 32;
  // A packed register holds the lower halves of two neighbouring columns.
  const uint32_t wide = packed ? 2 : 1;
  layout.count(wide, Bit, 16, Column, 1);
  uint32_t registers = times, columns = 0, lanes = 16;
  if (words.has("32x32b")) {
    layout.count(32, Lane, 1, Row, 1).count(times, Word, 1, Column, wide);
    columns = times;
    lanes = 32;
  } else if (words.has("16x64b")) {
    layout.count(2, Lane, 1, Row, 8).count(2, Lane, 2, Column, wide).count(8, Lane, 4, Row, 1);
    layout.count(times, Word, 1, Column, 2 * wide);
    columns = 2 * times;
  } else if (words.has("16x128b")) {
    layout.count(4, Lane, 1, Column, wide).count(8, Lane, 4, Row, 1).count(2, Word, 1, Row, 8);
    layout.count(times, Word, 2, Column, 4 * wide);
    columns = 4 * times;
    registers = 2 * times;
  } else if (words.has("16x256b")) {
    layout.count(2, Word, 1, Column, wide).count(4, Lane, 1, Column, 2 * wide).count(8, Lane, 4, Row, 1);
    layout.count(2, Word, 2, Row, 8).count(times, Word, 4, Column, 8 * wide);
    columns = 8 * times;
    registers = 4 * times;
  } else if (words.has("16x32bx2")) {
    const uint32_t split = request.number("split", times * wide), columnsOfMemory = 512;
    if (split > columnsOfMemory - times * wide)
      return Answer::refuse("a split offset of " + std::to_string(split) + " exceeds the 512 columns of tensor memory");
    if (split < times * wide)
      return Answer::refuse("a split offset below " + std::to_string(times * wide) + " makes the halves overlap");
    layout.count(16, Lane, 1, Row, 1).count(times, Word, 1, Column, wide).count(2, Lane, 16, Column, split);
    layout.notes.push_back("the upper half starts " + std::to_string(split) + " columns further (immHalfSplitoff)");
    columns = 2 * times;
  } else {
    return Answer::refuse("tcgen05.ld and .st need a shape: .32x32b, .16x64b, .16x128b, .16x256b or .16x32bx2");
  }
  if (registers > 128)
    return Answer::refuse("that would need " + std::to_string(registers) + " registers; at most 128 are possible");
  explain(layout, lanes, columns * wide, registers, warp);
  if (packed)
    layout.notes.push_back("each 16 bits are the lower half of a column");
  Answer answer;
  answer.layouts = {layout};
  return answer;
}

Answer describeTensorCopy(const Words &words) {
  struct CopyShape {
    const char *word;
    uint32_t rows, columns;
  };
  static constexpr CopyShape shapes[] = {
      {"128x256b", 128, 8}, {"128x128b", 128, 4}, {"64x128b", 64, 4}, {"32x128b", 32, 4}, {"4x256b", 4, 8}};
  for (const CopyShape &shape : shapes) {
    if (!words.has(shape.word))
      continue;
    Layout layout =
        inTensorMemory("copy", (llvm::Twine(shape.rows) + "x" + llvm::Twine(shape.columns) + " words of 32 bits").str(),
                       32, "PTX ISA 9.7.16.9.2; cute copy_traits_sm100.hpp (UTCCP)");
    layout.count(shape.columns, Word, 1, Column, 1);
    if (shape.rows == 128) {
      layout.count(128, Lane, 1, Row, 1);
    } else if (shape.rows == 64 && words.has("warpx2::01_23")) {
      layout.count(32, Lane, 1, Row, 1).count(2, Lane, 64, Row, 32).count(2, Lane, 32, Row, 0);
      layout.notes.push_back("warps 0 and 1 receive one half, warps 2 and 3 the other");
    } else if (shape.rows == 64) {
      layout.count(64, Lane, 1, Row, 1).count(2, Lane, 64, Row, 0);
      layout.notes.push_back("warps 0 and 2 receive one half, warps 1 and 3 the other");
    } else if (shape.rows == 32) {
      layout.count(32, Lane, 1, Row, 1).count(4, Lane, 32, Row, 0);
      layout.notes.push_back("all four warps receive the same data");
    } else {
      layout.count(4, Lane, 32, Row, 1);
      layout.notes.push_back("one lane in each group of 32, starting at the lane of the address");
    }
    if (words.has("cta_group::2"))
      layout.notes.push_back("both CTAs of the pair receive the same data");
    Answer answer;
    answer.layouts = {layout};
    if (words.has("b4x16_p64"))
      answer.layouts.insert(answer.layouts.end(), {sixteenElements(4, true), elementInByte("e2m1")});
    if (words.has("b6x16_p32"))
      answer.layouts.insert(answer.layouts.end(),
                            {sixteenElements(6, true), elementInByte("e3m2"), elementInByte("e2m3")});
    return answer;
  }
  return Answer::refuse("tcgen05.cp needs a shape: .128x256b, .128x128b, .64x128b, .32x128b or .4x256b");
}

/// The sizes M, N and K of one product, and the number of CTAs that compute it.
struct Product {
  uint32_t m, n, k, ctas;
};

static Answer withScaleFactors(Answer answer, const Words &words, const Request &request, const Product &product,
                               llvm::StringRef kind, bool isSplitInTwo) {
  const auto [m, n, k, ctas] = product;
  const bool isOfEightBits = !kind.starts_with("mxf4");
  const llvm::StringRef vector = words.behind("scale_vec::");
  if ((isOfEightBits && (words.has("block16") || (!vector.empty() && vector != "1X"))) ||
      (!isOfEightBits && vector == "1X") || (kind == "mxf4" && (words.has("block16") || vector == "4X")))
    return Answer::refuse(".kind::" + kind.str() +
                          " does not have that number of scale factors (PTX ISA 9.7.16.10.7.1)");
  uint32_t factors = isOfEightBits ? 1 : words.has("scale_vec::4X") || words.has("block16") ? 4 : 2;
  if (k == 96)
    factors = factors == 4 ? 6 : 3;
  const uint32_t idA = request.number("sfa-id", 0), idB = request.number("sfb-id", 0);
  auto allowed = [&](uint32_t id) {
    return factors == 1 || factors == 3 ? id <= 3 : factors == 4 ? id == 0 : id == 0 || id == 2;
  };
  if (!allowed(idA) || !allowed(idB))
    return Answer::refuse("a scale factor id with " + std::to_string(factors) + " factors is " +
                          (factors == 4                   ? "0"
                           : factors == 1 || factors == 3 ? "0 to 3"
                                                          : "0 or 2"));
  Layout scaleA = scaleFactorsIn(true, m / ctas, factors, idA, 1);
  if (ctas == 2) {
    scaleA.what = (llvm::Twine(m) + " rows, " + llvm::Twine(factors) + " factors of 8 bits each").str();
    scaleA.count(2, Cta, 1, Row, m / 2);
    scaleA.limit[Row] = m;
  }
  answer.layouts.push_back(scaleA);
  if (isSplitInTwo && n % 64)
    answer.notes.push_back("scale-b is known for multiples of 64 columns only where N is split");
  else
    answer.layouts.push_back(scaleFactorsIn(false, n, factors, idB, isSplitInTwo ? 2 : 1));
  return answer;
}

Answer describeTensorMma(const Words &words, const Request &request) {
  const llvm::StringRef kind = words.behind("kind::");
  if (kind.empty())
    return Answer::refuse("tcgen05.mma needs a kind, as in tcgen05.mma.cta_group::1.kind::f16");
  static constexpr llvm::StringLiteral kinds[] = {"f16",  "tf32",     "f8f6f4", "i8",
                                                  "ti16", "mxf8f6f4", "mxf4",   "mxf4nvf4"};
  if (!llvm::is_contained(kinds, kind))
    return Answer::refuse("tcgen05.mma has no .kind::" + kind.str());
  const bool sparse = words.has("sp"), ws = words.has("ws");
  const uint32_t ctas = words.has("cta_group::2") ? 2 : 1;
  const uint32_t m = request.number("m", 128 * ctas), n = request.number("n", 64);
  const uint32_t offset = request.number("lane-offset", 0);
  const auto path = pathLayout(m, ctas, sparse, ws);
  if (!path)
    return Answer::refuse("no data path layout has M = " + std::to_string(m) + " with .cta_group::" +
                          std::to_string(ctas) + (ws ? " and .ws" : "") + " (PTX ISA 9.7.16.10.5)");
  if (n == 0 || n > 256 || n % 8)
    return Answer::refuse("N is a multiple of 8 up to 256");
  if (offset && (offset != 16 || path->path != DataPath::Half))
    return Answer::refuse("only layouts C and F may start at lane 16");
  const uint32_t width = llvm::StringSwitch<uint32_t>(kind)
                             .Case("tf32", 32)
                             .Case("f16", 16)
                             .Case("ti16", 16)
                             .StartsWith("mxf4", 4)
                             .Default(8);
  const uint32_t k = request.number("k", 256 / width * (sparse ? 2 : 1));
  if (k != 256 / width * (sparse ? 2 : 1) && !(k == 96 && width == 4 && !sparse))
    return Answer::refuse("K of .kind::" + kind.str() + " is " + std::to_string(256 / width * (sparse ? 2 : 1)) +
                          (width == 4 && !sparse ? " or 96" : ""));
  const llvm::StringRef d = !request.text("d").empty()       ? request.text("d")
                            : kind == "i8" || kind == "ti16" ? "s32"
                                                             : "f32";
  const llvm::StringRef a = !request.text("a").empty() ? request.text("a")
                            : kind == "f16"            ? "f16"
                            : kind == "tf32"           ? "tf32"
                            : kind == "ti16"           ? "s1z4m11"
                            : kind == "i8"             ? "s8"
                            : width == 4               ? "e2m1"
                                                       : "e4m3";
  if (!bitsOfType(d) || !bitsOfType(a))
    return Answer::refuse("`" + (bitsOfType(d) ? a : d).str() + "` is not an element type");
  Answer answer;
  answer.layouts.push_back(accumulatorIn(*path, m, n, d, offset));
  answer.layouts.push_back(multiplicandIn(*path, m, sparse ? k / 2 : k, a, width, offset));
  answer.layouts.back().notes.push_back("if A is in tensor memory; otherwise it is in shared memory, like B "
                                        "(`ptxray layout smem`)");
  if (width == 8 && (bitsOfType(a) == 4 || bitsOfType(a) == 6))
    answer.layouts.push_back(elementInByte(a));
  if (sparse)
    answer.layouts.push_back(metadataIn(*path, m, k, kind, request.number("selector", 0), offset));
  if (sparse && request.number("selector", 0) > (width >= 16 ? 1 : 0))
    return Answer::refuse(width >= 16 ? "the sparsity selector is 0 or 1" : "the sparsity selector of this kind is 0");
  if (kind.starts_with("mx"))
    return withScaleFactors(std::move(answer), words, request, {m, n, k, ctas}, kind,
                            path->path == DataPath::SplitInTwo);
  return answer;
}

} // namespace ptxray::layout
