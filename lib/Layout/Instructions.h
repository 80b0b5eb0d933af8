#pragma once
// Finds the layouts that belong to an instruction, from its qualifiers and from values that they do not give (the shape
// in a descriptor, an id, a selector).
#include "Layout/Layout.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

namespace ptxray::layout {

/// A question about an instruction. Numbers that are not given take their usual value.
struct Request {
  std::string instruction;               // `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`, or shorter
  std::string arch;                      // `gfx12`: AMD's
  llvm::StringMap<std::string> settings; // `m` -> `128`

  std::optional<uint32_t> number(llvm::StringRef name) const;
  uint32_t number(llvm::StringRef name, uint32_t otherwise) const { return number(name).value_or(otherwise); }
  llvm::StringRef text(llvm::StringRef name) const;
};

/// The layouts, or why there are none.
struct Answer {
  std::vector<Layout> layouts;
  std::vector<std::string> notes;
  std::string complaint;

  static Answer refuse(std::string why) { return {{}, {}, std::move(why)}; }
};

/// The dotted words of an instruction. `cta_group::1` is one word.
struct Words {
  explicit Words(llvm::StringRef instruction);
  bool has(llvm::StringRef word) const;
  bool starts(llvm::StringRef mnemonic) const { return !all.empty() && all.front() == mnemonic; }
  /// Returns the rest of the first word that begins with a text: `f16` for `kind::`.
  llvm::StringRef behind(llvm::StringRef start) const;
  /// Returns the shape, `m16n8k16` as {16, 8, 16}; a missing letter gives 0.
  std::optional<std::array<uint32_t, 3>> shape() const;
  /// Returns the element types, in order.
  llvm::SmallVector<llvm::StringRef, 4> types() const;

  llvm::SmallVector<llvm::StringRef, 12> all;
};

/// Returns the width of an element of this type, written without its dot; 0 if there is no such type.
uint32_t bitsOfType(llvm::StringRef type);

Answer describe(const Request &request);

// There is one function for each family; `describe` chooses among them.
Answer describeMovement(const Words &words);                             // Fragments.cpp
Answer describeMma(const Words &words, const Request &request);          // Fragments.cpp
Answer describeWgmma(const Words &words, const Request &request);        // Fragments.cpp
Answer describeWmma(const Words &words);                                 // Fragments.cpp
Answer describeRdna4(const Words &words);                                // Fragments.cpp
Answer describeTensorLoad(const Words &words, const Request &request);   // TensorMemory.cpp
Answer describeTensorCopy(const Words &words);                           // TensorMemory.cpp
Answer describeTensorMma(const Words &words, const Request &request);    // TensorMemory.cpp
Answer describeSharedMemory(const Words &words, const Request &request); // SharedMemory.cpp
/// Sixteen elements of 4 or 6 bits in shared memory, where a row of them takes 16 bytes (padded) or as many as they
/// need.
Layout sixteenElements(uint32_t bits, bool padded); // SharedMemory.cpp
/// Returns an element of 4 or 6 bits within a byte: its bits as one row, the highest first.
Layout elementInByte(llvm::StringRef type); // SharedMemory.cpp

} // namespace ptxray::layout
