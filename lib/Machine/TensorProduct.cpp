// Products of tcgen05.mma in the tensor memory of a block, or of a pair of blocks.
#include "Descriptor/Descriptor.h"
#include "Layout/Instructions.h"
#include "Machine/Async.h"
#include "Machine/Flight.h"
#include "Machine/Notify.h"
#include "Machine/Products.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace ptxray::machine {

std::optional<SharedMatrix> sharedMatrixOf(uint64_t descriptor, uint32_t rows, uint32_t depth, uint32_t bits,
                                           bool isAlongK) {
  static const descriptor::Format &format = *descriptor::findFormat("smem", "");
  if (format.get(descriptor, "lbo-mode"))
    return {};
  SharedMatrix result;
  result.start = format.get(descriptor, "start");
  result.baseOffset = format.get(descriptor, "base-offset");
  result.form = {rows, depth, bits, isAlongK, 0, format.get(descriptor, "lbo"), format.get(descriptor, "sbo")};
  const int wanted = static_cast<int>(format.get(descriptor, "swizzle"));
  for (const layout::SwizzleMode &mode : layout::swizzleModes)
    if (mode.tcgen05 == wanted && (!isAlongK || mode.hasKMajor())) {
      result.form.mode = static_cast<uint8_t>(&mode - layout::swizzleModes);
      return fitsSwizzle(result.form) ? std::optional(result) : std::nullopt;
    }
  return {};
}

