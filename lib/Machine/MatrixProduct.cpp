#include "Machine/MatrixProduct.h"
#include <cstring>

namespace ptxray::machine {

bool fitsSwizzle(const SharedForm &form) {
  constexpr uint32_t plain = 16;
  const uint32_t bytes = layout::swizzleModes[form.mode].bytes;
  return bytes == plain || !form.isAlongK || form.depth * form.bits <= bytes * 8;
}

uint32_t bitsAt(const uint8_t *bytes, uint32_t bit, uint32_t width) {
  uint64_t value = 0;
  const uint32_t last = (bit + width - 1) / 8;
  for (uint32_t byte = bit / 8; byte <= last; ++byte)
    value |= uint64_t(bytes[byte]) << 8 * (byte - bit / 8);
  return static_cast<uint32_t>(value >> bit % 8 & ((uint64_t(1) << width) - 1));
}

static int32_t extended(uint32_t code, const OperandType &type) {
  const unsigned unused = 32 - type.bits;
  return type.isSigned ? static_cast<int32_t>(code << unused) >> unused : static_cast<int32_t>(code);
}

Prepared prepare(uint32_t rows, uint32_t depth, const OperandType &type, llvm::ArrayRef<uint32_t> codes) {
  Prepared result;
  result.rows = rows;
  result.depth = depth;
  if (type.format) {
    result.floats.emplace(rows, depth, *type.format, std::span(codes.data(), codes.size()));
    return result;
  }
  result.integers.reserve(codes.size());
  for (const uint32_t code : codes)
    result.integers.push_back(extended(code, type));
  return result;
}

// ---- shared memory

const MatrixCache::Pieces &MatrixCache::piecesOf(const SharedForm &form) {
  const auto [found, isNew] = pieces.try_emplace(form);
  Pieces &result = found->second;
  if (!isNew)
    return result;
  const layout::SwizzleMode &mode = layout::swizzleModes[form.mode];
  const uint32_t run = 128 / form.bits, width = mode.bytes / 16, deep = mode.swizzleBase == 5 ? 4 : 8;
  const auto up = [](uint32_t count, uint32_t unit) { return (count + unit - 1) / unit * unit; };
  layout::CanonicalRequest request{&mode,
                                   form.isAlongK,
                                   form.bits,
                                   up(form.rows, form.isAlongK ? 8 : run * width),
                                   up(form.depth, form.isAlongK ? run : deep),
                                   form.leading,
                                   form.stride};
  layout::Layout layout = layout::canonicalLayout(request);
  layout.swizzle = {}; // addresses are swizzled instead of offsets
  const uint32_t perLine = (form.isAlongK ? form.depth : form.rows) / run;
  result.offsets.resize(size_t(perLine) * (form.isAlongK ? form.rows : form.depth));
  layout::forEach(layout, [&](layout::Element element, layout::Place place) {
    const uint32_t row = element[layout::Row], k = element[layout::Column];
    const uint32_t line = form.isAlongK ? row : k, at = form.isAlongK ? k : row;
    if (row < form.rows && k < form.depth && at % run == 0)
      result.offsets[size_t(line) * perLine + at / run] = place[layout::Bit] / 8;
  });
  return result;
}

/// Reads elements that occupy their full storage size.
template <class Element>
static void readWhole(const SharedForm &form, llvm::ArrayRef<uint8_t> bytes, uint32_t sign, uint32_t *codes) {
  constexpr uint32_t run = 16 / sizeof(Element);
  const uint32_t perLine = (form.isAlongK ? form.depth : form.rows) / run;
  const uint32_t lines = form.isAlongK ? form.rows : form.depth;
  const size_t step = form.isAlongK ? form.rows : 1, nextLine = form.isAlongK ? 1 : form.rows;
  const uint8_t *from = bytes.data();
  for (uint32_t line = 0; line < lines; ++line) {
    uint32_t *to = codes + line * nextLine;
    for (uint32_t piece = 0; piece < perLine; ++piece, from += 16)
      for (uint32_t i = 0; i < run; ++i, to += step) {
        Element element;
        std::memcpy(&element, from + i * sizeof element, sizeof element);
        *to = element ^ sign;
      }
  }
}

/// Returns the elements of 16-byte pieces; K varies slowest.
static std::vector<uint32_t> codesOf(const SharedForm &form, const OperandType &type, llvm::ArrayRef<uint8_t> bytes,
                                     bool isNegative) {
  const uint32_t run = 128 / form.bits, perLine = (form.isAlongK ? form.depth : form.rows) / run;
  const uint32_t sign = isNegative && type.format ? static_cast<uint32_t>(type.format->signBit()) : 0;
  std::vector<uint32_t> codes(size_t(form.rows) * form.depth);
  if (form.bits == type.bits && form.bits >= 8) {
    (form.bits == 8    ? readWhole<uint8_t>
     : form.bits == 16 ? readWhole<uint16_t>
                       : readWhole<uint32_t>)(form, bytes, sign, codes.data());
    return codes;
  }
  const uint32_t lines = form.isAlongK ? form.rows : form.depth;
  for (uint32_t line = 0; line < lines; ++line)
    for (uint32_t piece = 0; piece < perLine; ++piece) {
      const uint8_t *from = bytes.data() + (size_t(line) * perLine + piece) * 16;
      for (uint32_t i = 0; i < run; ++i) {
        const uint32_t at = piece * run + i;
        codes[form.isAlongK ? size_t(at) * form.rows + line : size_t(line) * form.rows + at] =
            bitsAt(from, i * type.bits, type.bits) ^ sign;
      }
    }
  return codes;
}

static std::vector<ByteRun> runsOf(llvm::ArrayRef<uint32_t> places) {
  constexpr uint32_t bytesOfPiece = 16;
  std::vector<ByteRun> runs;
  for (const uint32_t place : places)
    if (!runs.empty() && place == runs.back().end)
      runs.back().end += bytesOfPiece;
    else if (!runs.empty() && place + bytesOfPiece == runs.back().begin)
      runs.back().begin = place;
    else
      runs.push_back({place, place + bytesOfPiece});
  return runs;
}

std::shared_ptr<const MatrixPlaces> MatrixCache::placesOf(const SharedMatrix &matrix) {
  constexpr size_t mostKnown = 256;
  if (const auto found = known.find(matrix); found != known.end())
    return found->second;
  const layout::SwizzleMode &mode = layout::swizzleModes[matrix.form.mode];
  const layout::Swizzle swizzle{mode.swizzleBits, mode.swizzleBase, mode.swizzleShift};
  const uint32_t pattern = matrix.baseOffset * 128; // start of the swizzle pattern
  MatrixPlaces result;
  result.places = piecesOf(matrix.form).offsets;
  for (uint32_t &place : result.places) {
    const uint32_t linear = matrix.start + place;
    place = linear ^ (swizzle(linear - pattern) ^ (linear - pattern));
    result.end = std::max(result.end, place + 16);
  }
  result.runs = runsOf(result.places);
  if (known.size() >= mostKnown)
    known.clear();
  return known[matrix] = std::make_shared<const MatrixPlaces>(std::move(result));
}

static std::vector<uint8_t> gathered(const MatrixPlaces &places, llvm::ArrayRef<uint8_t> shared) {
  if (places.end > shared.size())
    return {};
  std::vector<uint8_t> bytes(places.places.size() * 16);
  for (size_t i = 0; i < places.places.size(); ++i)
    std::memcpy(&bytes[i * 16], &shared[places.places[i]], 16);
  return bytes;
}
/// Returns whether these bytes are still the contents of the matrix.
static bool areAt(const MatrixPlaces &places, llvm::ArrayRef<uint8_t> bytes, llvm::ArrayRef<uint8_t> shared) {
  if (places.end > shared.size())
    return false;
  const uint8_t *known = bytes.data();
  for (const uint32_t place : places.places) {
    if (std::memcmp(known, &shared[place], 16) != 0)
      return false;
    known += 16;
  }
  return true;
}

std::vector<uint8_t> MatrixCache::bytesOf(const SharedMatrix &matrix, llvm::ArrayRef<uint8_t> shared) {
  return gathered(*placesOf(matrix), shared);
}

std::shared_ptr<const Prepared> MatrixCache::find(const SharedMatrix &matrix, const OperandType &type, bool isNegative,
                                                  llvm::ArrayRef<uint8_t> shared) {
  constexpr size_t mostEntries = 16;
  for (const Entry &entry : entries)
    if (entry.matrix == matrix && entry.type == type && entry.isNegative == isNegative &&
        areAt(*entry.places, entry.bytes, shared))
      return entry.prepared;
  std::shared_ptr<const MatrixPlaces> places = placesOf(matrix);
  std::vector<uint8_t> bytes = gathered(*places, shared);
  if (bytes.empty())
    return nullptr;
  if (entries.size() < mostEntries)
    entries.emplace_back();
  Entry &entry = entries[oldest];
  oldest = (oldest + 1) % mostEntries;
  const std::vector<uint32_t> codes = codesOf(matrix.form, type, bytes, isNegative);
  entry = {matrix,
           std::move(places),
           type,
           isNegative,
           std::move(bytes),
           std::make_shared<const Prepared>(prepare(matrix.form.rows, matrix.form.depth, type, codes))};
  return entry.prepared;
}

// ---- products

/// Adds the products of a row of A to its sums.
static void addIntegers(const ProductKind &kind, const Prepared &a, uint32_t row, const Prepared &b,
                        llvm::ArrayRef<uint16_t> columns, llvm::MutableArrayRef<uint32_t> sums) {
  std::vector<uint32_t> products(sums.size());
  for (uint32_t k = 0; k < a.depth; ++k) {
    const int32_t factor = a.integers[size_t(k) * a.rows + row];
    const int32_t *const others = &b.integers[size_t(columns.empty() ? k : columns[k]) * b.rows];
    for (size_t column = 0; column < products.size(); ++column)
      products[column] += static_cast<uint32_t>(factor * others[column]);
  }
  for (size_t column = 0; column < sums.size(); ++column) {
    const int64_t total = int64_t(static_cast<int32_t>(sums[column])) + static_cast<int32_t>(products[column]);
    sums[column] = static_cast<uint32_t>(kind.saturates ? std::clamp<int64_t>(total, INT32_MIN, INT32_MAX) : total);
  }
}

void addProducts(const ProductKind &kind, const Prepared &a, uint32_t first, uint32_t count, const Prepared &b,
                 std::span<uint32_t> sums, llvm::ArrayRef<uint16_t> columns) {
  if (kind.result)
    return numbers::addProducts({*a.floats, first, count, {columns.data(), columns.size()}}, *b.floats, sums,
                                *kind.result, kind.model);
  for (uint32_t row = 0; row < count; ++row)
    addIntegers(kind, a, first + row, b,
                columns.empty() ? columns : columns.slice(size_t(first + row) * a.depth, a.depth),
                {&sums[size_t(row) * b.rows], b.rows});
}

uint32_t chunkOfIndex(uint32_t bits) { return bits == 32 ? 2 : bits == 4 ? 8 : 4; }

llvm::SmallVector<uint8_t, 4> chosenColumns(uint32_t index, uint32_t bits) {
  const auto first = static_cast<uint8_t>(index & 3), second = static_cast<uint8_t>(index >> 2 & 3);
  if (bits == 32)
    return {static_cast<uint8_t>(index == 0b1110)};
  if (bits == 4)
    return {static_cast<uint8_t>(2 * first), static_cast<uint8_t>(2 * first + 1), static_cast<uint8_t>(2 * second),
            static_cast<uint8_t>(2 * second + 1)};
  return {first, second};
}

} // namespace ptxray::machine
