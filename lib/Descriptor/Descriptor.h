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
  /// What the bits stand for, as it would be written: `256`, `f32`, `1`.
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
  /// The value of a field as it stands for; 0 for a field the format lacks.
  uint32_t get(uint64_t value, llvm::StringRef key) const;
};

/// Targets whose tensor cores take the same descriptors.
enum class Family : uint8_t { Unknown, Sm100, Sm103, Sm107 };
/// By the number of the target: 100 of sm_100a.
Family familyOf(unsigned target);

/// `m = 128, n = 256, d = f32, a = f16`: what is not 0, and what always matters.
std::string summaryOf(const Format &format, uint64_t value);
/// A line a field: its bits, name, value and title.
std::string fieldLines(const Format &format, uint64_t value);

/// The kinds of tcgen05.mma whose descriptor is documented: `f16`, `tf32`, ...
llvm::ArrayRef<llvm::StringLiteral> kinds();
/// Null for a name that is not one, or an `idesc` whose kind is not one. `kind` is empty but for `idesc`.
const Format *findFormat(llvm::StringRef name, llvm::StringRef kind, Family family = Family::Unknown);
llvm::ArrayRef<llvm::StringLiteral> formatNames();

/// Sets a field, whatever it was; a complaint for a key or text that does not fit.
std::optional<std::string> setField(const Format &format, uint64_t &value, llvm::StringRef key, llvm::StringRef text);

/// How a descriptor is used, as far as it is known.
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
  std::string text;  // `M = 192`
  std::string table; // `Table 39`
};
/// Reserved bits, and values that mean nothing; the others look at that too.
std::vector<Problem> checkFields(const Format &format, uint64_t value);
std::vector<Problem> checkInstruction(uint64_t value, const Use &use);
std::vector<Problem> checkShared(uint64_t value, const Use &use);
std::vector<Problem> checkZeroMask(uint64_t value, std::optional<uint32_t> m);

/// How many scale factors a row has (K = 96 aside) by a word of the instruction: `4X`, `block32`.
uint32_t scaleVectors(llvm::StringRef word, llvm::StringRef kind);
/// K in elements, as the kind and the fields of an instruction descriptor say.
uint32_t depthOf(const Format &format, uint64_t value);

/// The bits that a zero-column mask descriptor makes: one piece for M = 128, two for 64, four
/// for 32. A set bit stands for a column of zeros.
std::vector<std::vector<bool>> zeroColumns(uint64_t value, uint32_t m, uint32_t n);

/// Whether four bits are a legal index of sparse metadata; `bits` of an element of A.
bool isSparseIndex(unsigned index, unsigned bits, bool ordered);

} // namespace ptxray::descriptor
