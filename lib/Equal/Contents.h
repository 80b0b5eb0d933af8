#pragma once
// Contents of buffers for launches of kernels that are compared: random ones of several kinds, and special values.
#include "Machine/Observer.h"
#include "Read/ReadModule.h"
#include "Semantics/Element.h"

namespace ptxray::equal {

using Bytes = std::vector<uint8_t>;

/// A buffer of a launch.
struct Buffer {
  std::string name;
  Bytes given;                     // what it holds before the launch
  std::optional<ElementType> type; // of its elements, if known
};

/// Names contents that `Contents` makes.
struct ContentName {
  unsigned kind = 0;
  uint64_t seed = 1;
  bool operator==(const ContentName &) const = default;
};

/// What the instructions of modules compute with.
struct ModuleNumbers {
  std::vector<double> floats;     // constants
  std::vector<uint64_t> integers; // constants
  bool hasFloats = false, hasHalves = false;

  void add(const ReadModule &module);
};

/// Returns whether a module has instructions that read and write memory at once.
bool hasAtomics(const ReadModule &module);

// Elements of buffers.
/// Returns the type with a name such as `f16` or `u32`; none if there is no such type.
std::optional<ElementType> typeNamed(llvm::StringRef name);
uint64_t countOf(const ElementType &type, size_t bytes);
uint64_t elementOf(const ElementType &type, llvm::ArrayRef<uint8_t> bytes, uint64_t index);
void setElement(const ElementType &type, llvm::MutableArrayRef<uint8_t> bytes, uint64_t index, uint64_t value);
double decoded(const ElementType &type, uint64_t bits);
uint64_t encoded(const ElementType &type, double number);
std::string shown(const ElementType &type, uint64_t bits);

class Contents {
public:
  /// Kinds of contents: those below `kinds` are random.
  static constexpr unsigned kinds = 14, edges = 14, given = 15;

  /// `keepsGiven`: launches begin with the contents that buffers have, such as recorded ones.
  Contents(std::vector<Buffer> buffers, ModuleNumbers numbers, bool keepsGiven = false);
  /// Returns contents with a name. Those of `edges` have NaNs, infinities, zeros of both signs and subnormal numbers.
  std::vector<Bytes> make(const ContentName &name) const;
  /// Changes each float by a small part of itself.
  std::vector<Bytes> disturbed(const std::vector<Bytes> &contents, uint64_t seed) const;

  llvm::ArrayRef<Buffer> buffers() const { return all; }
  /// Sets the types of elements that are not known.
  void setTypes(llvm::ArrayRef<std::optional<ElementType>> types);
  bool hasFloats() const { return isOfFloats; }
  bool keepsGiven() const { return isGivenFirst; }

private:
  double floatFor(unsigned kind, uint64_t random, uint64_t index, uint64_t count) const;
  uint64_t integerFor(unsigned kind, uint64_t random, uint64_t index, unsigned bits) const;
  void addSpecials(std::vector<Bytes> &contents, uint64_t seed) const;
  void noteTypes();

  std::vector<Buffer> all;
  ModuleNumbers numbers;
  bool isGivenFirst, isOfFloats = false, hasHalves = false;
};

} // namespace ptxray::equal
