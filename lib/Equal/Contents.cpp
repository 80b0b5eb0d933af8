#include "Equal/Contents.h"
#include "Equal/Field.h"
#include "Machine/InstructionKinds.h"
#include "Semantics/Recipe.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <bit>
#include <cmath>
#include <cstring>

namespace ptxray::equal {

// ---- elements

std::optional<ElementType> typeNamed(llvm::StringRef name) {
  static constexpr std::array<const numbers::Format *, 10> formats = {
      &numbers::f16,  &numbers::bf16, &numbers::f32,  &numbers::f64,  &numbers::e4m3,
      &numbers::e5m2, &numbers::e2m3, &numbers::e3m2, &numbers::e2m1, &numbers::ue8m0};
  using Kind = ElementType::Kind;
  if (name == "tf32") // in memory like f32
    name = "f32";
  for (const numbers::Format *format : formats)
    if (name == format->name) {
      const unsigned width = format->width();
      return ElementType{Kind::Float, static_cast<uint16_t>(width == 6 ? 8 : width), 1, format};
    }
  unsigned bits = 0;
  const bool isInteger = !name.empty() && llvm::StringRef("bus").contains(name[0]) &&
                         !name.drop_front().getAsInteger(10, bits) &&
                         (bits == 8 || bits == 16 || bits == 32 || bits == 64);
  if (!isInteger)
    return {};
  return ElementType{name[0] == 's' ? Kind::Signed : Kind::Unsigned, static_cast<uint16_t>(bits), 1, nullptr};
}

uint64_t countOf(const ElementType &type, size_t bytes) { return uint64_t(bytes) * 8 / type.bits; }

uint64_t elementOf(const ElementType &type, llvm::ArrayRef<uint8_t> bytes, uint64_t index) {
  if (type.bits == 4)
    return bytes[index / 2] >> 4 * (index % 2) & 15;
  uint64_t bits = 0;
  std::memcpy(&bits, &bytes[index * (type.bits / 8)], type.bits / 8);
  return bits;
}

void setElement(const ElementType &type, llvm::MutableArrayRef<uint8_t> bytes, uint64_t index, uint64_t value) {
  if (type.bits == 4) {
    uint8_t &byte = bytes[index / 2];
    byte = static_cast<uint8_t>(index % 2 ? (byte & 15) | value << 4 : (byte & 0xf0) | (value & 15));
    return;
  }
  std::memcpy(&bytes[index * (type.bits / 8)], &value, type.bits / 8);
}

double decoded(const ElementType &type, uint64_t bits) {
  const Value value = readElement(bits, type);
  return std::bit_cast<double>(numbers::store(value.asNumber(), numbers::f64, {}));
}

uint64_t encoded(const ElementType &type, double number) {
  return numbers::store(numbers::read(std::bit_cast<uint64_t>(number), numbers::f64), *type.format, {});
}

std::string shown(const ElementType &type, uint64_t bits) {
  char text[40];
  if (type.isFloat())
    std::snprintf(text, sizeof text, "%.*g", type.bits > 32 ? 17 : 9, decoded(type, bits));
  else if (type.isSigned())
    std::snprintf(text, sizeof text, "%lld",
                  static_cast<long long>(static_cast<int64_t>(bits << (64 - type.bits)) >> (64 - type.bits)));
  else
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(bits));
  return text;
}

// ---- what modules compute with

/// Calls `see` with the recipe of each instruction of a module.
static void forEachRecipe(const ReadModule &module, llvm::function_ref<void(const Recipe &)> see) {
  for (const Body &body : module.bodies())
    for (uint32_t i = 0; i < body.size(); ++i) {
      const auto *verdict = body.verdicts[i];
      if (!verdict || !verdict->match || !verdict->facts || !verdict->facts->known)
        continue;
      const llvm::SmallVector<Shape, 16> shapes = machine::shapesOf(*verdict, body.operands(i));
      see(recipeOf({*verdict->opcode, shapes, module.state().availability}, *verdict->match));
    }
}

