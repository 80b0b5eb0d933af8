#include "EqualRuns.h"
#include "Emulate/Launch.h"
#include "Equal/Field.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <cstring>

namespace ptxray {

using llvm::StringRef;

int EqualSide::prepare(Arguments given) {
  arguments = std::move(given);
  if (const int status = prepareEmulation(arguments, prepared))
    return status;
  int status = Clean;
  emulation = laidOut(prepared, arguments, status);
  if (emulation)
    for (const llvm::ArrayRef<uint8_t> one : emulation->module().allVariables())
      variables.push_back(one.vec());
  return status;
}

std::vector<launcher::Bytes> EqualSide::bytes() {
  std::vector<launcher::Bytes> all;
  for (const llvm::ArrayRef<uint8_t> one : emulation->buffers())
    all.push_back(one.vec());
  return all;
}

machine::Outcome EqualSide::launch(const std::vector<launcher::Bytes> &contents, bool certifies,
                                   std::vector<machine::ObserverMaker> observers) {
  for (auto [buffer, bytes] : llvm::zip(emulation->buffers(), contents))
    std::copy_n(bytes.begin(), std::min(bytes.size(), buffer.size()), buffer.begin());
  for (auto [variable, bytes] : llvm::zip(emulation->module().allVariables(), variables))
    llvm::copy(bytes, variable.begin());
  machine::Launch asked = emulation->request();
  asked.checks = true;
  asked.certifies = certifies;
  asked.observers = std::move(observers);
  asked.timing = timing;
  return machine::launch(emulation->module(), asked);
}

// ---- contents

namespace {

/// A sequence of random numbers.
class Random {
public:
  explicit Random(uint64_t seed) : key{seed, 99} {}
  uint64_t next() { return (key = equal::mixed(key, 1)).low; }

private:
  equal::Key key;
};

double unit(uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

} // namespace

/// Adds the numbers that the instructions of a module name.
static void addConstants(StringRef text, std::vector<double> &floats, std::vector<uint64_t> &integers) {
  llvm::SmallVector<StringRef, 0> words;
  llvm::SplitString(text, words, " \t\r\n,;[](){}+");
  const auto addTo = [](auto &list, auto one) {
    if (list.size() < 64 && !llvm::is_contained(list, one))
      list.push_back(one);
  };
  for (StringRef word : words) {
    if (word.consume_front("0f") || word.consume_front("0F")) {
      uint32_t bits = 0;
      float value = 0;
      if (word.getAsInteger(16, bits))
        continue;
      std::memcpy(&value, &bits, sizeof value);
      if (std::isfinite(value) && value != 0)
        addTo(floats, double(value));
    } else if (int64_t number = 0; !word.getAsInteger(0, number) && std::abs(number) > 4) {
      addTo(integers, static_cast<uint64_t>(number));
    }
  }
}

ContentMaker::ContentMaker(const std::vector<launcher::NamedBuffer> &buffers, llvm::ArrayRef<StringRef> texts) {
  for (const launcher::NamedBuffer &one : buffers) {
    types.push_back(one.buffer.type);
    first.push_back(one.buffer.bytes);
    isOfFloats |= one.buffer.type && one.buffer.type->kind == launcher::ElementType::Float;
    hasHalves |= one.buffer.type && one.buffer.type->kind == launcher::ElementType::Float && one.buffer.type->bits < 32;
  }
  for (const StringRef text : texts) {
    addConstants(text, floats, integers);
    for (const StringRef type : {".f16", ".bf16", ".f32", ".f64", ".e4m3", ".e5m2"})
      isOfFloats |= text.contains(type);
    hasHalves |= text.contains(".f16") || text.contains(".bf16") || text.contains(".e4m3") || text.contains(".e5m2");
  }
}

/// Returns a float of contents of a kind. Most are of moderate size, so that nothing overflows.
double ContentMaker::floatFor(unsigned kind, uint64_t random, uint64_t index, uint64_t count) const {
  const double one = unit(random), sign = random & 1 ? -1 : 1;
  const double known = floats.empty() ? 1.5 : floats[random / 2 % floats.size()];
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

uint64_t ContentMaker::integerFor(unsigned kind, uint64_t random, uint64_t index, unsigned bits) const {
  const uint64_t ones = bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1, sign = uint64_t(1) << (bits - 1);
  const uint64_t known = integers.empty() ? 7 : integers[random / 16 % integers.size()];
  const uint64_t edges[] = {0, 1, ones, sign, sign - 1, sign + 1, ones - 1, sign | 1, 2, ones >> 1};
  switch (kind) {
  case 1: return random >> 7 & 15;
  case 2: return edges[random / 16 % std::size(edges)];
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

std::vector<launcher::Bytes> ContentMaker::make(unsigned kind, uint64_t seed) const {
  static const launcher::ElementType &words = *launcher::findType("u32");
  std::vector<launcher::Bytes> all = first;
  for (size_t i = 0; i < all.size(); ++i) {
    Random random(seed * 1000 + i * 37 + kind);
    const launcher::ElementType &type = types[i] ? *types[i] : words;
    const bool isFloat = type.kind == launcher::ElementType::Float;
    const uint64_t count = launcher::countIn(type, all[i].size());
    for (uint64_t index = 0; index < count; ++index) {
      const uint64_t drawn = random.next();
      const uint64_t value = isFloat ? launcher::encode(type, floatFor(kind, drawn, index, count))
                                     : integerFor(kind, drawn, index, type.bits);
      launcher::setElement(type, all[i], index, value);
    }
  }
  return all;
}

std::vector<launcher::Bytes> ContentMaker::edges(uint64_t seed) const {
  std::vector<launcher::Bytes> all = make(0, seed);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!types[i])
      continue;
    Random random(seed + i);
    const launcher::ElementType &type = *types[i];
    const bool isFloat = type.kind == launcher::ElementType::Float;
    const uint64_t ones = type.bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << type.bits) - 1, sign = ones ^ ones >> 1;
    const uint64_t infinity = isFloat ? launcher::encode(type, INFINITY) : 0;
    const uint64_t special[] = {0, sign,     infinity,    infinity | sign, infinity | 1, ones, sign | infinity | 5,
                                1, sign | 3, infinity - 1};
    for (uint64_t index = 0; index < launcher::countIn(type, all[i].size()); ++index)
      if (const uint64_t drawn = random.next(); drawn % 3 == 0)
        launcher::setElement(type, all[i], index,
                             isFloat ? special[drawn / 16 % std::size(special)] & ones
                                     : integerFor(2, drawn, index, type.bits));
  }
  return all;
}

std::vector<launcher::Bytes> ContentMaker::disturbed(const std::vector<launcher::Bytes> &contents,
                                                     uint64_t seed) const {
  std::vector<launcher::Bytes> all = contents;
  Random random(seed);
  for (size_t i = 0; i < all.size(); ++i) {
    if (!types[i] || types[i]->kind != launcher::ElementType::Float)
      continue;
    const launcher::ElementType &type = *types[i];
    for (uint64_t index = 0; index < launcher::countIn(type, all[i].size()); ++index) {
      const double value = launcher::decode(type, launcher::element(type, all[i], index));
      const double part = (hasHalves ? 0x1p-9 : 0x1p-14) * (random.next() & 1 ? 1 : -1);
      launcher::setElement(type, all[i], index, launcher::encode(type, value * (1 + part)));
    }
  }
  return all;
}

} // namespace ptxray
