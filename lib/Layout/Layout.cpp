#include "Layout/Layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray::layout {

uint32_t size(const Layout &layout, Along along) {
  uint32_t last = 0;
  for (const Digit &digit : layout.digits)
    if (digit.along == along)
      last += (digit.extent - 1) * digit.elementStep;
  return layout.limit[along] ? std::min(last + 1, layout.limit[along]) : last + 1;
}

static bool isPadding(const Layout &layout, const Element &element) {
  for (auto [at, limit] : llvm::zip(element, layout.limit))
    if (limit && at >= limit)
      return true;
  return false;
}

static Place finished(const Layout &layout, Place place) {
  for (unsigned axis = 0; axis < place.size(); ++axis)
    place[axis] += layout.origin[axis];
  if (layout.carryStep) {
    place[Word] += place[Bit] / layout.wordBits * layout.carryStep;
    place[Bit] %= layout.wordBits;
  }
  if (layout.swizzle.bits)
    place[Bit] = layout.swizzle(place[Bit] / 8) * 8 + place[Bit] % 8;
  return place;
}

uint32_t size(const Layout &layout, Axis axis) {
  uint32_t highest = 0;
  if (layout.carryStep || layout.swizzle.bits) {
    forEach(layout, [&](Element, Place place) { highest = std::max(highest, place[axis]); });
  } else {
    highest = layout.origin[axis];
    for (const Digit &digit : layout.digits)
      if (digit.axis == axis)
        highest += (digit.extent - 1) * digit.placeStep;
  }
  return highest + (axis == Bit ? layout.elementBits : 1);
}

using PartOf = unsigned (*)(const Digit &);
static unsigned axisOf(const Digit &digit) { return digit.axis; }
static unsigned alongOf(const Digit &digit) { return digit.along; }

/// Splits numbers into digits, the largest step first, and adds up the corresponding steps on the other side. Returns
/// false if more than `slack` bits are left.
template <class From, class To>
static bool convert(const Layout &layout, From from, PartOf of, uint32_t Digit::*step, To &to, PartOf otherOf,
                    uint32_t Digit::*otherStep, uint32_t slack) {
  llvm::SmallVector<const Digit *, 8> byStep;
  for (const Digit &digit : layout.digits)
    if (digit.*step)
      byStep.push_back(&digit);
  llvm::sort(byStep, [&](const Digit *a, const Digit *b) { return a->*step > b->*step; });
  for (const Digit *digit : byStep) {
    uint32_t &rest = from[of(*digit)];
    const uint32_t value = std::min(rest / (digit->*step), digit->extent - 1);
    rest -= value * (digit->*step);
    to[otherOf(*digit)] += value * (digit->*otherStep);
  }
  for (unsigned i = 0; i < from.size(); ++i)
    if (from[i] > (i == Bit ? slack : 0))
      return false;
  return true;
}

std::optional<Element> elementAt(const Layout &layout, Place place) {
  if (layout.swizzle.bits) // folding twice unfolds
    place[Bit] = layout.swizzle(place[Bit] / 8) * 8 + place[Bit] % 8;
  if (layout.carryStep) {
    place[Bit] += place[Word] / layout.carryStep * layout.wordBits;
    place[Word] %= layout.carryStep;
  }
  for (unsigned axis = 0; axis < place.size(); ++axis) {
    if (place[axis] < layout.origin[axis])
      return std::nullopt;
    place[axis] -= layout.origin[axis];
  }
  Element element = {};
  if (!convert(layout, place, axisOf, &Digit::placeStep, element, alongOf, &Digit::elementStep,
               layout.elementBits ? layout.elementBits - 1 : 0))
    return std::nullopt;
  if (isPadding(layout, element))
    return std::nullopt;
  return element;
}

llvm::SmallVector<Place, 2> placesOf(const Layout &layout, Element element) {
  Place first = {};
  if (isPadding(layout, element) ||
      !convert(layout, element, alongOf, &Digit::elementStep, first, axisOf, &Digit::placeStep, 0))
    return {};
  llvm::SmallVector<Place, 2> places{first};
  for (const Digit &digit : layout.digits) {
    if (digit.elementStep)
      continue;
    const size_t before = places.size();
    for (uint32_t copy = 1; copy < digit.extent; ++copy)
      for (size_t i = 0; i < before; ++i) {
        places.push_back(places[i]);
        places.back()[digit.axis] += copy * digit.placeStep;
      }
  }
  for (Place &place : places)
    place = finished(layout, place);
  return places;
}