namespace {

/// The location of an element in tensor memory: the block of a pair, and the column relative to the address.
struct TensorPlace {
  uint8_t block, bit;
  uint16_t lane, column;
};
/// The locations of a matrix's elements, row by row: one for each, or all copies, which have equal values.
using TensorPlaces = std::vector<TensorPlace>;
/// The locations of a matrix, and the lanes that it covers in each block. `lanes` contains a bit mask for each column,
/// in which a bit represents 16 lanes.
struct TensorMatrix {
  TensorPlaces places;
  std::array<std::vector<uint8_t>, 2> lanes;
};

std::vector<uint8_t> lanesIn(const TensorPlaces &places, uint32_t block) {
  std::vector<uint8_t> result;
  for (const TensorPlace &place : places) {
    if (place.block != block)
      continue;
    if (result.size() <= place.column)
      result.resize(place.column + 1);
    result[place.column] |= static_cast<uint8_t>(1 << place.lane / 16);
  }
  return result;
}

TensorMatrix tensorPlacesIn(const layout::Layout &layout) {
  const uint32_t rows = layout::size(layout, layout::Row), columns = layout::size(layout, layout::Column);
  TensorPlaces places(size_t(rows) * columns);
  std::vector<bool> areKnown(places.size()); // use the first copy
  layout::forEach(layout, [&](layout::Element element, layout::Place place) {
    const size_t at = size_t(element[layout::Row]) * columns + element[layout::Column];
    if (areKnown[at])
      return;
    areKnown[at] = true;
    places[at] = {static_cast<uint8_t>(place[layout::Cta]), static_cast<uint8_t>(place[layout::Bit]),
                  static_cast<uint16_t>(place[layout::Lane]), static_cast<uint16_t>(place[layout::Word])};
  });
  TensorMatrix result;
  result.lanes = {lanesIn(places, 0), lanesIn(places, 1)};
  result.places = std::move(places);
  return result;
}

/// Elements that are neighbours in a row and in a lane, starting at `first`.
struct TensorRun {
  uint32_t first, count;
  TensorPlace place;
};
std::vector<TensorRun> runsIn(const TensorPlaces &places, uint32_t perRow) {
  std::vector<TensorRun> runs;
  for (uint32_t i = 0; i < places.size(); ++i) {
    const TensorPlace &place = places[i];
    const TensorRun *const last = runs.empty() || i % perRow == 0 ? nullptr : &runs.back();
    if (last && place.block == last->place.block && place.lane == last->place.lane &&
        place.column == last->place.column + last->count)
      ++runs.back().count;
    else
      runs.push_back({i, 1, place});
  }
  return runs;
}

/// The shape and types of a product, from its instruction and instruction descriptor.
struct TensorShape {
  std::string problem;          // why it is not supported; empty if it is
  uint32_t m = 0, n = 0, k = 0; // k: elements of A that are stored
  bool isTransposedA = false, isTransposedB = false;
  ProductKind kind;
  uint32_t geometryBits = 16; // size of an element in shared memory
  const numbers::Format *scale = nullptr;
  bool hasGroups = false;
  uint32_t factors = 0; // number of scale factors per row
  TensorMatrix d, a, indices, scalesOfA, scalesOfB;
  std::vector<TensorRun> runsOfD;
};

/// Payload of tcgen05.mma.
struct TensorProduct {
  std::string instruction, kind; // the qualifiers in the source, and the kind, such as `f16`
  uint32_t ctas = 1;
  bool isSparse = false, isWeightStationary = false, isOfTensorMemory = false;
  unsigned architecture = 100;
  AddressOf d, addressOfA, metadata, scaleA, scaleB; // locations in tensor memory
  Place a, b, instructionDescriptor, zeroColumns;
  Place keeps; // predicate that determines whether the old sum is kept
  bool keepsAlways = false, isNot = false;
  uint32_t shift = 0;                   // number of times that the old sum is halved
  llvm::SmallVector<Place, 8> disabled; // lanes that are not modified
};

// ---- shapes

OperandType operandType(llvm::StringRef name) {
  static constexpr std::array all = {&numbers::f16,  &numbers::bf16, &numbers::tf32, &numbers::e4m3,
                                     &numbers::e5m2, &numbers::e2m3, &numbers::e3m2, &numbers::e2m1};
  for (const numbers::Format *format : all)
    if (name == format->name)
      return {format, false, static_cast<uint8_t>(format->width())};
  return {nullptr, name == "s8", 8};
}

void addLayouts(const TensorProduct &product, uint32_t lane, const descriptor::Format &format, uint32_t descriptor,
                TensorShape &shape) {
  layout::Request request;
  request.instruction = product.instruction;
  const auto set = [&](const char *name, llvm::StringRef value) { request.settings[name] = value.str(); };
  set("m", std::to_string(shape.m));
  set("n", std::to_string(shape.n));
  set("d", format.field("d") ? format.field("d")->meaning(descriptor) : "f32");
  set("a", format.field("a")->meaning(descriptor));
  set("lane-offset", std::to_string(lane));
  for (const char *name : {"selector", "sfa-id", "sfb-id"})
    if (const descriptor::Field *field = format.field(name))
      set(name, std::to_string(field->of(descriptor)));
  const layout::Answer answer = layout::describe(request);
  if (!answer.complaint.empty()) {
    shape.problem = "this product: " + answer.complaint;
    return;
  }
  for (const layout::Layout &layout : answer.layouts)
    if (layout.name == "D") {
      shape.d = tensorPlacesIn(layout);
      shape.runsOfD = runsIn(shape.d.places, shape.n);
    } else if (layout.name == "A" && product.isOfTensorMemory)
      shape.a = tensorPlacesIn(layout);
    else if (layout.name == "metadata" && product.isSparse)
      shape.indices = tensorPlacesIn(layout);
    else if (layout.name == "scale-a") {
      shape.scalesOfA = tensorPlacesIn(layout);
      shape.factors = layout::size(layout, layout::Column);
    } else if (layout.name == "scale-b")
      shape.scalesOfB = tensorPlacesIn(layout);
  if (product.scaleA.base.bits && shape.scalesOfB.places.empty())
    shape.problem = "scale factors of this shape";
}

TensorShape shapeOf(const TensorProduct &product, uint32_t descriptor, uint32_t lane) {
  TensorShape shape;
  const descriptor::Format *format =
      descriptor::findFormat("idesc", product.kind, descriptor::familyOf(product.architecture));
  if (!format) {
    shape.problem = "products of this kind";
    return shape;
  }
  for (const descriptor::Problem &problem : descriptor::checkFields(*format, descriptor))
    shape.problem = "an instruction descriptor with " + problem.text;
  if (!shape.problem.empty())
    return shape;
  const auto name = [&](const char *key) {
    const descriptor::Field *field = format->field(key);
    return field ? field->meaning(descriptor) : std::string();
  };
  shape.m = format->get(descriptor, "m");
  shape.n = format->get(descriptor, "n");
  shape.isTransposedA = format->get(descriptor, "transpose-a");
  shape.isTransposedB = format->get(descriptor, "transpose-b");
  ProductKind &kind = shape.kind;
  kind.a = operandType(name("a"));
  kind.b = operandType(name("b"));
  kind.isNegative = format->get(descriptor, "negate-a") != format->get(descriptor, "negate-b");
  kind.saturates = format->get(descriptor, "saturate");
  const bool isFourBits = llvm::StringRef(product.kind).starts_with("mxf4");
  shape.geometryBits = isFourBits ? 4 : std::max<uint32_t>(8, kind.a.bits);
  shape.k = 256 / shape.geometryBits;
  if (isFourBits && name("k") != "64")
    shape.problem = "products with K = " + name("k");
  if (kind.a.format) {
    kind.result = name("d") == "f16" ? &numbers::f16 : &numbers::f32;
    kind.model = numbers::sumModel(
        {numbers::MatrixUnit::Tcgen05, product.architecture, kind.a.format, kind.result, false, isFourBits});
  }
  shape.hasGroups = isFourBits;
  if (const std::string scale = name("scale"); !scale.empty())
    shape.scale = scale == "ue8m0" ? &numbers::ue8m0 : &numbers::ue4m3;
  if (shape.problem.empty())
    addLayouts(product, lane, *format, descriptor, shape);
  return shape;
}

// ---- one product

/// A product of one thread during its execution.
class Multiplication {
public:
  Multiplication(const TensorProduct &product, const TensorShape &shape, const char *registers, unsigned lane,
                 const Op &op, Warp &warp)
      : product(product), shape(shape), registers(registers), lane(lane), op(op), warp(warp), block(*warp.block) {
    if (product.ctas == 2) {
      const uint32_t first = block.rank & ~1u;
      for (uint32_t rank = first; rank < first + 2 && rank < block.cluster.size(); ++rank)
        blocks.push_back(block.cluster[rank]);
    } else
      blocks.push_back(&block);
  }
  std::string run();

private:
  uint64_t number(Place place) const { return addressIn(registers, {place, 0}, lane); }
  std::optional<SharedMatrix> matrixOf(bool isA) const;
  void watchPlaces(const AddressOf &address, const TensorMatrix &matrix, bool isWrite);
  void watch();
  void count() const;
  std::shared_ptr<const Prepared> shared(bool isA, const BlockState &from, std::string &problem) const;
  std::shared_ptr<const Prepared> ofTensorMemory(uint32_t first) const;
  std::vector<numbers::Factor> scales(const AddressOf &address, const TensorPlaces &places) const;
  std::vector<uint16_t> columns(uint32_t first) const;
  std::string addRows(uint32_t first, const Prepared &a, std::vector<uint32_t> &sums);
  void addScaled(uint32_t first, const Prepared &a, const Prepared &b, uint32_t firstColumn, std::span<uint32_t> sums);
  void read(std::vector<uint32_t> &sums) const;
  void write(const std::vector<uint32_t> &sums) const;
  /// Returns the first column of a matrix.
  uint32_t columnOf(const AddressOf &address) const {
    return TensorAddress(addressIn(registers, address, lane)).column;
  }
  uint32_t &cell(uint32_t column, const TensorPlace &place) const {
    return blocks[place.block]->tensor.at(place.lane, (column + place.column) % TensorMemory::columns);
  }
  bool keeps() const {
    uint32_t lanes = 0;
    if (product.keeps.bits)
      std::memcpy(&lanes, registers + product.keeps.slot, 4);
    return product.keeps.bits ? (lanes >> lane & 1) != uint32_t(product.isNot) : product.keepsAlways;
  }

