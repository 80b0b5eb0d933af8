#pragma once
// A finding describes a fault of an instruction independently of its location. Equal instructions share their findings,
// and the location in the source is looked up when a finding is reported.
#include "Diagnostics/Diagnostic.h"
#include "Isa/Tables.h"
#include "Source/Narrow.h"

namespace ptxray {

struct FindingPlace {
  enum Kind : uint8_t {
    Opcode,   // mnemonic and all qualifiers
    Mnemonic, // the words that spell the instruction
    Word,     // a word of the opcode; 0 for the name
    Operand,  // an operand node, counted from the first one of the instruction
    Suffix,   // the suffix after an operand node
    After,    // directly after an operand node, where something is missing
  };
  Kind kind = Opcode;
  uint16_t index = 0;
  uint16_t count = 1; // number of adjacent words that are wrong together
  bool operator==(const FindingPlace &) const = default;
  static FindingPlace at(Kind kind, std::integral auto index, uint16_t count = 1) {
    return {kind, narrow<uint16_t>(index), count};
  }
};

/// The weight of a finding when a text fits no form. The form with fewer findings in the first phases is nearer.
enum class Phase : uint8_t { Qualifier, Shape, Condition, Gate, Type, Warning, Tie };
inline constexpr unsigned phaseCount = 7; // no finding has the phase Tie, which only makes another form nearer

struct Remedy {
  enum Kind : uint8_t {
    None,
    InsertAfterWord,
    ReplaceWord,
    RemoveWord,
    ReplaceOpcode,
    RaiseVersion,
    ChangeTarget,   // changes the target to `text`, and the version to `word` unless that is 0
    AddBrackets,    // adds brackets around the operand at the finding
    RemoveBrackets, // removes the brackets around it
    SwapOperands,   // swaps the first two operands
    MakeFloat,      // replaces the integer with a float of `word` bits
  };
  Kind kind = None;
  uint16_t word = 0; // the version, for RaiseVersion and ChangeTarget
  std::string text;
  bool operator==(const Remedy &) const = default;
};

/// Represents an argument that is the source text at the location of the finding.
struct TextThere {};
inline constexpr TextThere textThere;

/// Returns whether a kind of words has no alternatives.
inline bool isFixedWord(Kind kind) {
  return kind == Kind::Alignment || kind == Kind::Convergence || kind == Kind::Completion;
}

struct Finding {
  DiagId id;
  Severity severity;
  Kind kind = Kind::None;
  Phase phase;
  FindingPlace place;
  llvm::SmallVector<std::string, 4> args;
  /// Index of the argument that is the source text at `place`, or -1.
  int8_t sourceArg = -1;
  /// If the place is a word that does not fit an operand: the node of that operand, whose text is the argument;
  /// otherwise -1.
  int16_t textNode = -1;
  /// Further operand nodes with the same finding and the same remedy.
  llvm::SmallVector<uint16_t, 0> alike;
  /// Words that would be accepted here, as the last argument. All equally near forms add their words.
  llvm::SmallVector<isa::WordId, 0> expected;
  llvm::SmallVector<SharedText, 1> notes;
  Remedy remedy;                // if it has no text: the only word in `expected`
  SharedText fixTitle, fixText; // title and text of the remedy, once it is put into words
  uint32_t form = ~0u;          // the form whose syntax the report shows
  uint32_t line = 0;            // line of the .isa file; 0 for the line of the form

  void add(TextThere) {
    sourceArg = narrow<int8_t>(args.size());
    args.emplace_back();
  }
  void add(AddedLater) {}
  void add(const auto &argument) { args.push_back(argumentText(argument)); }
  bool operator==(const Finding &) const = default;
  bool isSameOffence(const Finding &other) const {
    return id == other.id && kind == other.kind && place == other.place;
  }
};
Finding makeWordFinding(DiagId id, FindingPlace place);
/// Returns a finding about words, which does not depend on the form.
template <typename... Args> Finding wordFinding(IdFor<Args...> id, FindingPlace place, const Args &...args) {
  Finding f = makeWordFinding(id.value, place);
  (f.add(args), ...);
  return f;
}

} // namespace ptxray
