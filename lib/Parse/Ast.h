#pragma once
// The syntax tree of a PTX module, as flat arrays without node classes and pointers. The parser appends to it, later
// steps read it. It describes the syntax of PTX, but does not know any instruction.
#include "Source/Range.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <deque>
#include <vector>

namespace ptxray {

/// An interned identifier (`%r1`, `foo`), numbered from 0.
enum class NameId : uint32_t { None = ~0u };
/// An interned dotted spelling: an opcode (`ld.global.v4.f32`) or a dotted word (`.reg`, `.b32`). Each opcode is
/// checked only once.
enum class SpellingId : uint32_t { None = ~0u };

/// A range of one of the arrays below.
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
  Pair,    // `d|p`; `{a, b}|p`; `key = value` in a sampler; `a-b` in a section
  Invalid, // an expression that has no value (a register in arithmetic, a division by zero)
};

enum OperandFlag : uint16_t {
  Negated = 1,   // `-a`
  Not = 2,       // `!p`
  HasOffset = 4, // `a+8`, `a[8]`; `value` is the offset
  HexFloat = 8,  // `0f...`: a 32-bit pattern; with WideFloat `0d...`: a 64-bit pattern
  WideFloat = 16,
  AnyValue = WideFloat, // for an Integer or an offset: only a compiler knows the value
  UnsignedSuffix = 32,  // `1U`
  Subscript = 64,       // the offset was written `a[8]`
  WarpSize = 128,       // the constant was written `WARP_SZ`
  Beyond16 = 16384,     // the integer does not fit into 16 bits
  Beyond32 = 32768,     // the integer does not fit into 32 bits, or the float does not fit into .f32
  WrittenFlags = Negated | Not | HasOffset | HexFloat | WideFloat | Subscript | Beyond16 | Beyond32, // for verdicts
};

/// Returns whether an integer fits into that many bits, signed or unsigned.
constexpr bool fitsInto(unsigned bits, int64_t value) {
  return bits >= 64 || (value >= -(int64_t(1) << (bits - 1)) && value < int64_t(1) << bits);
}

/// An operand node. Nodes are in preorder: the children of a node follow it. `extent` counts the node and its
/// descendants, so the next sibling of node i is i + operands[i].extent.
struct Operand {
  OperandKind kind = OperandKind::Invalid;
  uint16_t flags = 0;
  uint32_t extent = 1;
  NameId name = NameId::None;           // Name
  SpellingId suffix = SpellingId::None; // `.x`, `.b0`, `.h1` after a name, `.unified` after `]`
  Range range;                          // signs, offset and suffix included
  int64_t value = 0; // value of an Integer; bits of a Float; offset of a Name; for the Vector of an initialiser, the
                     // number of leading numbers that were only counted
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

/// One item of the module or statement of a body, in source order. `index` is an index into the array of its kind (for
/// a block: the offset of its brace).
struct Statement {
  StatementKind kind;
  uint32_t index;
};

struct Instruction {
  SpellingId opcode = SpellingId::None; // mnemonic and all qualifiers, written together: `add.s32`
  NameId guard = NameId::None;
  bool guardNot = false;
  bool hasSuffix = false; // some operand has a suffix
  uint64_t print = 0;     // hash of the opcode and the operands, except their names: Parse/Fingerprint.h
  Slice names;            // names in the guard and the operands, in order: into `operandNames`
  Slice operands;         // all nodes; `extent` separates top-level operands
  Range opcodeRange;      // mnemonic and qualifiers
  Range guardRange;       // `@!%p1`
  Range range;            // the whole statement, including guard and semicolon
};

struct Label {
  NameId name = NameId::None;
  Range range;
};

/// A directive and its arguments: `.version 9.0`, `.target sm_90, debug`, `.maxntid 1, 2`, `.pragma "x";`, `.loc ...`,
/// `.branchtargets a, b`, `.attribute(.managed)` ... Dotted arguments (`.unified`, `.b8` of a section) are Names whose
/// `suffix` is the word and whose `name` is None.
struct Directive {
  SpellingId name = SpellingId::None;
  Slice operands;
  NameId label = NameId::None; // `ts` in `ts: .branchtargets a, b;`
  Range nameRange;
  Range range;
};

/// One declared name; `.reg .b32 a, b;` produces two.
struct Declaration {
  NameId name = NameId::None; // None for an unnamed parameter
  SpellingId linkage = SpellingId::None;
  SpellingId space = SpellingId::None;
  SpellingId vector = SpellingId::None; // `.v2`
  SpellingId type = SpellingId::None;
  SpellingId ptrSpace = SpellingId::None; // the space in `.ptr .global`
  bool isPtr = false;
  bool isParameterised = false; // `%r<10>`; `count` is the 10
  bool hasInitialiser = false;
  bool isNameless = false;      // declares nothing: `.reg .b32;`
  bool isAlignedBehind = false; // `.param .u32 .align 8 a`
  uint32_t count = 0;
  int64_t align = -1;    // -1 if absent
  int64_t ptrAlign = -1; // -1 if absent
  Slice dims;            // into `dims`; -1 for an open dimension
  Slice initialiser;     // into `operands`; braces are Vectors
  Slice attributes;      // into `directives`
  Range spaceRange, typeRange, nameRange;
  Range range;
};

enum class FunctionKind : uint8_t { Entry, Func, Prototype };

struct Function {
  FunctionKind kind = FunctionKind::Func;
  SpellingId linkage = SpellingId::None;
  NameId name = NameId::None; // for a prototype: its label
  bool hasBody = false;
  bool hasReturn = false;    // has a return list, which may be empty
  bool isPassedOver = false; // its body was not parsed
  uint32_t brace = 0;        // offset of the brace that opens the body
  Slice returns;             // into `declarations`
  Slice parameters;          // into `declarations`
  Slice directives;          // `.maxntid` and similar, `.noreturn`, pragmas, attributes
  Slice body;                // into `statements`
  Range nameRange;
  Range head; // begins at the linkage, ends at the brace or semicolon
  Range range;
};

class Interner;

struct Ast {
  std::vector<Statement> module;     // items of the module, in source order
  std::vector<Statement> statements; // statements of function bodies
  std::vector<Instruction> instructions;
  std::vector<Instruction> brokenInstructions; // have no operands
  std::vector<Operand> operands;
  std::vector<NameId> operandNames; // names in the operands and guards of instructions
  std::vector<Label> labels;
  std::vector<Declaration> declarations;
  std::vector<Directive> directives;
  std::vector<Function> functions;
  std::vector<int64_t> dims;
  std::deque<llvm::StringRef> lost; // lines with a syntax error; they may contain declarations
  std::vector<Range> unread;        // skipped part of each statement or item with a syntax error

  llvm::StringRef text(NameId name) const;
  llvm::StringRef text(SpellingId spelling) const;
  llvm::ArrayRef<Operand> operandsOf(Slice slice) const {
    return llvm::ArrayRef<Operand>(operands).slice(slice.first, slice.count);
  }

  Interner *names = nullptr; // belongs to the parser
  Interner *spellings = nullptr;
};

} // namespace ptxray
