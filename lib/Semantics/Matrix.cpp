#include "Semantics/Matrix.h"
#include "Layout/Instructions.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

namespace ptxray {

using layout::Axis;

namespace {

constexpr unsigned warpLanes = 32;

Fragment fragmentOf(const layout::Layout &from, unsigned &matrices) {
  Fragment fragment;
  fragment.rows = layout::size(from, layout::Row);
  fragment.columns = layout::size(from, layout::Column);
  fragment.bits = from.elementBits;
  matrices = layout::size(from, layout::Matrix);
  const size_t each = size_t(fragment.rows) * fragment.columns;
  fragment.places.resize(each * matrices);
  layout::forEach(from, [&](layout::Element element, layout::Place place) {
    Fragment::Place &to = fragment.places[element[layout::Matrix] * each +
                                          size_t(element[layout::Row]) * fragment.columns + element[layout::Column]];
    to = {static_cast<uint16_t>(place[Axis::Word]), static_cast<uint8_t>(place[Axis::Lane]),
          static_cast<uint8_t>(place[Axis::Bit])};
  });
  return fragment;
}

/// The elements of one of several matrices. Where an operand has one register for all, that is each of them.
template <class Word>
void gather(const Fragment &fragment, unsigned matrix, Registers<Word> registers, llvm::MutableArrayRef<Word> to) {
  const unsigned last = static_cast<unsigned>(registers.size()) - 1;
  const Word mask = fragment.bits >= 8 * sizeof(Word) ? ~Word(0) : (Word(1) << fragment.bits) - 1;
  const Fragment::Place *place = &fragment.places[size_t(fragment.rows) * fragment.columns * matrix];
  for (Word &element : to) {
    element = registers[std::min<unsigned>(place->word, last)][place->lane] >> place->bit & mask;
    ++place;
  }
}

template <class Word>
void scatter(const Fragment &fragment, unsigned matrix, llvm::ArrayRef<Word> from, llvm::ArrayRef<Word *> registers) {
  const Fragment::Place *place = &fragment.places[size_t(fragment.rows) * fragment.columns * matrix];
  for (const Word element : from) {
    Word &to = registers[place->word][place->lane];
    const Word mask = fragment.bits >= 8 * sizeof(Word) ? ~Word(0) : ((Word(1) << fragment.bits) - 1) << place->bit;
    to = (to & ~mask) | (element << place->bit & mask);
    ++place;
  }
}

std::optional<ElementType> typeNamed(llvm::StringRef name) {
  const isa::WordId word = isa::findWord(("." + name).str());
  return word ? elementType(word) : std::nullopt;
}

int32_t integerOf(uint32_t code, const ElementType &type) {
  const unsigned above = 32 - type.bits;
  return type.isSigned() ? int32_t(code << above) >> above : int32_t(code);
}

} // namespace

Fragment wholeFragment(unsigned rows, unsigned columns, unsigned bits, bool isAccumulator, bool isTransposed) {
  layout::Layout layout;
  layout.elementBits = static_cast<uint16_t>(bits);
  layout.wordBits = static_cast<uint16_t>(std::max(32u, bits));
  const layout::Along along = isTransposed ? layout::Row : layout::Column;
  const layout::Along across = isTransposed ? layout::Column : layout::Row;
  const unsigned tall = (isTransposed ? columns : rows) / 8, wide = isTransposed ? rows : columns;
  const unsigned inWord = bits < 32 ? 32 / bits : 1;
  const unsigned run = isAccumulator ? 2 : inWord;
  layout.count(inWord, layout::Bit, bits, along, 1).count(run / inWord, layout::Word, 1, along, inWord);
  layout.count(4, layout::Lane, 1, along, run).count(8, layout::Lane, 4, across, 1);
  const unsigned words = run / inWord;
  layout.count(tall, layout::Word, words, across, 8)
      .count(wide / (4 * run), layout::Word, words * tall, along, 4 * run);
  unsigned matrices = 1;
  return fragmentOf(layout, matrices);
}

bool MatrixProduct::readTypes(const Request &request, std::string &refusal) {
  const layout::Words words(request.opcode);
  const auto types = words.types();
  isWhole = words.starts("wmma");
  llvm::SmallVector<llvm::StringRef, 4> names(types.begin(), types.end());
  if (names.size() == 2 && isWhole)
    names = {types[0], "f16", "f16", types[1]};
  if (names.size() != 4) {
    refusal = "a product of matrices whose types are not written";
    return false;
  }
  ElementType *const to[] = {&typeOfD, &typeOfA, &typeOfB, &typeOfC};
  for (const auto &[name, type] : llvm::zip(names, to)) {
    std::optional<ElementType> found = typeNamed(name);
    if (name == "b1") {
      found = ElementType();
      found->bits = 1;
    }
    if (!found) {
      refusal = "a product of matrices of ." + name.str();
      return false;
    }
    *type = *found;
  }
  kind = !typeOfA.isFloat()                ? Kind::Integer
         : typeOfA.format == &numbers::f64 ? Kind::Double
         : words.has("block_scale")        ? Kind::Scaled
                                           : Kind::Float;
  isFinite = words.has("satfinite");
  isXor = words.has("xor");
  hasGroups = kind == Kind::Scaled && !words.has("kind::mxf8f6f4");
  scaleFormat = words.has("ue4m3") ? &numbers::ue4m3 : &numbers::ue8m0;
  rounding = words.has("rz")   ? numbers::Rounding::Zero
             : words.has("rm") ? numbers::Rounding::Down
             : words.has("rp") ? numbers::Rounding::Up
                               : numbers::Rounding::Nearest;
  return true;
}

bool MatrixProduct::readLayouts(const Request &request, std::string &refusal) {
  layout::Request asked;
  asked.instruction = request.opcode.str();
  asked.settings["selector"] = std::to_string(request.selector);
  asked.settings["byte-id-a"] = std::to_string(request.bytes[0]);
  asked.settings["byte-id-b"] = std::to_string(request.bytes[1]);
  asked.settings["thread-id-a"] = std::to_string(request.threads[0]);
  asked.settings["thread-id-b"] = std::to_string(request.threads[1]);
  const layout::Answer answer = layout::describe(asked);
  if (!answer.complaint.empty()) {
    refusal = answer.complaint;
    return false;
  }
  unsigned ignored = 1;
  for (const layout::Layout &one : answer.layouts) {
    Fragment *const to = one.name == "A"          ? &a
                         : one.name == "B"        ? &b
                         : one.name == "D"        ? &d
                         : one.name == "metadata" ? &metadata
                         : one.name == "scale-a"  ? &scalesOfA
                                                  : &scalesOfB;
    *to = fragmentOf(one, to == &d ? matrices : ignored);
  }
  return true;
}

bool MatrixProduct::readSimpleLayouts() {
  const auto bitsOf = [](const ElementType &type) { return type.format == &numbers::tf32 ? 32u : type.bits; };
  a = wholeFragment(rows, depth, bitsOf(typeOfA), false, false);
  b = wholeFragment(depth, columns, bitsOf(typeOfB), false, true);
  d = wholeFragment(rows, columns, typeOfD.bits, true, false);
  c = wholeFragment(rows, columns, typeOfC.bits, true, false);
  return true;
}

void MatrixProduct::readModel(const Request &request) {
  if (kind != Kind::Float && kind != Kind::Scaled)
    return;
  const numbers::Format *const sums =
      typeOfC.format == &numbers::f32 || typeOfD.format == &numbers::f32 ? &numbers::f32 : &numbers::f16;
  model = numbers::sumModel(
      {numbers::MatrixUnit::Mma, request.architecture, typeOfA.format, sums, rows == 8 && depth == 4, hasGroups});
}

std::shared_ptr<const MatrixProduct> MatrixProduct::make(const Request &request, std::string &refusal) {
  auto product = std::make_shared<MatrixProduct>();
  const layout::Words words(request.opcode);
  const auto shape = words.shape();
  if (!shape || !product->readTypes(request, refusal)) {
    if (refusal.empty())
      refusal = "a product of matrices whose shape is not written";
    return nullptr;
  }
  product->rows = (*shape)[0];
  product->columns = (*shape)[1];
  product->depth = request.isSparse ? (*shape)[2] / 2 : (*shape)[2];
  if (product->isWhole ? !product->readSimpleLayouts() : !product->readLayouts(request, refusal))
    return nullptr;
  if (!product->isWhole) {
    product->c = product->d;
    if (product->typeOfC.bits != product->typeOfD.bits) { // m8n8k4 alone
      layout::Request other;
      other.instruction = std::string("mma.m8n8k4.") + product->typeOfC.format->name + ".f16.f16.f16";
      unsigned ignored = 1;
      product->c = fragmentOf(layout::describe(other).layouts.back(), ignored);
    }
  }
  if (request.isSparse)
    product->chunk = (*shape)[2] / product->metadata.columns;
  // Elements in bytes of their own: those of four bits have two of zero after them.
  for (auto [fragment, type] : {std::pair(&product->a, &product->typeOfA), {&product->b, &product->typeOfB}})
    if (fragment->bits > type->bits && type->isFloat() && type->bits < 8) {
      for (Fragment::Place &place : fragment->places)
        place.bit += 6 - type->bits;
      fragment->bits = type->bits;
    }
  for (size_t i = 0; i < size_t(product->rows) * product->depth; ++i)
    product->everyRow.push_back(static_cast<uint16_t>(i % product->depth));
  product->readModel(request);
  return product;
}

/// Returns which row of B belongs to each element of A that is kept.
std::vector<uint16_t> MatrixProduct::chosen(const ProductOperands<uint32_t> &from) const {
  std::vector<uint16_t> result(size_t(rows) * depth);
  std::vector<uint32_t> indices(metadata.places.size());
  gather<uint32_t>(metadata, 0, from.metadata, indices);
  const unsigned kept = chunk / 2, perIndex = chunk / 4; // neighbours that one index of two bits stands for
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned k = 0; k < depth; ++k) {
      const uint32_t both = indices[size_t(row) * metadata.columns + k / kept];
      const unsigned within = k % kept;
      const unsigned column =
          chunk == 2 ? both >> 3 & 1 : (both >> 2 * (within / perIndex) & 3) * perIndex + within % perIndex;
      result[size_t(row) * depth + k] = static_cast<uint16_t>(k / kept * chunk + column);
    }
  return result;
}

