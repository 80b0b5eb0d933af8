#pragma once
// Maps the elements of a matrix to locations: a thread and its register, a cell of tensor memory, or an address in
// shared memory. Locations and elements are mixed-radix numbers, and each digit of an element is also a digit of its
// location. A layout is therefore a short list of digits that can be read in both directions. Tests detect layouts that
// map two elements to one location.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxray::layout {

/// The coordinates of a location. A Word is a register of the thread, or a column of tensor memory.
enum Axis : uint8_t { Cta, Lane, Word, Bit };
/// The coordinates of an element. Matrix is its index if there are several.
enum Along : uint8_t { Row, Column, Matrix };

using Place = std::array<uint32_t, 4>;   // indexed by Axis
using Element = std::array<uint32_t, 3>; // indexed by Along

/// A digit that counts `extent` steps, each of which advances the location by `placeStep` and the element by
/// `elementStep`. If `elementStep` is 0, an element has several copies. If `placeStep` is 0, several elements share a
/// location.
struct Digit {
  uint32_t extent;
  Axis axis;
  uint32_t placeStep;
  Along along;
  uint32_t elementStep;
};

/// Folds address bits into lower ones: CuTe's Swizzle<bits, base, shift> on byte addresses.
struct Swizzle {
  uint8_t bits = 0, base = 4, shift = 3;
  uint32_t operator()(uint32_t byte) const {
    assert(bits < 32 && base < 32 && shift < 32 && "an address has 32 bits");
    return byte ^ ((byte >> shift) & (((1u << bits) - 1) << base));
  }
};

enum class Store : uint8_t { Registers, TensorMemory, SharedMemory, Addresses };

struct Layout {
  std::string name;   // `A`, `scale-a`
  std::string what;   // `16x16 of .f16`
  std::string source; // the document that defines the layout
  Store store = Store::Registers;
  uint16_t elementBits = 32;
  uint16_t wordBits = 32;
  std::array<std::string, 3> elementNames = {"row", "column", "matrix"};
  std::string wordName = "r"; // prefix of register names: `a` for a0, a1
  llvm::SmallVector<Digit, 8> digits;
  Place origin = {};
  Element limit = {};     // elements from this one on are padding; 0 if there is no padding
  uint32_t carryStep = 0; // distance to the word with the bits that do not fit into the first word; 0 if there are none
  Swizzle swizzle;
  std::vector<std::string> notes;

  /// Appends a digit, unless its extent is 1.
  Layout &count(uint32_t extent, Axis axis, uint32_t placeStep, Along along, uint32_t elementStep) {
    assert(extent && axis <= Bit && along <= Matrix && "a digit counts something along something");
    if (extent > 1)
      digits.push_back({extent, axis, placeStep, along, elementStep});
    return *this;
  }
};

uint32_t size(const Layout &layout, Along along);
/// Returns the maximum coordinate on the axis, plus one.
uint32_t size(const Layout &layout, Axis axis);

/// Returns the first element at a location, or none if the location is unused.
std::optional<Element> elementAt(const Layout &layout, Place place);
/// Returns all locations of an element; none if it is outside of the matrix.
llvm::SmallVector<Place, 2> placesOf(const Layout &layout, Element element);
/// Visits every pair of an element and its location.
void forEach(const Layout &layout, llvm::function_ref<void(Element, Place)> visit);

/// Returns the map from (lane, value) to the element's column-major index, in CuTe's notation.
std::string cuteNotation(const Layout &layout);

/// Returns a location as text: `thread 5, a1, bits 16-31`.
std::string placeText(const Layout &layout, const Place &place);
std::string elementText(const Layout &layout, const Element &element);
/// Returns a word as text: `a1`, `column 3`.
std::string wordText(const Layout &layout, uint32_t word);
llvm::StringRef laneName(const Layout &layout);

} // namespace ptxray::layout