bool hasAtomics(const ReadModule &module) {
  bool isFound = false;
  forEachRecipe(module, [&](const Recipe &recipe) { isFound |= recipe.isOneByOne || !recipe.refusal.empty(); });
  return isFound;
}

void ModuleNumbers::add(const ReadModule &module) {
  const auto addTo = [](auto &list, auto one) {
    if (list.size() < 64 && !llvm::is_contained(list, one))
      list.push_back(one);
  };
  const auto note = [&](const ElementType &type) {
    hasFloats |= type.isFloat();
    hasHalves |= type.isFloat() && type.bits < 32;
  };
  const auto noteConstant = [&](const ElementType &type, Bits constant) {
    const auto bits = static_cast<uint64_t>(lowBits(constant, type.bits));
    if (!type.isFloat() && bits > 4)
      addTo(integers, bits);
    const double number = type.isFloat()    ? decoded(type, bits)
                          : type.bits == 32 ? double(std::bit_cast<float>(static_cast<uint32_t>(bits)))
                                            : 0;
    if (std::isnormal(number))
      addTo(floats, number);
  };
  forEachRecipe(module, [&](const Recipe &recipe) {
    for (const RecipeStep &step : recipe.steps)
      note(step.type);
    for (const RecipeResult &result : recipe.results)
      note(result.type);
    if (const auto known = recipe.product.function ? recipe.product.function->description() : std::nullopt) {
      note(known->typeOfA);
      note(known->typeOfD);
    }
    for (const RecipeOperand &operand : recipe.operands)
      for (const RecipeOperand::Register &one : operand.registers)
        if (one.isConstant && operand.type.kind != ElementType::Kind::Truth && operand.type.bits <= 64)
          noteConstant(operand.type, one.constant);
  });
}

// ---- contents