void MatrixProduct::addIntegers(llvm::ArrayRef<uint32_t> x, llvm::ArrayRef<uint32_t> y,
                                llvm::ArrayRef<uint16_t> rowsOfB, llvm::MutableArrayRef<uint32_t> sums) const {
  llvm::SmallVector<int32_t, 256> first(depth), second(depth);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      uint32_t &sum = sums[size_t(row) * columns + column];
      int32_t both = 0; // bits are multiplied by `and`
      for (unsigned k = 0; k < depth; ++k) {
        first[k] = integerOf(x[size_t(row) * depth + k], typeOfA);
        second[k] = integerOf(y[size_t(rowsOfB[size_t(row) * depth + k]) * columns + column], typeOfB);
        both += first[k] + second[k];
      }
      const uint32_t products =
          numbers::integerSum({first.data(), depth}, {second.data(), depth}, isXor ? 0 : sum, isFinite);
      sum = isXor ? sum + uint32_t(both) - 2 * products : products;
    }
}

void MatrixProduct::addScaled(const ProductOperands<uint32_t> &from, llvm::ArrayRef<uint32_t> x,
                              llvm::ArrayRef<uint32_t> y, llvm::ArrayRef<uint16_t> rowsOfB,
                              llvm::MutableArrayRef<uint32_t> sums) const {
  const auto factorsOf = [](llvm::ArrayRef<uint32_t> codes, const numbers::Format &format) {
    std::vector<numbers::Factor> factors;
    for (const uint32_t code : codes)
      factors.push_back(numbers::factorOf(code & uint32_t(format.ones() | format.signBit()), format));
    return factors;
  };
  std::vector<uint32_t> scales(scalesOfA.places.size()), others(scalesOfB.places.size());
  gather<uint32_t>(scalesOfA, 0, from.scalesOfA, scales);
  gather<uint32_t>(scalesOfB, 0, from.scalesOfB, others);
  const std::vector<numbers::Factor> left = factorsOf(x, *typeOfA.format), right = factorsOf(y, *typeOfB.format);
  const std::vector<numbers::Factor> leftScales = factorsOf(scales, *scaleFormat);
  const std::vector<numbers::Factor> rightScales = factorsOf(others, *scaleFormat);
  const unsigned perRow = scalesOfA.columns, perColumn = scalesOfB.rows;
  std::vector<numbers::Factor> second(depth), columnScales(perColumn);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      for (unsigned k = 0; k < depth; ++k)
        second[k] = right[size_t(rowsOfB[size_t(row) * depth + k]) * columns + column];
      for (unsigned i = 0; i < perColumn; ++i)
        columnScales[i] = rightScales[size_t(i) * columns + column];
      uint32_t &sum = sums[size_t(row) * columns + column];
      sum = numbers::scaledSumOfProducts({&left[size_t(row) * depth], depth}, second,
                                         {&leftScales[size_t(row) * perRow], perRow}, columnScales, sum, model,
                                         hasGroups);
    }
}