  const TensorProduct &product;
  const TensorShape &shape;
  const char *registers;
  const unsigned lane;
  const Op &op;
  Warp &warp;
  BlockState &block;
  llvm::SmallVector<BlockState *, 2> blocks; // the participating blocks
};

std::optional<SharedMatrix> Multiplication::matrixOf(bool isA) const {
  const auto ctas = static_cast<uint32_t>(blocks.size());
  return sharedMatrixOf(number(isA ? product.a : product.b), (isA ? shape.m : shape.n) / ctas,
                        shape.k * (!isA && product.isSparse ? 2 : 1), shape.geometryBits,
                        !(isA ? shape.isTransposedA : shape.isTransposedB));
}

void Multiplication::watchPlaces(const AddressOf &address, const TensorMatrix &matrix, bool isWrite) {
  const uint32_t column = columnOf(address);
  for (uint32_t i = 0; i < blocks.size(); ++i)
    reportTensor(warp, op, *blocks[i], column, matrix.lanes[i], isWrite, lane);
}

/// Counts the bytes that the product reads from shared memory.
void Multiplication::count() const {
  for (const bool isA : {true, false})
    if (!isA || !product.isOfTensorMemory)
      if (const std::optional<SharedMatrix> matrix = matrixOf(isA))
        reportAmount(warp, op, Space::Shared, blocks.size() * matrix->bytes());
}

/// Reports the accesses of the product to observers.
void Multiplication::watch() {
  if (!observersOf(warp).want(events::Accesses) || warp.doer.stage == Stage::End)
    return;
  if (product.isOfTensorMemory)
    watchPlaces(product.addressOfA, shape.a, false);
  if (product.isSparse)
    watchPlaces(product.metadata, shape.indices, false);
  if (product.scaleA.base.bits) {
    watchPlaces(product.scaleA, shape.scalesOfA, false);
    watchPlaces(product.scaleB, shape.scalesOfB, false);
  }
  watchPlaces(product.d, shape.d, true);
  for (const bool isA : {true, false})
    if (!isA || !product.isOfTensorMemory)
      if (const std::optional<SharedMatrix> matrix = matrixOf(isA))
        for (BlockState *one : blocks)
          reportMatrix(warp, op, *one, *matrix, lane);
}

std::shared_ptr<const Prepared> Multiplication::shared(bool isA, const BlockState &from, std::string &problem) const {
  const OperandType &type = isA ? shape.kind.a : shape.kind.b;
  const auto matrix = matrixOf(isA);
  if (!matrix) {
    problem = "a descriptor of shared memory in this mode";
    return nullptr;
  }
  auto found = block.grid->matrices.find(*matrix, type, isA && shape.kind.isNegative, from.shared);
  if (!found)
    problem = "a matrix that leaves shared memory";
  return found;
}

/// Returns the rows of A that one block holds, starting with `first`.
std::shared_ptr<const Prepared> Multiplication::ofTensorMemory(uint32_t first) const {
  const auto rows = static_cast<uint32_t>(shape.m / blocks.size());
  const OperandType &type = shape.kind.a;
  const uint32_t sign = shape.kind.isNegative && type.format ? static_cast<uint32_t>(type.format->signBit()) : 0;
  const uint32_t below = shape.geometryBits == 8 && type.bits < 8 ? 6 - type.bits : 0; // zero bits in the byte
  const uint32_t column = columnOf(product.addressOfA);
  std::vector<uint32_t> codes(size_t(rows) * shape.k);
  for (size_t i = 0; i < codes.size(); ++i) {
    const size_t row = first + i % rows, k = i / rows;
    const TensorPlace &place = shape.a.places[row * shape.k + k];
    const uint32_t word = cell(column, place) >> (place.bit + below);
    codes[i] = (type.bits == 32 ? word : word & ((1u << type.bits) - 1)) ^ sign;
  }
  return std::make_shared<const Prepared>(prepare(rows, shape.k, type, codes));
}

/// Reads the scale factors row by row, or column by column.
std::vector<numbers::Factor> Multiplication::scales(const AddressOf &address, const TensorPlaces &places) const {
  std::vector<numbers::Factor> result;
  result.reserve(places.size());
  const uint32_t column = columnOf(address);
  for (const TensorPlace &place : places)
    result.push_back(numbers::factorOf(cell(column, place) >> place.bit & 255, *shape.scale));
  return result;
}

std::vector<uint16_t> Multiplication::columns(uint32_t first) const {
  const uint32_t bits = shape.geometryBits, chunk = chunkOfIndex(bits), chunks = 2 * shape.k / chunk;
  const auto rows = static_cast<uint32_t>(shape.m / blocks.size());
  const uint32_t column = columnOf(product.metadata);
  std::vector<uint16_t> result;
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t i = 0; i < chunks; ++i) {
      const TensorPlace &place = shape.indices.places[size_t(first + row) * chunks + i];
      const uint32_t index = cell(column, place) >> place.bit & 15;
      for (const uint8_t chosen : chosenColumns(index, bits))
        result.push_back(static_cast<uint16_t>(i * chunk + chosen));
    }
  return result;
}