void forEach(const Layout &layout, llvm::function_ref<void(Element, Place)> visit) {
  llvm::SmallVector<uint32_t, 8> value(layout.digits.size(), 0);
  Element element = {};
  Place place = {};
  for (;;) {
    if (!isPadding(layout, element))
      visit(element, finished(layout, place));
    size_t i = 0;
    for (; i < value.size(); ++i) {
      const Digit &digit = layout.digits[i];
      element[digit.along] += digit.elementStep;
      place[digit.axis] += digit.placeStep;
      if (++value[i] < digit.extent)
        break;
      element[digit.along] -= digit.extent * digit.elementStep;
      place[digit.axis] -= digit.extent * digit.placeStep;
      value[i] = 0;
    }
    if (i == value.size())
      return;
  }
}

std::string cuteNotation(const Layout &layout) {
  const uint32_t rows = size(layout, Row), columns = size(layout, Column);
  const uint32_t unit[] = {1, rows, rows * columns};
  std::string shape, stride;
  auto mode = [&](llvm::ArrayRef<const Digit *> digits) {
    const bool nested = digits.size() > 1;
    shape += nested ? "(" : "";
    stride += nested ? "(" : "";
    if (digits.empty()) {
      shape += "1";
      stride += "0";
    }
    for (const Digit *digit : digits) {
      const char *comma = digit == digits.front() ? "" : ",";
      shape += comma + std::to_string(digit->extent);
      stride += comma + std::to_string(digit->elementStep * unit[digit->along]);
    }
    shape += nested ? ")" : "";
    stride += nested ? ")" : "";
  };
  llvm::SmallVector<const Digit *, 8> lane, value;
  for (const Digit &digit : layout.digits)
    (digit.axis == Lane ? lane : value).push_back(&digit);
  auto byPlace = [](const Digit *a, const Digit *b) {
    return std::make_pair(-int(a->axis), a->placeStep) < std::make_pair(-int(b->axis), b->placeStep);
  };
  llvm::sort(lane, byPlace);
  llvm::sort(value, byPlace);
  mode(lane);
  shape += ",";
  stride += ",";
  mode(value);
  return "(" + shape + "):(" + stride + ")";
}

llvm::StringRef laneName(const Layout &layout) { return layout.store == Store::TensorMemory ? "lane" : "thread"; }

std::string wordText(const Layout &layout, uint32_t word) {
  return layout.store == Store::TensorMemory ? "column " + std::to_string(word)
                                             : layout.wordName + std::to_string(word);
}

static std::string bitsText(uint32_t first, uint32_t count) {
  return count == 1 ? "bit " + std::to_string(first)
                    : "bits " + std::to_string(first) + "-" + std::to_string(first + count - 1);
}

std::string placeText(const Layout &layout, const Place &place) {
  std::string text;
  auto part = [&](const std::string &piece) { text += (text.empty() ? "" : ", ") + piece; };
  if (layout.store == Store::SharedMemory) {
    part("byte " + std::to_string(place[Bit] / 8));
    if (layout.elementBits % 8)
      part(bitsText(place[Bit] % 8, layout.elementBits));
    return text;
  }
  if (llvm::any_of(layout.digits, [](const Digit &digit) { return digit.axis == Cta; }))
    part("CTA " + std::to_string(place[Cta]));
  part((laneName(layout) + " " + llvm::Twine(place[Lane])).str());
  if (layout.store == Store::Addresses)
    return text;
  part(wordText(layout, place[Word]));
  if (layout.elementBits < layout.wordBits)
    part(bitsText(place[Bit], layout.elementBits));
  return text;
}

std::string elementText(const Layout &layout, const Element &element) {
  std::string text;
  if (size(layout, Matrix) > 1)
    text = layout.elementNames[Matrix] + " " + std::to_string(element[Matrix]) + ", ";
  return text + layout.elementNames[Row] + " " + std::to_string(element[Row]) + ", " + layout.elementNames[Column] +
         " " + std::to_string(element[Column]);
}

} // namespace ptxray::layout