namespace {

/// A sequence of random numbers.
class Random {
public:
  explicit Random(uint64_t seed) : key{seed, 99} {}
  uint64_t next() { return (key = mixed(key, 1)).low; }

private:
  Key key;
};

double unit(uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

} // namespace

Contents::Contents(std::vector<Buffer> buffers, ModuleNumbers numbers, bool keepsGiven)
    : all(std::move(buffers)), numbers(std::move(numbers)), isGivenFirst(keepsGiven) {
  noteTypes();
}

void Contents::setTypes(llvm::ArrayRef<std::optional<ElementType>> types) {
  for (auto [buffer, type] : llvm::zip(all, types))
    if (!buffer.type)
      buffer.type = type;
  noteTypes();
}

void Contents::noteTypes() {
  isOfFloats = numbers.hasFloats;
  hasHalves = numbers.hasHalves;
  for (const Buffer &one : all) {
    isOfFloats |= one.type && one.type->isFloat();
    hasHalves |= one.type && one.type->isFloat() && one.type->bits < 32;
  }
}

/// Returns a float of contents of a kind. Most are of moderate size, so that nothing overflows.
double Contents::floatFor(unsigned kind, uint64_t random, uint64_t index, uint64_t count) const {
  const double one = unit(random), sign = random & 1 ? -1 : 1;
  const double known = numbers.floats.empty() ? 1.5 : numbers.floats[random / 2 % numbers.floats.size()];
  const bool isModerate = std::abs(known) < 64 && std::abs(known) > 1e-4;
  switch (kind) {
  case 0: return sign * (0.25 + 1.75 * one);
  case 1: return 0.25 + 1.75 * one;
  case 2: return -0.25 - 1.75 * one;
  case 3: return std::floor(one * 9) - 4;
  case 4: return 1.25;
  case 5: return random & 2 ? 1.5 : -0.75;
  case 6: return (double(index) - double(count) / 2) / 16;
  case 7: return random & 6 ? sign * (0.25 + 1.75 * one) : isModerate ? known : 1.5;
  case 8: return 8 * sign * (0.25 + one);
  case 9: return sign * 0.01 * (0.25 + one);
  case 10: return (double(count) / 2 - double(index)) / 16;
  case 11: return random & 2 ? (isModerate ? known * (1 + 0x1p-8 * sign) : 1.0) : std::floor(one * 3) - 1;
  case 12: return sign * 3 * one * one * one;
  default: return sign * (0.25 + 1.75 * one);
  }
}

uint64_t Contents::integerFor(unsigned kind, uint64_t random, uint64_t index, unsigned bits) const {
  const uint64_t ones = bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1, sign = uint64_t(1) << (bits - 1);
  const uint64_t known = numbers.integers.empty() ? 7 : numbers.integers[random / 16 % numbers.integers.size()];
  const uint64_t special[] = {0, 1, ones, sign, sign - 1, sign + 1, ones - 1, sign | 1, 2, ones >> 1};
  switch (kind) {
  case 1: return random >> 7 & 15;
  case 2: return special[random / 16 % std::size(special)];
  case 3: return (random >> 9) % 3;
  case 4: return 5;
  case 5: return sign;
  case 6: return index;
  case 7: return random & 6 ? random >> 5 : known;
  case 8: return known;
  case 9: return (random >> 9) % 9 - 4;
  case 10: return ones - index;
  case 11: return known + (random >> 40) % 3 - 1;
  case 12: return random & 2 ? uint64_t(1) << (random >> 20) % bits : random >> (random >> 58) % bits;
  case 13: return random & 8 ? sign : sign + (random >> 20) % 3;
  default: return random >> 1;
  }
}

std::vector<Bytes> Contents::make(const ContentName &name) const {
  std::vector<Bytes> contents;
  for (const Buffer &one : all)
    contents.push_back(one.given);
  if (name.kind == given)
    return contents;
  static constexpr ElementType words{ElementType::Kind::Unsigned, 32, 1, nullptr};
  const unsigned kind = name.kind == edges ? 0 : name.kind;
  for (size_t i = 0; i < all.size(); ++i) {
    Random random(name.seed * 1000 + i * 37 + kind);
    const ElementType &type = all[i].type ? *all[i].type : words;
    const uint64_t count = countOf(type, contents[i].size());
    for (uint64_t index = 0; index < count; ++index) {
      const uint64_t drawn = random.next();
      const uint64_t value = type.isFloat() ? encoded(type, floatFor(kind, drawn, index, count))
                                            : integerFor(kind, drawn, index, type.bits);
      setElement(type, contents[i], index, value);
    }
  }
  if (name.kind == edges)
    addSpecials(contents, name.seed);
  return contents;
}

/// Replaces a third of all elements by special values.
void Contents::addSpecials(std::vector<Bytes> &contents, uint64_t seed) const {
  for (size_t i = 0; i < contents.size(); ++i) {
    if (!all[i].type)
      continue;
    Random random(seed + i);
    const ElementType &type = *all[i].type;
    const uint64_t ones = type.bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1, sign = ones ^ ones >> 1;
    const uint64_t infinity = type.isFloat() ? encoded(type, HUGE_VAL) : 0;
    const uint64_t special[] = {0, sign,     infinity,    infinity | sign, infinity | 1, ones, sign | infinity | 5,
                                1, sign | 3, infinity - 1};
    for (uint64_t index = 0; index < countOf(type, contents[i].size()); ++index)
      if (const uint64_t drawn = random.next(); drawn % 3 == 0)
        setElement(type, contents[i], index,
                   type.isFloat() ? special[drawn / 16 % std::size(special)] & ones
                                  : integerFor(2, drawn, index, type.bits));
  }
}

std::vector<Bytes> Contents::disturbed(const std::vector<Bytes> &contents, uint64_t seed) const {
  std::vector<Bytes> changed = contents;
  Random random(seed);
  for (size_t i = 0; i < changed.size(); ++i) {
    if (!all[i].type || !all[i].type->isFloat())
      continue;
    const ElementType &type = *all[i].type;
    for (uint64_t index = 0; index < countOf(type, changed[i].size()); ++index) {
      const double value = decoded(type, elementOf(type, changed[i], index));
      const double part = (hasHalves ? 0x1p-9 : 0x1p-14) * (random.next() & 1 ? 1 : -1);
      setElement(type, changed[i], index, encoded(type, value * (1 + part)));
    }
  }
  return changed;
}

} // namespace ptxray::equal