void Multiplication::addScaled(uint32_t first, const Prepared &a, const Prepared &b, uint32_t firstColumn,
                               std::span<uint32_t> sums) {
  const std::vector<numbers::Factor> ofA = scales(product.scaleA, shape.scalesOfA.places),
                                     ofB = scales(product.scaleB, shape.scalesOfB.places);
  const std::vector<uint16_t> chosen = product.isSparse ? columns(first) : std::vector<uint16_t>();
  const uint32_t factors = shape.factors;
  numbers::addScaledProducts({*a.floats, 0, a.rows, chosen}, *b.floats,
                             {{std::span(ofA).subspan(size_t(first) * factors), factors, 1},
                              {std::span(ofB).subspan(firstColumn), 1, shape.n},
                              factors,
                              shape.hasGroups},
                             sums, shape.kind.model);
}

/// Adds the rows of one block to the columns of each block.
std::string Multiplication::addRows(uint32_t first, const Prepared &a, std::vector<uint32_t> &sums) {
  std::string problem;
  const auto columnsOfBlock = static_cast<uint32_t>(shape.n / blocks.size());
  const bool isWhole = blocks.size() == 1; // otherwise, columns are extracted
  std::vector<uint32_t> part(isWhole ? 0 : size_t(a.rows) * columnsOfBlock);
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    const auto b = shared(false, *blocks[i], problem);
    if (!b)
      return problem;
    const uint32_t firstColumn = i * columnsOfBlock;
    for (uint32_t row = 0; !isWhole && row < a.rows; ++row)
      std::copy_n(&sums[size_t(first + row) * shape.n + firstColumn], columnsOfBlock,
                  &part[size_t(row) * columnsOfBlock]);
    const std::span<uint32_t> to = isWhole ? std::span(sums) : std::span(part);
    if (shape.scale)
      addScaled(first, a, *b, firstColumn, to);
    else
      addProducts(shape.kind, a, 0, a.rows, *b, to, product.isSparse ? columns(first) : std::vector<uint16_t>());
    for (uint32_t row = 0; !isWhole && row < a.rows; ++row)
      std::copy_n(&part[size_t(row) * columnsOfBlock], columnsOfBlock,
                  &sums[size_t(first + row) * shape.n + firstColumn]);
  }
  return "";
}

