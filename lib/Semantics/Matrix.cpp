#include "Semantics/Matrix.h"
#include "Layout/Instructions.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>
#include <cstring>

namespace ptxray {

using layout::Axis;

namespace {

constexpr unsigned warpLanes = 32;

RegisterFragment fragmentOf(const layout::Layout &from, unsigned &matrices) {
  RegisterFragment fragment;
  fragment.rows = layout::size(from, layout::Row);
  fragment.columns = layout::size(from, layout::Column);
  fragment.bits = from.elementBits;
  matrices = layout::size(from, layout::Matrix);
  const size_t each = size_t(fragment.rows) * fragment.columns;
  fragment.places.resize(each * matrices);
  layout::forEach(from, [&](layout::Element element, layout::Place place) {
    RegisterFragment::Place &to =
        fragment.places[element[layout::Matrix] * each + size_t(element[layout::Row]) * fragment.columns +
                        element[layout::Column]];
    to = {static_cast<uint16_t>(place[Axis::Word]), static_cast<uint8_t>(place[Axis::Lane]),
          static_cast<uint8_t>(place[Axis::Bit])};
  });
  return fragment;
}

/// Extracts the elements of one of several matrices from consecutive words.
template <class Element, class Word>
void pick(llvm::ArrayRef<uint16_t> numbers, const Word *words, llvm::MutableArrayRef<Word> to) {
  const auto *const elements = reinterpret_cast<const char *>(words);
  for (size_t i = 0; i < to.size(); ++i) {
    Element element;
    std::memcpy(&element, elements + size_t(numbers[i]) * sizeof element, sizeof element);
    to[i] = element;
  }
}
template <class Element, class Word>
void put(llvm::ArrayRef<uint16_t> numbers, llvm::ArrayRef<Word> from, Word *words) {
  auto *const elements = reinterpret_cast<char *>(words);
  for (size_t i = 0; i < from.size(); ++i) {
    const auto element = static_cast<Element>(from[i]);
    std::memcpy(elements + size_t(numbers[i]) * sizeof element, &element, sizeof element);
  }
}

/// All words of the registers, register by register.
template <class Word> using Words = llvm::SmallVector<Word, 16 * warpLanes>;

/// Extracts the elements of one of several matrices. If an operand has a single register, all matrices share it.
template <class Word>
void gather(const RegisterFragment &fragment, unsigned matrix, Registers<Word> registers,
            llvm::MutableArrayRef<Word> to) {
  const size_t first = size_t(fragment.rows) * fragment.columns * matrix;
  if (!fragment.numbers.empty() && registers.size() > 1) {
    Words<Word> words(registers.size() * warpLanes);
    for (size_t i = 0; i < registers.size(); ++i)
      std::copy_n(registers[i], warpLanes, &words[i * warpLanes]);
    const auto numbers = llvm::ArrayRef(fragment.numbers).slice(first, to.size());
    switch (fragment.bits) {
    case 8: return pick<uint8_t>(numbers, words.data(), to);
    case 16: return pick<uint16_t>(numbers, words.data(), to);
    default: return pick<Word>(numbers, words.data(), to);
    }
  }
  const unsigned last = static_cast<unsigned>(registers.size()) - 1;
  const Word mask = fragment.bits >= 8 * sizeof(Word) ? ~Word(0) : (Word(1) << fragment.bits) - 1;
  const RegisterFragment::Place *place = &fragment.places[first];
  for (Word &element : to) {
    element = registers[std::min<unsigned>(place->word, last)][place->lane] >> place->bit & mask;
    ++place;
  }
}

template <class Word>
void scatter(const RegisterFragment &fragment, unsigned matrix, llvm::ArrayRef<Word> from,
             llvm::ArrayRef<Word *> registers) {
  Words<Word> words(registers.size() * warpLanes);
  for (size_t i = 0; i < registers.size(); ++i)
    std::copy_n(registers[i], warpLanes, &words[i * warpLanes]);
  const auto numbers =
      llvm::ArrayRef(fragment.numbers).slice(size_t(fragment.rows) * fragment.columns * matrix, from.size());
  fragment.bits == 16 ? put<uint16_t>(numbers, from, words.data()) : put<Word>(numbers, from, words.data());
  for (size_t i = 0; i < registers.size(); ++i)
    std::copy_n(&words[i * warpLanes], warpLanes, registers[i]);
}

/// Changes the order of elements to column by column.
void transpose(RegisterFragment &fragment) {
  const std::vector<RegisterFragment::Place> before = fragment.places;
  const size_t each = size_t(fragment.rows) * fragment.columns;
  for (size_t i = 0; i < before.size(); ++i) {
    const size_t within = i % each, row = within / fragment.columns, column = within % fragment.columns;
    fragment.places[i - within + column * fragment.rows + row] = before[i];
  }
}

/// Numbers the elements in words of `wordBits` bits.
void number(RegisterFragment &fragment, unsigned wordBits) {
  const unsigned bits = fragment.bits;
  if (bits != 8 && bits != 16 && bits != wordBits)
    return;
  for (const RegisterFragment::Place &place : fragment.places)
    fragment.numbers.push_back(
        static_cast<uint16_t>((size_t(place.word) * warpLanes + place.lane) * (wordBits / bits) + place.bit / bits));
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

RegisterFragment wholeFragment(unsigned rows, unsigned columns, unsigned bits, bool isAccumulator, bool isTransposed) {
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

std::string MatrixProduct::readTypes(const Request &request) {
  const layout::Words words(request.opcode);
  const auto types = words.types();
  isWhole = words.starts("wmma");
  llvm::SmallVector<llvm::StringRef, 4> names(types.begin(), types.end());
  if (names.size() == 2 && isWhole)
    names = {types[0], "f16", "f16", types[1]};
  if (names.size() != 4)
    return "a product of matrices whose types are not written";
  ElementType *const to[] = {&typeOfD, &typeOfA, &typeOfB, &typeOfC};
  for (const auto &[name, type] : llvm::zip(names, to)) {
    std::optional<ElementType> found = typeNamed(name);
    if (name == "b1") {
      found = ElementType();
      found->bits = 1;
    }
    if (!found)
      return "a product of matrices of ." + name.str();
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
  return "";
}

std::string MatrixProduct::readLayouts(const Request &request) {
  layout::Request asked;
  asked.instruction = request.opcode.str();
  asked.settings["selector"] = std::to_string(request.selector);
  asked.settings["byte-id-a"] = std::to_string(request.bytes[0]);
  asked.settings["byte-id-b"] = std::to_string(request.bytes[1]);
  asked.settings["thread-id-a"] = std::to_string(request.threads[0]);
  asked.settings["thread-id-b"] = std::to_string(request.threads[1]);
  const layout::Answer answer = layout::describe(asked);
  if (!answer.complaint.empty())
    return answer.complaint;
  unsigned ignored = 1;
  for (const layout::Layout &one : answer.layouts) {
    RegisterFragment *const to = one.name == "A"          ? &a
                                 : one.name == "B"        ? &b
                                 : one.name == "D"        ? &d
                                 : one.name == "metadata" ? &metadata
                                 : one.name == "scale-a"  ? &scalesOfA
                                                          : &scalesOfB;
    *to = fragmentOf(one, to == &d ? matrices : ignored);
  }
  return "";
}

void MatrixProduct::readSimpleLayouts() {
  const auto bitsOf = [](const ElementType &type) { return type.format == &numbers::tf32 ? 32u : type.bits; };
  a = wholeFragment(rows, depth, bitsOf(typeOfA), false, false);
  b = wholeFragment(depth, columns, bitsOf(typeOfB), false, true);
  d = wholeFragment(rows, columns, typeOfD.bits, true, false);
  c = wholeFragment(rows, columns, typeOfC.bits, true, false);
}

void MatrixProduct::readModel(const Request &request) {
  if (kind != Kind::Float && kind != Kind::Scaled)
    return;
  const numbers::Format *const sums =
      typeOfC.format == &numbers::f32 || typeOfD.format == &numbers::f32 ? &numbers::f32 : &numbers::f16;
  model = numbers::sumModel(
      {numbers::MatrixUnit::Mma, request.architecture, typeOfA.format, sums, rows == 8 && depth == 4, hasGroups});
}

Expected<std::shared_ptr<const MatrixProduct>> MatrixProduct::make(const Request &request) {
  auto product = std::make_shared<MatrixProduct>();
  const layout::Words words(request.opcode);
  const auto shape = words.shape();
  if (!shape)
    return Problem{"a product of matrices whose shape is not written"};
  if (const std::string refusal = product->readTypes(request); !refusal.empty())
    return Problem{refusal};
  product->rows = (*shape)[0];
  product->columns = (*shape)[1];
  product->depth = request.isSparse ? (*shape)[2] / 2 : (*shape)[2];
  if (product->isWhole) {
    product->readSimpleLayouts();
  } else {
    if (const std::string refusal = product->readLayouts(request); !refusal.empty())
      return Problem{refusal};
    product->c = product->d;
    if (product->typeOfC.bits != product->typeOfD.bits) { // m8n8k4 only
      layout::Request other;
      other.instruction = std::string("mma.m8n8k4.") + product->typeOfC.format->name + ".f16.f16.f16";
      unsigned ignored = 1;
      product->c = fragmentOf(layout::describe(other).layouts.back(), ignored);
    }
  }
  if (request.isSparse)
    product->chunk = (*shape)[2] / product->metadata.columns;
  // Elements with bytes of their own: 4-bit elements have two zero bits after them.
  for (auto [fragment, type] : {std::pair(&product->a, &product->typeOfA), {&product->b, &product->typeOfB}})
    if (fragment->bits > type->bits && type->isFloat() && type->bits < 8) {
      for (RegisterFragment::Place &place : fragment->places)
        place.bit += 6 - type->bits;
      fragment->bits = type->bits;
    }
  transpose(product->a);
  for (RegisterFragment *fragment : {&product->a, &product->b, &product->c, &product->d})
    number(*fragment, product->isOfDoubles() ? 64 : 32);
  product->readModel(request);
  return product;
}

std::optional<MatrixProduct::Description> MatrixProduct::description() const {
  const bool isUsual = (kind == Kind::Float || kind == Kind::Integer) && !chunk && !isFinite && typeOfA.bits > 1;
  if (!isUsual)
    return {};
  return Description{matrices, rows, columns, depth, a, b, c, d, typeOfA, typeOfB, typeOfC, typeOfD, model};
}

/// Returns the row of B that belongs to each kept element of A.
std::vector<uint16_t> MatrixProduct::chosen(const ProductOperands<uint32_t> &from) const {
  std::vector<uint16_t> result(size_t(rows) * depth);
  std::vector<uint32_t> indices(metadata.places.size());
  gather<uint32_t>(metadata, 0, from.metadata, indices);
  const unsigned kept = chunk / 2, perIndex = chunk / 4; // neighbouring elements per 2-bit index
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
  llvm::SmallVector<int32_t, 512> second;
  for (const uint32_t code : y)
    second.push_back(integerOf(code, typeOfB));
  llvm::SmallVector<int32_t, 32> products(columns);
  for (unsigned row = 0; row < rows; ++row) {
    std::fill(products.begin(), products.end(), 0); // 1-bit elements are multiplied by `and`
    for (unsigned k = 0; k < depth; ++k) {
      const int32_t first = integerOf(x[size_t(k) * rows + row], typeOfA);
      const int32_t *const others = &second[size_t(rowsOfB.empty() ? k : rowsOfB[size_t(row) * depth + k]) * columns];
      for (unsigned column = 0; column < columns; ++column)
        products[column] += isXor ? first ^ others[column] : first * others[column];
    }
    for (unsigned column = 0; column < columns; ++column) {
      uint32_t &sum = sums[size_t(row) * columns + column];
      const int64_t total = int64_t(int32_t(sum)) + products[column];
      sum = uint32_t(isFinite ? std::clamp<int64_t>(total, INT32_MIN, INT32_MAX) : total);
    }
  }
}

numbers::Multiplicand MatrixProduct::multiplicand(llvm::ArrayRef<uint32_t> codes, const ElementType &type,
                                                  unsigned count) const {
  return {count, static_cast<uint32_t>(codes.size() / count), *type.format, {codes.data(), codes.size()}};
}

void MatrixProduct::addFloats(llvm::ArrayRef<uint32_t> x, llvm::ArrayRef<uint32_t> y, llvm::ArrayRef<uint16_t> rowsOfB,
                              llvm::MutableArrayRef<uint32_t> sums) const {
  const numbers::Multiplicand left = multiplicand(x, typeOfA, rows);
  numbers::addProducts({left, 0, rows, {rowsOfB.data(), rowsOfB.size()}}, multiplicand(y, typeOfB, columns),
                       {sums.data(), sums.size()}, typeOfC.format == typeOfD.format ? *typeOfC.format : numbers::f32,
                       model);
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
  const std::vector<numbers::Factor> leftScales = factorsOf(scales, *scaleFormat);
  const std::vector<numbers::Factor> rightScales = factorsOf(others, *scaleFormat);
  numbers::addScaledProducts(
      {multiplicand(x, typeOfA, rows), 0, rows, {rowsOfB.data(), rowsOfB.size()}}, multiplicand(y, typeOfB, columns),
      {{leftScales, scalesOfA.columns, 1}, {rightScales, 1, columns}, scalesOfA.columns, hasGroups},
      {sums.data(), sums.size()}, model);
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
  const std::vector<uint16_t> rowsOfB = chunk ? chosen(from) : std::vector<uint16_t>();
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
      addFloats(x, y, rowsOfB, sums);
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
  std::vector<uint64_t> first(depth), second(depth);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned column = 0; column < columns; ++column) {
      for (unsigned k = 0; k < depth; ++k) {
        first[k] = x[size_t(k) * rows + row];
        second[k] = y[size_t(k) * columns + column];
      }
      uint64_t &sum = sums[size_t(row) * columns + column];
      sum = numbers::chainOfProducts(first, second, sum, rounding);
    }
  scatter<uint64_t>(d, 0, sums, to);
}

} // namespace ptxray