void MatrixProduct::widen(llvm::MutableArrayRef<uint32_t> codes) const {
  if (typeOfC.format == typeOfD.format || typeOfC.format != &numbers::f16)
    return;
  for (uint32_t &code : codes)
    code = uint32_t(numbers::store(numbers::read(code, numbers::f16), numbers::f32, {}));
}

void MatrixProduct::narrow(llvm::MutableArrayRef<uint32_t> codes) const {
  const bool isNarrower = typeOfC.format != typeOfD.format && typeOfD.format == &numbers::f16;
  if (!isNarrower && !(isFinite && typeOfD.isFloat()))
    return;
  const numbers::Format &before = isNarrower ? numbers::f32 : *typeOfD.format;
  for (uint32_t &code : codes)
    code = uint32_t(numbers::store(numbers::read(code, before), *typeOfD.format, {.finite = isFinite}));
}

void MatrixProduct::multiply(const ProductOperands<uint32_t> &from, llvm::ArrayRef<uint32_t *> to) const {
  assert(!isOfDoubles() && "registers of 32 bits");
  const std::vector<uint16_t> rowsOfB = chunk ? chosen(from) : everyRow;
  const unsigned depthOfB = chunk ? 2 * depth : depth;
  llvm::SmallVector<uint32_t, 512> x(size_t(rows) * depth), y(size_t(depthOfB) * columns), sums(size_t(rows) * columns);
  for (unsigned matrix = 0; matrix < matrices; ++matrix) {
    gather<uint32_t>(a, matrix, from.a, x);
    gather<uint32_t>(b, matrix, from.b, y);
    gather<uint32_t>(c, matrix, from.c, sums);
    widen(sums);
    if (kind == Kind::Integer)
      addIntegers(x, y, rowsOfB, sums);
    else if (kind == Kind::Scaled)
      addScaled(from, x, y, rowsOfB, sums);
    else
      numbers::multiplyAndAdd({rows, columns, depth}, {{x.data(), x.size()}, *typeOfA.format},
                              {{y.data(), y.size()}, *typeOfB.format}, rowsOfB, {sums.data(), sums.size()},
                              typeOfC.format == typeOfD.format ? *typeOfC.format : numbers::f32, model);
    narrow(sums);
    scatter<uint32_t>(d, matrix, sums, to);
  }
}

void MatrixProduct::multiply(const ProductOperands<uint64_t> &from, llvm::ArrayRef<uint64_t *> to) const {
  assert(isOfDoubles() && "registers of 64 bits");
  std::vector<uint64_t> x(size_t(rows) * depth), y(size_t(depth) * columns), sums(size_t(rows) * columns);
  gather<uint64_t>(a, 0, from.a, x);
  gather<uint64_t>(b, 0, from.b, y);
  gather<uint64_t>(c, 0, from.c, sums);
  std::vector<uint64_t> second(depth);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      for (unsigned k = 0; k < depth; ++k)
        second[k] = y[size_t(k) * columns + column];
      uint64_t &sum = sums[size_t(row) * columns + column];
      sum = numbers::chainOfProducts({&x[size_t(row) * depth], depth}, second, sum, rounding);
    }
  scatter<uint64_t>(d, 0, sums, to);
}

} // namespace ptxray
