#pragma once
// The tree of a PTX text, as flat arrays: no node classes, no pointers. The parser appends to it, the
// later steps read it. It knows the shape of PTX and not one instruction.
#include "Source/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <deque>
#include <vector>

namespace ptxray {

/// An interned identifier (`%r1`, `foo`), dense from 0.
enum class NameId : uint32_t { None = ~0u };
/// An interned dotted spelling: an opcode (`ld.global.v4.f32`) or a dotted word (`.reg`, `.b32`).
/// An instruction form is judged once for each of them.
enum class SpellingId : uint32_t { None = ~0u };

/// A run of one of the arrays below.
struct Slice {
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t end() const { return first + count; }
  bool empty() const { return count == 0; }
};

enum class OperandKind : uint8_t {
  Name,    // `%r1`, `foo`, `foo+8`, `%v.x`, `foo[4]`; `foo[%r1]` has its subscript as a child
  Integer, // a constant expression of integers, folded
  Float,   // `1.5`, `0f3F800000`, `0d...`
  String,  // only in directives; `name` is its text, quotes included
  Sink,    // `_`
  Vector,  // `{a, b}`
  Address, // `[a]`, `[a+8]`, `[tex, {x, y}]`
  List,    // `(a, b)` of a call; in an initialiser `generic(a)`, which has a name, and `0xff(a)`, whose
           // first child is the mask; in a section `.b8 1, 2`, which has a suffix
  Pair,    // `d|p`; `{a, b}|p`; `key = value` of a sampler; `a-b` of a section
  Invalid, // an expression that has no value (a register in arithmetic, a division by zero)
};

enum OperandFlag : uint16_t {
  Negated = 1,   // `-a`
  Not = 2,       // `!p`
  HasOffset = 4, // `a+8`, `a[8]`; `value` is the offset
  HexFloat = 8,  // `0f...`: exactly 32 bits; with WideFloat `0d...`: exactly 64
  WideFloat = 16,
  AnyValue = WideFloat, // of an Integer, or of an offset: the value is known to a compiler alone
  UnsignedSuffix = 32,  // `1U`
  Subscript = 64,       // the offset was written `a[8]`
  WarpSize = 128,       // the constant was written `WARP_SZ`
  Beyond16 = 16384,     // the integer does not fit into 16 bits
  Beyond32 = 32768,     // nor into 32, or the float not into .f32
  WrittenFlags = Negated | Not | HasOffset | HexFloat | WideFloat | Subscript | Beyond16 | Beyond32, // for verdicts
};

/// Returns whether an integer fits into that many bits, with or without a sign.
constexpr bool fitsInto(unsigned bits, int64_t value) {
  return bits >= 64 || (value >= -(int64_t(1) << (bits - 1)) && value < int64_t(1) << bits);
}

/// Operands are in preorder: a node's children follow it, and `extent` counts the node and all
/// below it, so the next sibling of node i is i + operands[i].extent.
struct Operand {
  OperandKind kind = OperandKind::Invalid;
  uint16_t flags = 0;
  uint32_t extent = 1;
  NameId name = NameId::None;           // Name
  SpellingId suffix = SpellingId::None; // `.x`, `.b0`, `.h1` after a name, `.unified` after `]`
  Range range;                          // signs, offset and suffix included
  int64_t value = 0; // Integer; the bits of a Float; the offset of a Name; of the Vector of an initialiser how many
                     // numbers come before its children that were only counted
};

enum class StatementKind : uint8_t {
  Instruction,
  BrokenInstruction, // into `brokenInstructions`: a syntax error is among the operands
  Label,
  Declaration,
  Directive,
  Function, // a definition, a declaration or a `.callprototype`
  BlockBegin,
  BlockEnd,
};

/// One step of a body or of the module, in the order of the text; `index` points into the array of
/// its kind (for a block: the offset of its brace).
struct Statement {
  StatementKind kind;
  uint32_t index;
};

struct Instruction {
  SpellingId opcode = SpellingId::None; // mnemonic and all qualifiers, written together: `add.s32`
  NameId guard = NameId::None;
  bool guardNot = false;
  bool hasSuffix = false; // after some operand
  uint64_t print = 0;     // of opcode and operands but for their names: Parse/Fingerprint.h
  Slice names;            // the names of the operands, in order: into `operandNames`; before them that of the guard
  Slice operands;         // all nodes; top-level operands are found by `extent`
  Range opcodeRange;      // from the mnemonic to its last qualifier
  Range guardRange;       // `@!%p1`
  Range range;            // the whole statement with guard and semicolon
};

struct Label {
  NameId name = NameId::None;
  Range range;
};

/// A name and what follows it: `.version 9.0`, `.target sm_90, debug`, `.maxntid 1, 2`, `.pragma "x";`, `.loc ...`,
/// `.branchtargets a, b`, `.attribute(.managed)` ... Dotted arguments (`.unified`, `.b8` of a section) are Names whose
/// `suffix` is the word and whose `name` is None.
struct Directive {
  SpellingId name = SpellingId::None;
  Slice operands;
  NameId label = NameId::None; // of `ts: .branchtargets a, b;`
  Range nameRange;
  Range range;
};

/// One declared name; `.reg .b32 a, b;` makes two of these.
struct Declaration {
  NameId name = NameId::None; // None: an unnamed parameter
  SpellingId linkage = SpellingId::None;
  SpellingId space = SpellingId::None;
  SpellingId vector = SpellingId::None; // `.v2`
  SpellingId type = SpellingId::None;
  SpellingId ptrSpace = SpellingId::None; // of `.ptr .global`
  bool isPtr = false;
  bool isParameterised = false; // `%r<10>`; `count` is the 10
  bool hasInitialiser = false;
  bool isNameless = false;      // `.reg .b32;` declares nothing
  bool isAlignedBehind = false; // `.param .u32 .align 8 a`
  uint32_t count = 0;
  int64_t align = -1;    // -1: not written
  int64_t ptrAlign = -1; // -1: not written
  Slice dims;            // into `dims`; -1 is an open dimension
  Slice initialiser;     // into `operands`; braces are Vectors
  Slice attributes;      // into `directives`
  Range spaceRange, typeRange, nameRange;
  Range range;
};

enum class FunctionKind : uint8_t { Entry, Func, Prototype };

struct Function {
  FunctionKind kind = FunctionKind::Func;
  SpellingId linkage = SpellingId::None;
  NameId name = NameId::None; // of a prototype: its label
  bool hasBody = false;
  bool hasReturn = false;    // a return list is written, even an empty one
  bool isPassedOver = false; // its body was not read
  uint32_t brace = 0;        // that opens the body
  Slice returns;             // into `declarations`
  Slice parameters;          // into `declarations`
  Slice directives;          // `.maxntid` and its like, `.noreturn`, pragmas, attributes
  Slice body;                // into `statements`
  Range nameRange;
  Range head; // from linkage to the brace or semicolon
  Range range;
};

class Interner;

struct Ast {
  std::vector<Statement> module;     // items of the module in order
  std::vector<Statement> statements; // of function bodies
  std::vector<Instruction> instructions;
  std::vector<Instruction> brokenInstructions; // without operands
  std::vector<Operand> operands;
  std::vector<NameId> operandNames; // of instructions, and of their guards
  std::vector<Label> labels;
  std::vector<Declaration> declarations;
  std::vector<Directive> directives;
  std::vector<Function> functions;
  std::vector<int64_t> dims;
  std::deque<llvm::StringRef> lost; // lines with a syntax error: declarations may be missing
  std::vector<Range> unread;        // of a statement or an item with one, what was passed over

  llvm::StringRef text(NameId name) const;
  llvm::StringRef text(SpellingId spelling) const;
  llvm::ArrayRef<Operand> operandsOf(Slice slice) const {
    return llvm::ArrayRef<Operand>(operands).slice(slice.first, slice.count);
  }

  Interner *names = nullptr; // owned by the owner of the Ast's parse
  Interner *spellings = nullptr;
};

} // namespace ptxray