void Multiplication::read(std::vector<uint32_t> &sums) const {
  const bool isHalf = shape.kind.result && shape.kind.result->width() == 16;
  const uint32_t column = columnOf(product.d), mask = isHalf ? 0xffff : ~0u;
  for (const TensorRun &run : shape.runsOfD)
    for (uint32_t i = 0; i < run.count;) {
      const uint32_t at = (column + run.place.column + i) % TensorMemory::columns;
      const uint32_t end = std::min(run.count, i + TensorMemory::columns - at); // columns wrap around
      const uint32_t *from = &blocks[run.place.block]->tensor.at(run.place.lane, at);
      for (uint32_t *to = &sums[run.first]; i < end; ++i)
        to[i] = *from++ & mask;
    }
  if (product.shift)
    for (uint32_t &sum : sums) {
      numbers::Number number = numbers::read(sum, *shape.kind.result);
      number.exponent -= static_cast<int32_t>(product.shift);
      sum = static_cast<uint32_t>(numbers::store(number, *shape.kind.result, {}));
    }
}

void Multiplication::write(const std::vector<uint32_t> &sums) const {
  llvm::SmallVector<uint32_t, 8> disabled;
  for (const Place &place : product.disabled)
    disabled.push_back(static_cast<uint32_t>(number(place)));
  const uint32_t column = columnOf(product.d);
  for (const TensorRun &run : shape.runsOfD) {
    const uint32_t lane = run.place.block * TensorMemory::lanes + run.place.lane;
    if (lane / 32 < disabled.size() && disabled[lane / 32] >> lane % 32 & 1)
      continue;
    for (uint32_t i = 0; i < run.count;) {
      const uint32_t at = (column + run.place.column + i) % TensorMemory::columns;
      const uint32_t count = std::min(run.count - i, TensorMemory::columns - at);
      std::copy_n(&sums[run.first + i], count, &blocks[run.place.block]->tensor.at(run.place.lane, at));
      i += count;
    }
  }
}

