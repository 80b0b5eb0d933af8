#pragma once
// The descriptors of wgmma and tcgen05: what each bit means, both ways.
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxray::descriptor {

struct Choice {
  llvm::StringLiteral name;
  uint32_t value;
};

/// A run of bits. Its value stands for `value << shift` where there are no choices.
struct Field {
  llvm::StringLiteral key;   // `m`; empty: reserved
  llvm::StringLiteral title; // `rows of D`
  uint8_t first, bits, shift;
  llvm::ArrayRef<Choice> choices;
  uint32_t fixed = 0; // what a reserved field must be

  bool isReserved() const { return key.empty(); }
  uint32_t of(uint64_t value) const {
    assert(bits <= 32 && first + bits <= 64 && "a field lies within its descriptor");
    return value >> first & ((uint64_t(1) << bits) - 1);
  }
  /// Returns the value as a user would write it: `256`, `f32`, `1`.
  std::string meaning(uint64_t value) const;
  const Choice *choice(uint64_t value) const;
};

struct Format {
  llvm::StringLiteral name; // `idesc`, `smem`, `wgmma-smem`, `zero-mask`
  llvm::StringLiteral kind; // of an `idesc`: `f16`
  llvm::StringLiteral title;
  llvm::StringLiteral table; // of the PTX manual
  uint8_t bits;
  llvm::ArrayRef<Field> fields;

  const Field *field(llvm::StringRef key) const;
  /// Returns the value that a field stands for; 0 if the format has no such field.
  uint32_t get(uint64_t value, llvm::StringRef key) const;
};

/// Targets whose tensor cores take the same descriptors.
enum class Family : uint8_t { Unknown, Sm100, Sm103, Sm107 };
/// Returns the family of a target, by its number: `sm_100a` is 100.
Family familyOf(unsigned target);

/// Returns the fields that are not 0 or always matter: `m = 128, n = 256, d = f32, a = f16`.
std::string summaryOf(const Format &format, uint64_t value);
/// Returns one line for each field: bits, name, value and title.
std::string fieldLines(const Format &format, uint64_t value);

/// Returns the kinds of tcgen05.mma whose descriptor is documented: `f16`, `tf32`, ...
llvm::ArrayRef<llvm::StringLiteral> kinds();
/// Null if there is no such format, or no `idesc` of that kind. `kind` is empty for all formats but `idesc`.
const Format *findFormat(llvm::StringRef name, llvm::StringRef kind, Family family = Family::Unknown);
llvm::ArrayRef<llvm::StringLiteral> formatNames();

/// Replaces the value of a field. Returns what is wrong with the key or the text, or nothing.
std::optional<std::string> setField(const Format &format, uint64_t &value, llvm::StringRef key, llvm::StringRef text);

/// A use says how an instruction uses a descriptor, as far as is known.
struct Use {
  std::string kind;
  uint32_t ctaGroup = 0;               // 0: not known
  std::optional<bool> sparse, ws;      // .sp, .ws
  bool isA = true, isB = true;         // of a shared-memory descriptor: which matrices it may be
  std::optional<uint64_t> instruction; // the instruction descriptor beside it
  std::optional<uint64_t> a, b;        // shared-memory descriptors beside it
  uint32_t scaleVectors = 0;           // factors a row: 1, 2, 4; 0: not known
  Family family = Family::Unknown;
};

enum class Offence : uint8_t { Bits, Type, Shape, Form, Transpose };
struct Problem {
  Offence offence;
  std::string text;        // `M = 192`
  std::string table;       // `Table 39`
  bool isPedantic = false; // whether NVIDIA's own libraries do so
};
/// Finds reserved bits that are set and values without a meaning; the other checks call this one.
std::vector<Problem> checkFields(const Format &format, uint64_t value);
std::vector<Problem> checkInstruction(uint64_t value, const Use &use);
std::vector<Problem> checkShared(uint64_t value, const Use &use);
std::vector<Problem> checkZeroMask(uint64_t value, std::optional<uint32_t> m);

/// Returns how many scale factors a row has, by a word of the instruction such as `4X` or `block32`; K = 96 is an
/// exception.
uint32_t scaleVectors(llvm::StringRef word, llvm::StringRef kind);
/// K in elements, from the kind and the fields of an instruction descriptor.
uint32_t depthOf(const Format &format, uint64_t value);

/// Returns the columns that a zero-column mask descriptor clears: one piece for M = 128, two for 64, four for 32. A set
/// bit stands for a column of zeros.
std::vector<std::vector<bool>> zeroColumns(uint64_t value, uint32_t m, uint32_t n);

/// Returns whether four bits are a valid index of sparse metadata. `bits` is the width of an element of A.
bool isSparseIndex(unsigned index, unsigned bits, bool ordered);

} // namespace ptxray::descriptor
