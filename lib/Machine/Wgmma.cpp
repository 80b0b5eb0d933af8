// Products of a warpgroup. Each warp computes its own quarter of the rows when it executes the instruction.
#include "Descriptor/Descriptor.h"
#include "Isa/Words.h"
#include "Layout/Instructions.h"
#include "Machine/Async.h"
#include "Machine/Flight.h"
#include "Machine/MatrixProduct.h"
#include "Machine/Notify.h"
#include "Machine/Products.h"
#include <array>
#include <cstring>

namespace ptxray::machine {

/// The location of a fragment's element: a register, its lane, and the first bit.
struct FragmentPlace {
  uint16_t word;
  uint8_t lane, bit;
};

/// The order of a warp's sums in registers, relative to row-major order. A pair of neighbours is in two registers of a
/// lane, or in one. The pairs of four lanes are eight neighbours.
struct SumsOrder {
  std::vector<uint32_t> first; // for each pair: its index in lane 0
  // For each four lanes, the offset of their pairs from those of lane 0.
  std::array<uint32_t, warpSize / 4> ofFourLanes = {};
};

/// The locations of fragment elements.
struct WarpgroupLayouts {
  int64_t selector = 0;                 // for a sparse product
  std::vector<FragmentPlace> placesOfA; // for the rows of one warp; K varies slowest
  SumsOrder orderOfD;
  std::vector<FragmentPlace> placesOfIndices; // locations of the metadata
};

namespace {

constexpr uint32_t rowsOfWarp = 16, rowsOfGroup = 64;

/// Payload of wgmma.mma_async.
struct WarpgroupProduct {
  uint32_t n = 0, k = 0; // k: number of stored elements of A
  ProductKind kind;
  Place a, b;                            // descriptors
  llvm::SmallVector<Place, 4> registers; // registers of A, if it is not in shared memory
  llvm::SmallVector<Place, 128> d;
  bool isSparse = false, isTransposedA = false, isTransposedB = false, keeps = false;
  Place metadata, scaleOfD;
  bool isNot = false; // the predicate is negated
  std::shared_ptr<const WarpgroupLayouts> layouts;
};

FragmentPlace placeIn(const layout::Layout &layout, uint32_t row, uint32_t column) {
  const layout::Place place = layout::placesOf(layout, {row, column, 0})[0];
  return {static_cast<uint16_t>(place[layout::Word]), static_cast<uint8_t>(place[layout::Lane]),
          static_cast<uint8_t>(place[layout::Bit])};
}

/// Returns the locations of a fragment's elements in the first 16 rows: row by row, or column by column.
std::vector<FragmentPlace> placesIn(const layout::Layout &layout, bool isByColumn = false) {
  const uint32_t columns = layout::size(layout, layout::Column), all = rowsOfWarp * columns;
  std::vector<FragmentPlace> result;
  for (uint32_t i = 0; i < all; ++i)
    result.push_back(isByColumn ? placeIn(layout, i % rowsOfWarp, i / rowsOfWarp)
                                : placeIn(layout, i / columns, i % columns));
  return result;
}

/// Returns the order of sums, or nothing if lanes hold the elements in an unsupported order.
std::optional<SumsOrder> orderOf(llvm::ArrayRef<FragmentPlace> places, bool areHalves) {
  SumsOrder order;
  order.first.resize(places.size() / 2 / warpSize);
  const auto pair = [&](const FragmentPlace &place) { return areHalves ? place.word : place.word / 2; };
  const auto isSecond = [&](const FragmentPlace &place) { return areHalves ? place.bit != 0 : place.word % 2 != 0; };
  for (uint32_t i = 0; i < places.size(); ++i)
    if (places[i].lane == 0 && !isSecond(places[i]))
      order.first[pair(places[i])] = i;
  for (uint32_t i = 0; i < places.size(); ++i)
    if (places[i].lane % 4 == 0 && places[i].word == 0 && !isSecond(places[i]))
      order.ofFourLanes[places[i].lane / 4] = i - order.first[0];
  for (uint32_t i = 0; i < places.size(); ++i) {
    const FragmentPlace &place = places[i];
    if (order.first[pair(place)] + order.ofFourLanes[place.lane / 4] + place.lane % 4 * 2 + isSecond(place) != i)
      return std::nullopt;
  }
  return order;
}

uint32_t wordIn(const char *registers, Place place, unsigned lane) {
  uint32_t word = 0;
  std::memcpy(&word, registers + place.slot + size_t(lane) * (place.bits / 8), std::min(4, place.bits / 8));
  return word;
}

std::optional<SharedMatrix> sharedMatrix(uint64_t descriptor, uint32_t rows, uint32_t depth, uint32_t bits,
                                         bool isAlongK) {
  static const descriptor::Format &format = *descriptor::findFormat("wgmma-smem", "");
  static const descriptor::Field &start = *format.field("start"), &baseOffset = *format.field("base-offset"),
                                 &leading = *format.field("lbo"), &stride = *format.field("sbo"),
                                 &swizzle = *format.field("swizzle");
  const auto get = [&](const descriptor::Field &field) { return field.of(descriptor) << field.shift; };
  SharedMatrix result;
  result.start = get(start);
  result.baseOffset = get(baseOffset);
  result.form = {rows, depth, bits, isAlongK, 0, get(leading), get(stride)};
  const int wanted = static_cast<int>(get(swizzle));
  for (const layout::SwizzleMode &mode : layout::swizzleModes)
    if (mode.wgmma == wanted)
      result.form.mode = static_cast<uint8_t>(&mode - layout::swizzleModes);
  return fitsSwizzle(result.form) ? std::optional(result) : std::nullopt;
}

std::optional<SharedMatrix> operand(const WarpgroupProduct &product, bool isA, const char *registers, unsigned lane) {
  const uint64_t descriptor = addressIn(registers, {isA ? product.a : product.b, 0}, lane);
  const uint32_t depth = product.k * (!isA && product.isSparse ? 2 : 1);
  return sharedMatrix(descriptor, isA ? rowsOfGroup : product.n, depth, isA ? product.kind.a.bits : product.kind.b.bits,
                      !(isA ? product.isTransposedA : product.isTransposedB));
}

/// The matrices in shared memory. A may be in registers instead.
struct Matrices {
  std::optional<SharedMatrix> a, b;
};

/// Reports that the warpgroup reads operands in shared memory. Only the first warp reports and counts.
void watchOperands(const Matrices &matrices, unsigned lane, const Op &op, Warp &warp) {
  if (warp.number % 4)
    return;
  for (const auto *matrix : {&matrices.a, &matrices.b})
    if (*matrix) {
      reportAmount(warp, op, Space::Shared, (*matrix)->bytes());
      reportMatrix(warp, op, *warp.block, **matrix, lane);
    }
}

std::shared_ptr<const Prepared> fromShared(const SharedMatrix &matrix, const OperandType &type, bool isNegative,
                                           unsigned lane, const Op &op, Warp &warp) {
  auto found = warp.block->grid->matrices.find(matrix, type, isNegative, warp.block->shared);
  if (!found)
    report(warp, op, AccessFault::OutOfBounds, {{}, 0, Space::Shared}, matrix.start, 16, false, lane);
  return found;
}

std::shared_ptr<const Prepared> fromRegisters(const WarpgroupProduct &product, const char *registers) {
  const OperandType &type = product.kind.a;
  const uint32_t sign = product.kind.isNegative ? static_cast<uint32_t>(type.format->signBit()) : 0;
  std::vector<uint32_t> codes;
  codes.reserve(product.layouts->placesOfA.size());
  for (const FragmentPlace &place : product.layouts->placesOfA) {
    const uint32_t word = wordIn(registers, product.registers[place.word], place.lane) >> place.bit;
    codes.push_back((type.bits == 32 ? word : word & ((1u << type.bits) - 1)) ^ sign);
  }
  return std::make_shared<const Prepared>(prepare(rowsOfWarp, product.k, type, codes));
}

/// Returns the columns of B that correspond to the elements of A.
std::vector<uint16_t> columnsOf(const WarpgroupProduct &product, const char *registers, uint32_t rows, uint32_t first) {
  const uint32_t bits = product.kind.a.bits, chunk = chunkOfIndex(bits), chunks = 2 * product.k / chunk;
  std::vector<uint16_t> result(size_t(rows) * product.k);
  for (uint32_t row = 0; row < rowsOfWarp; ++row) {
    size_t at = size_t(first + row) * product.k;
    for (uint32_t i = 0; i < chunks; ++i) {
      const FragmentPlace &place = product.layouts->placesOfIndices[row * chunks + i];
      const uint32_t index = wordIn(registers, product.metadata, place.lane) >> place.bit & 15;
      for (const uint8_t column : chosenColumns(index, bits))
        result[at++] = static_cast<uint16_t>(i * chunk + column);
    }
  }
  return result;
}

using FourWords = uint32_t __attribute__((vector_size(16)));

/// Moves the pairs of four lanes, given their first and second elements, to eight neighbouring `sums`.
void interleave(const FourWords &first, const FourWords &second, uint32_t *sums) {
  const FourWords pairs[] = {__builtin_shufflevector(first, second, 0, 4, 1, 5),
                             __builtin_shufflevector(first, second, 2, 6, 3, 7)};
  std::memcpy(sums, pairs, sizeof pairs);
}
void separate(const uint32_t *sums, FourWords &first, FourWords &second) {
  FourWords pairs[2];
  std::memcpy(pairs, sums, sizeof pairs);
  first = __builtin_shufflevector(pairs[0], pairs[1], 0, 2, 4, 6);
  second = __builtin_shufflevector(pairs[0], pairs[1], 1, 3, 5, 7);
}

bool hasHalves(const WarpgroupProduct &product) { return product.kind.result && product.kind.result->width() == 16; }

/// Calls `move` with the register bytes of pairs in four lanes, and the location of their sums.
template <bool AreHalves, class Move>
void forPairs(const WarpgroupProduct &product, char *registers, uint32_t *sums, Move move) {
  const std::array<uint32_t, warpSize / 4> ofFourLanes = product.layouts->orderOfD.ofFourLanes;
  const uint32_t *const first = product.layouts->orderOfD.first.data();
  const Place *const d = product.d.data();
  const size_t pairs = product.layouts->orderOfD.first.size();
  for (size_t pair = 0; pair < pairs; ++pair) {
    char *const one = registers + d[AreHalves ? pair : 2 * pair].slot;
    char *const other = AreHalves ? one : registers + d[2 * pair + 1].slot;
    uint32_t *const to = sums + first[pair];
    for (size_t four = 0; four < ofFourLanes.size(); ++four)
      move(one + four * sizeof(FourWords), other + four * sizeof(FourWords), to + ofFourLanes[four]);
  }
}

/// Reads the sums of the warp's rows in register order.
void readSums(const WarpgroupProduct &product, char *registers, uint32_t *sums) {
  if (hasHalves(product))
    return forPairs<true>(product, registers, sums, [](const char *both, const char *, uint32_t *to) {
      FourWords words;
      std::memcpy(&words, both, sizeof words);
      interleave(words & 0xffff, words >> 16, to);
    });
  forPairs<false>(product, registers, sums, [](const char *one, const char *other, uint32_t *to) {
    FourWords first, second;
    std::memcpy(&first, one, sizeof first);
    std::memcpy(&second, other, sizeof second);
    interleave(first, second, to);
  });
}
void writeSums(const WarpgroupProduct &product, char *registers, uint32_t *sums) {
  if (hasHalves(product))
    return forPairs<true>(product, registers, sums, [](char *both, char *, const uint32_t *from) {
      FourWords first, second;
      separate(from, first, second);
      first |= second << 16;
      std::memcpy(both, &first, sizeof first);
    });
  forPairs<false>(product, registers, sums, [](char *one, char *other, const uint32_t *from) {
    FourWords first, second;
    separate(from, first, second);
    std::memcpy(one, &first, sizeof first);
    std::memcpy(other, &second, sizeof second);
  });
}

/// Adds the places of the elements of a matrix in shared memory: row after row.
void addPlaces(const SharedMatrix &matrix, uint32_t first, uint32_t rows, Warp &warp, std::vector<ElementPlace> &to) {
  const std::shared_ptr<const MatrixPlaces> known = warp.block->grid->matrices.placesOf(matrix);
  const SharedForm &form = matrix.form;
  for (uint32_t row = first; row < first + rows; ++row)
    for (uint32_t k = 0; k < form.depth; ++k) {
      const uint64_t at =
          (form.isAlongK ? uint64_t(row) * form.depth + k : uint64_t(k) * form.rows + row) * form.bits / 8;
      to.push_back({.memory = warp.block->shared.data() + known->places[at / 16] + at % 16});
    }
}

/// Reports a product to observers that do not compute with numbers.
void reportProduct(const WarpgroupProduct &product, const Matrices &matrices, bool isAdded, const Op &op, Warp &warp) {
  if (!observersOf(warp).want(events::Products))
    return;
  GroupProduct report{product.kind, rowsOfWarp, product.n, product.k, isAdded, product.isSparse, {}, {}, {}};
  if (matrices.a)
    addPlaces(*matrices.a, warp.number % 4 * rowsOfWarp, rowsOfWarp, warp, report.a);
  else
    for (uint32_t row = 0; row < rowsOfWarp; ++row)
      for (uint32_t k = 0; k < product.k; ++k) {
        const FragmentPlace &place = product.layouts->placesOfA[size_t(k) * rowsOfWarp + row];
        report.a.push_back(
            {nullptr, product.registers[place.word].slot, place.lane, static_cast<uint8_t>(place.bit / 8)});
      }
  addPlaces(*matrices.b, 0, product.n, warp, report.b);
  report.d.resize(size_t(rowsOfWarp) * product.n);
  const SumsOrder &order = product.layouts->orderOfD;
  const bool areHalves = hasHalves(product);
  for (uint32_t pair = 0; pair < order.first.size(); ++pair)
    for (uint32_t lane = 0; lane < warpSize; ++lane)
      for (uint32_t second = 0; second < 2; ++second)
        report.d[order.first[pair] + order.ofFourLanes[lane / 4] + lane % 4 * 2 + second] = {
            nullptr, product.d[areHalves ? pair : 2 * pair + second].slot, static_cast<uint8_t>(lane),
            static_cast<uint8_t>(areHalves ? 2 * second : 0)};
  observersOf(warp).notify(events::Products, [&](Observer &one) { one.multiplies(warp, op, report); });
}

void multiplyInGroup(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &product = *static_cast<const WarpgroupProduct *>(op.more);
  const auto lane = static_cast<unsigned>(__builtin_ctz(mask));
  if (mask != allLanes)
    return reportUndefined(warp, op, lane, "a product of a warpgroup with missing lanes");
  Matrices matrices;
  if (product.registers.empty())
    matrices.a = operand(product, true, registers, lane);
  matrices.b = operand(product, false, registers, lane);
  if (!matrices.b || (!matrices.a && product.registers.empty()))
    return reportUndefined(warp, op, lane, "a matrix whose rows are longer than those that its descriptor swizzles");
  if (warp.doer.stage == Stage::Begin)
    return watchOperands(matrices, lane, op, warp);
  bool isAdded = product.keeps;
  if (product.scaleOfD.bits) {
    uint32_t lanes;
    std::memcpy(&lanes, registers + product.scaleOfD.slot, 4);
    isAdded = (lanes >> lane & 1) != uint32_t(product.isNot);
  }
  numbers::Elements<uint32_t> sums(size_t(rowsOfWarp) * product.n);
  if (isAdded)
    readSums(product, registers, sums.data());
  else
    std::fill_n(sums.data(), sums.size(), 0);
  const uint32_t quarter = matrices.a ? warp.number % 4 * rowsOfWarp : 0;
  const std::shared_ptr<const Prepared> a =
      matrices.a ? fromShared(*matrices.a, product.kind.a, product.kind.isNegative, lane, op, warp)
                 : fromRegisters(product, registers);
  const std::shared_ptr<const Prepared> b =
      a ? fromShared(*matrices.b, product.kind.b, false, lane, op, warp) : nullptr;
  if (!b)
    return;
  const std::vector<uint16_t> columns =
      product.isSparse ? columnsOf(product, registers, a->rows, quarter) : std::vector<uint16_t>();
  addProducts(product.kind, *a, quarter, rowsOfWarp, *b, {sums.data(), sums.size()}, columns);
  watchOperands(matrices, lane, op, warp);
  reportProduct(product, matrices, isAdded, op, warp);
  writeSums(product, registers, sums.data());
}

// ---- lowering

/// Returns the types of result, A and B.
std::optional<ProductKind> kindOf(const Lowered &one) {
  llvm::SmallVector<isa::WordId, 4> types;
  for (const OpcodeWord &word : one.verdict.opcode->words)
    if (word.id && isa::word(word.id).wordClass == isa::WordClass::Type)
      types.push_back(word.id);
  if (types.size() != 3)
    return {};
  std::array<ElementType, 3> elements;
  for (size_t i = 0; i < 3; ++i) {
    const std::optional<ElementType> known = elementType(types[i]);
    if (!known)
      return {};
    elements[i] = *known;
  }
  ProductKind kind;
  kind.result = elements[0].format;
  kind.a = {elements[1].format, elements[1].isSigned(), static_cast<uint8_t>(elements[1].bits)};
  kind.b = {elements[2].format, elements[2].isSigned(), static_cast<uint8_t>(elements[2].bits)};
  kind.saturates = hasWord(one, ".satfinite");
  constexpr unsigned hopper = 90;
  if (kind.result)
    kind.model = numbers::sumModel({numbers::MatrixUnit::Wgmma, hopper, kind.a.format, kind.result});
  return kind;
}

int64_t numberAt(const Lowered &one, llvm::StringRef operand, int64_t otherwise) {
  const int node = one.node(operand);
  return node < 0 ? otherwise : one.nodes[node].value;
}

void addRegisters(const Lowered &one, llvm::StringRef operand, BodyLowering &lowering,
                  llvm::SmallVectorImpl<Place> &to) {
  const int node = one.node(operand);
  for (uint32_t at = node + 1; node >= 0 && at < uint32_t(node) + one.nodes[node].extent; ++at)
    to.push_back(lowering.placeOf(one, static_cast<int>(at), 32));
}

/// Returns the layouts of the fragments, or null if there are none.
std::shared_ptr<const WarpgroupLayouts> layoutsOf(const Lowered &one, const WarpgroupProduct &product) {
  auto layouts = std::make_shared<WarpgroupLayouts>();
  layouts->selector = numberAt(one, "sp-sel", 0);
  if (one.kind.layouts && one.kind.layouts->selector == layouts->selector)
    return one.kind.layouts;
  layout::Request request;
  request.instruction = one.verdict.opcode->spelling;
  request.settings["selector"] = std::to_string(layouts->selector);
  const layout::Answer answer = layout::describe(request);
  if (!answer.complaint.empty() || answer.layouts.size() < 2)
    return nullptr;
  if (!product.registers.empty())
    layouts->placesOfA = placesIn(answer.layouts[0], /*isByColumn=*/true);
  if (product.isSparse)
    layouts->placesOfIndices = placesIn(answer.layouts[2]);
  std::optional<SumsOrder> order = orderOf(placesIn(answer.layouts[1]), hasHalves(product));
  if (!order)
    return nullptr;
  layouts->orderOfD = std::move(*order);
  return one.kind.layouts = std::move(layouts);
}

} // namespace

bool multiplyInWarpgroup(const Lowered &one, BodyLowering &lowering) {
  WarpgroupProduct product;
  const std::optional<ProductKind> kind = kindOf(one);
  const auto shape = layout::Words(one.verdict.opcode->spelling).shape();
  if (!kind || !shape)
    return false;
  product.kind = *kind;
  product.n = (*shape)[1];
  product.isSparse = one.node("sp-meta") >= 0;
  product.k = (*shape)[2] / (product.isSparse ? 2 : 1);
  addRegisters(one, "d", lowering, product.d);
  addRegisters(one, "a", lowering, product.registers);
  if (one.node("a-desc") >= 0)
    product.a = lowering.placeAt(one, "a-desc", 64);
  product.b = lowering.placeAt(one, "b-desc", 64);
  product.kind.isNegative = numberAt(one, "imm-scale-a", 1) * numberAt(one, "imm-scale-b", 1) < 0;
  product.isTransposedA = numberAt(one, "imm-trans-a", 0);
  product.isTransposedB = numberAt(one, "imm-trans-b", 0);
  if (product.isSparse)
    product.metadata = lowering.placeAt(one, "sp-meta", 32);
  const int scale = one.node("scale-d");
  if (one.nodes[scale].kind == OperandKind::Integer)
    product.keeps = one.nodes[scale].value;
  else {
    product.scaleOfD = lowering.placeOf(one, scale, 1);
    product.isNot = one.nodes[scale].flags & Not;
  }
  product.layouts = layoutsOf(one, product);
  if (!product.layouts)
    return false;
  lowering.emit(multiplyInGroup, std::move(product));
  return true;
}

} // namespace ptxray::machine