std::string Multiplication::run() {
  if (product.ctas != blocks.size())
    return "a product with `.cta_group::2` in a block without a pair";
  for (const BlockState *one : blocks)
    if (!one->tensor.isAllocated(TensorAddress(addressIn(registers, product.d, lane)).column, 1)) {
      reportUndefined(warp, op, lane, "a product in columns of tensor memory that are not allocated");
      return {};
    }
  if (product.zeroColumns.bits && number(product.zeroColumns))
    return "a mask of columns of zeros";
  count();
  watch();
  if (warp.doer.stage == Stage::Begin)
    return "";
  std::vector<uint32_t> sums(size_t(shape.m) * shape.n);
  if (keeps())
    read(sums);
  std::string problem;
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    const auto first = static_cast<uint32_t>(i * shape.m / blocks.size());
    const auto a = product.isOfTensorMemory ? ofTensorMemory(first) : shared(true, *blocks[i], problem);
    if (!a)
      return problem;
    if (problem = addRows(first, *a, sums); !problem.empty())
      return problem;
  }
  write(sums);
  reportAmount(warp, op, Amount::Products, uint64_t(shape.m) * shape.n * shape.k);
  return "";
}

void multiply(char *registers, const Op &op, uint32_t mask, Warp &warp) {
  const auto &product = *static_cast<const TensorProduct *>(op.more);
  for (uint32_t left = mask; left && !warp.fault; left &= left - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(left));
    const auto descriptor = static_cast<uint32_t>(addressIn(registers, {product.instructionDescriptor, 0}, lane));
    const TensorAddress d(addressIn(registers, product.d, lane));
    std::shared_ptr<const void> &known = warp.block->grid->decoded[{&product, descriptor, d.lane}];
    if (!known)
      known = std::make_shared<const TensorShape>(shapeOf(product, descriptor, d.lane));
    const auto &shape = *static_cast<const TensorShape *>(known.get());
    std::string problem = shape.problem;
    if (problem.empty())
      problem = Multiplication(product, shape, registers, lane, op, warp).run();
    if (!problem.empty())
      refuse(warp, op, lane, std::move(problem));
  }
}

// ---- lowering

AddressOf tensorAddressOf(const Lowered &one, BodyLowering &lowering, llvm::StringRef operand) {
  const int node = one.node(operand);
  if (node < 0)
    return {};
  const Operand &inner = one.nodes[one.nodes[node].kind == OperandKind::Address ? node + 1 : node];
  return {lowering.placeOf(one, node, 32), inner.flags & HasOffset ? inner.value : 0, Space::Shared};
}

} // namespace

bool multiplyInTensorMemory(const Lowered &one, BodyLowering &lowering) {
  TensorProduct product;
  product.instruction = one.verdict.opcode->spelling;
  const layout::Words words(product.instruction);
  product.kind = words.behind("kind::").str();
  if (product.kind == "ti16" || one.node("b-meta-tmem") >= 0 || words.has("ashift"))
    return false;
  product.ctas = one.facts().ctas == 2 ? 2 : 1;
  product.isWeightStationary = words.has("ws");
  product.isSparse = one.node("sp-meta-tmem") >= 0;
  product.isOfTensorMemory = one.node("a-tmem") >= 0;
  product.architecture = lowering.architecture();
  product.d = tensorAddressOf(one, lowering, "d-tmem");
  product.addressOfA = tensorAddressOf(one, lowering, "a-tmem");
  if (!product.isOfTensorMemory)
    product.a = lowering.placeAt(one, "a-desc", 64);
  product.b = lowering.placeAt(one, "b-desc", 64);
  product.instructionDescriptor = lowering.placeAt(one, "idesc", 32);
  product.metadata = tensorAddressOf(one, lowering, "sp-meta-tmem");
  product.scaleA = tensorAddressOf(one, lowering, "scale-A-tmem");
  product.scaleB = tensorAddressOf(one, lowering, "scale-B-tmem");
  if (one.node("zero-column-mask-desc") >= 0)
    product.zeroColumns = lowering.placeAt(one, "zero-column-mask-desc", 64);
  if (const int node = one.node("scale-input-d"); node >= 0)
    product.shift = static_cast<uint32_t>(one.nodes[node].value);
  if (const int node = one.node("disable-output-lane"); node >= 0)
    for (uint32_t at = node + 1; at < uint32_t(node) + one.nodes[node].extent; ++at)
      product.disabled.push_back(lowering.placeOf(one, static_cast<int>(at), 32));
  const int keeps = one.node("enable-input-d");
  if (one.nodes[keeps].kind == OperandKind::Integer)
    product.keepsAlways = one.nodes[keeps].value;
  else {
    product.keeps = lowering.placeOf(one, keeps, 1);
    product.isNot = one.nodes[keeps].flags & Not;
  }
  lowering.emit(multiply, std::move(product));
  return true;
}

} // namespace ptxray::machine
