#pragma once
// A finding says what is wrong with an instruction, independent of its place: equal instructions share their findings,
// and bytes are looked up when one is reported.
#include "Diagnostics/Diagnostic.h"
#include "Isa/Tables.h"
#include "Source/Narrow.h"

namespace ptxray {

struct FindingPlace {
  enum Kind : uint8_t {
    Opcode,   // mnemonic and all qualifiers
    Mnemonic, // the words that spell the instruction
    Word,     // a word of the opcode; 0 is the name
    Operand,  // an operand node, counted from the instruction's first
    Suffix,   // the suffix after an operand node
    After,    // right after an operand node, where something is missing
  };
  Kind kind = Opcode;
  uint16_t index = 0;
  uint16_t count = 1; // how many neighbouring words are wrong together
  bool operator==(const FindingPlace &) const = default;
  static FindingPlace at(Kind kind, std::integral auto index, uint16_t count = 1) {
    return {kind, narrow<uint16_t>(index), count};
  }
};

/// Says how much a finding weighs when a text fits no form: the form with fewer findings of the first phases is nearer.
enum class Phase : uint8_t { Qualifier, Shape, Condition, Gate, Type, Warning, Tie };
inline constexpr unsigned phaseCount = 7; // Tie: no finding is of it; it only makes another form the nearer one

struct Remedy {
  enum Kind : uint8_t {
    None,
    InsertAfterWord,
    ReplaceWord,
    RemoveWord,
    ReplaceOpcode,
    RaiseVersion,
    ChangeTarget,   // to `text`, and the version to `word` unless that is 0
    AddBrackets,    // round the operand at the place of the finding
    RemoveBrackets, // from around it
    SwapOperands,   // the first two
    MakeFloat,      // makes a float of the integer there, with as many bits as `word` says
  };
  Kind kind = None;
  uint16_t word = 0; // RaiseVersion, ChangeTarget: the version
  std::string text;
  bool operator==(const Remedy &) const = default;
};

/// Stands for an argument that is the text of the source at the place.
struct TextThere {};
inline constexpr TextThere textThere;

/// Kinds of words for which there is no alternative.
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
  /// Says which argument is the text of the source at `place`, or -1.
  int8_t sourceArg = -1;
  /// The operand that it is the text of, where the place is a word that does not go with it; -1: none.
  int16_t textNode = -1;
  /// Other operand nodes of which the same is to be said, with the same remedy.
  llvm::SmallVector<uint16_t, 0> alike;
  /// Words that would be accepted here, which make the last argument. Forms that are equally near add theirs.
  llvm::SmallVector<isa::WordId, 0> expected;
  llvm::SmallVector<SharedText, 1> notes;
  Remedy remedy;                // without text and with `expected`: that word, if there is only one
  SharedText fixTitle, fixText; // those of the remedy, once it is put into words
  uint32_t form = ~0u;          // the form whose syntax is shown
  uint32_t line = 0;            // the line of the .isa file; 0: that of the form

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
/// Returns a finding about words, independent of the form.
template <typename... Args> Finding wordFinding(IdFor<Args...> id, FindingPlace place, const Args &...args) {
  Finding f = makeWordFinding(id.value, place);
  (f.add(args), ...);
  return f;
}

} // namespace ptxray
