#pragma once
// Maps the elements of a matrix to their places: in the registers of which thread, in which cell of tensor
// memory, at which address of shared memory. One model serves all of them: a place and an element
// are numbers in a mixed radix, and a digit of one is a digit of the other. So each layout is a
// short list of digits, reads in both directions, and cannot put two elements at one place without
// a test noticing.
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

/// The parts of a place. A Word is a register of the thread, or a column of tensor memory.
enum Axis : uint8_t { Cta, Lane, Word, Bit };
/// The parts of an element. The Matrix is its number if there are several.
enum Along : uint8_t { Row, Column, Matrix };

using Place = std::array<uint32_t, 4>;   // by Axis
using Element = std::array<uint32_t, 3>; // by Along

/// One count of `extent` steps, each of which moves the place by `placeStep` and the element by `elementStep`. An
/// element that does not move is held several times; a place that does not move holds several elements.
struct Digit {
  uint32_t extent;
  Axis axis;
  uint32_t placeStep;
  Along along;
  uint32_t elementStep;
};

/// Address bits are folded into lower ones: CuTe's Swizzle<bits, base, shift> over byte addresses.
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
  std::string source; // where this is known from
  Store store = Store::Registers;
  uint16_t elementBits = 32;
  uint16_t wordBits = 32;
  std::array<std::string, 3> elementNames = {"row", "column", "matrix"};
  std::string wordName = "r"; // of a register: `a` for a0, a1
  llvm::SmallVector<Digit, 8> digits;
  Place origin = {};
  Element limit = {};     // elements from here on are padding; 0: all count
  uint32_t carryStep = 0; // bits beyond the word lie in the word this many further; 0: there are none
  Swizzle swizzle;
  std::vector<std::string> notes;

  /// Appends a digit, unless it counts nothing.
  Layout &count(uint32_t extent, Axis axis, uint32_t placeStep, Along along, uint32_t elementStep) {
    assert(extent && axis <= Bit && along <= Matrix && "a digit counts something along something");
    if (extent > 1)
      digits.push_back({extent, axis, placeStep, along, elementStep});
    return *this;
  }
};

uint32_t size(const Layout &layout, Along along);
/// Returns one more than the highest number on the axis.
uint32_t size(const Layout &layout, Axis axis);

/// Returns the first element at a place; none if the place holds nothing.
std::optional<Element> elementAt(const Layout &layout, Place place);
/// Returns all places that hold an element; none if it is outside the matrix.
llvm::SmallVector<Place, 2> placesOf(const Layout &layout, Element element);
/// Visits every pair of element and place.
void forEach(const Layout &layout, llvm::function_ref<void(Element, Place)> visit);

/// CuTe's notation of the map from (lane, value) to the element's number, counted down the columns.
std::string cuteNotation(const Layout &layout);

/// Returns a place in words: `thread 5, a1, bits 16-31`.
std::string placeText(const Layout &layout, const Place &place);
std::string elementText(const Layout &layout, const Element &element);
/// Returns a word in words: `a1`, `column 3`.
std::string wordText(const Layout &layout, uint32_t word);
llvm::StringRef laneName(const Layout &layout);

} // namespace ptxray::layout
