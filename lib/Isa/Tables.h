#pragma once
// The tables that `ptxray-isagen` makes of grammar/isa/*.isa: a few constant arrays with index ranges into each other,
// without pointers and without work at start-up. docs/isa-notation.md explains the notation behind each field;
// everything is resolved against one form, so the engine never looks up a name.
#include <cstdint>
#include <string_view>

namespace ptxray::isa {

using Text = std::string_view;
using WordId = uint16_t;    // index into `words`; 0 is "no word"
using ExprId = uint16_t;    // index into `exprs`; 0 is "always true"
using TargetSet = uint16_t; // index into `targetSets`

/// A text is stored as its number among all texts of the tables, an eighth of what a view of it would take:
/// `word.text()` is the view. 0 is the empty text.
struct StoredText {
  uint16_t number = 0;
  Text operator()() const;
  friend bool operator==(StoredText, StoredText) = default;
};
struct Span {
  uint16_t first = 0;
  uint16_t count = 0;
};
/// A part of a text that is longer than an array is.
struct TextRange {
  uint32_t first = 0;
  uint32_t count = 0;
};

// ---------------------------------------------------------------------------------------- words
enum class WordClass : uint8_t { Free, Type, Layout, Space, Operation }; // Free: any order
/// Opaque stands for .texref, .samplerref and .surfref.
enum class TypeKind : uint8_t { None, Bits, Unsigned, Signed, Float, Packed, Predicate, Opaque };
/// A type may be declared, or not. ptxas accepts types that only instructions have for arrays, and for parameters of
/// functions without a body.
enum class Declarable : uint8_t {
  OfInstructions,
  Yes,
  Laxly, // only ptxas accepts it, for whatever is declared
  Never, // a word that ptxas does not even read there
};

/// An address of a state space relates to a generic address of the same place in one of these ways.
enum class Addresses : uint8_t {
  Unknown,
  Own, // another number
  Generic,
};

struct Word {
  StoredText text; // with its dot
  WordClass wordClass;
  TypeKind typeKind;
  uint16_t bits;     // of a type
  int32_t number;    // the number in the word (`.x4` 4, `.2d` 2), -1 without one
  bool repeatable;   // may be written twice
  bool skipped;      // by ptxas, outside its own instructions
  bool narrow;       // a type of floats in 8 bits or less, spelled by their fields: `.e4m3x2`
  bool unrelaxed;    // a type beside which no register may be wider: `.bf16`, `.tf32` and the narrow ones
  ExprId gate;       // holds wherever the word is used
  ExprId scalarGate; // of a type: the releases of ptxas that refuse a vector of bits in its place; 0: all do
  uint8_t kind = 0;  // what diagnostics call it, index into `wordKinds`; 0: a qualifier
  Declarable declarable = Declarable::OfInstructions; // of a type
  Addresses addresses = Addresses::Unknown;           // of a state space
};
/// The meaning of a word, an operand or a special register.
struct Meaning {
  Text name;     // `.rn`, `cache-policy`, `%tid`
  Text mnemonic; // what the instructions begin with in which it says that; empty: wherever nothing else is said
  Text topic;    // what such words are: `rounding`; may be empty
  Text text;
};
/// A meaning as it is stored.
struct MeaningRow {
  StoredText name, mnemonic, topic, text;
};
/// An example of an instruction, a directive or a pragma.
struct Example {
  StoredText name;
  StoredText right;
  StoredText wrong;     // a mistake that is often made
  StoredText refusedBy; // or the target that is often written with it, and refuses it
};

// ---------------------------------------------------------------------------------- expressions
enum class ExprOp : uint8_t {
  True,
  And,            // a: first of `exprArgs`, b: count
  Or,             // the same; alternatives in order, the first that holds wins
  Not,            // a: expr
  PtxAtLeast,     // a: version, 8.6 is 806
  Target,         // a: TargetSet
  SlotIs,         // a: slot of the form, b, c: run of `wordLists`
  SlotWritten,    // a: slot
  SlotsEqual,     // a, b: slots
  WordWritten,    // b, c: run of `wordLists`: any of them is anywhere in the opcode
  OperandWritten, // a: operand of the form
  OperandIsImmediate,
  OperandIsSymbol, // names a variable, label, function or special register
  OperandNegated,
  OperandHasOffset, // `a+8`
  OperandIn,        // a: operand, b, c: run of `ranges`; true unless it is an immediate
  Gate,             // a: gate by name (its expression), so that messages can name it
  Warn,             // true, and the finding is a warning; a: index into `warnings`
  Independent,      // the module says `texmode_independent`
  Ptxas,            // a: release, 13.1 is 1301: true; a note that older releases judge otherwise
};
struct Expr {
  ExprOp op;
  bool gateOnly; // speaks of version and target alone
  uint32_t a = 0, b = 0, c = 0;
};
struct Gate {
  StoredText name;
  ExprId expr;
};

// ------------------------------------------------------------------------------------- operands
enum class OperandRole : uint8_t {
  Value,
  Register,
  Immediate,
  Predicate,
  Address,
  Texture,
  Sampler,
  Surface,
  Label,
  Function,
  List,
  Symbol
};
constexpr bool isOpaque(OperandRole role) {
  return role == OperandRole::Texture || role == OperandRole::Sampler || role == OperandRole::Surface;
}
enum OperandRule : uint32_t {
  // Stated by the manual:
  Destination = 1 << 0,
  Updated = 1 << 1,        // a register that is read and written
  SinkAllowed = 1 << 2,    // `_` may stand for it
  SpecialAllowed = 1 << 3, // a special register may
  SymbolAllowed = 1 << 4,  // the address of a variable or function as a value; of a function as an address
  Wide = 1 << 5,           // registers may be wider than the type
  Fragment = 1 << 6,       // the register type of a matrix fragment of that element type
  Vec = 1 << 7,            // braces always
  FirstIndex = 1 << 8,     // of a vector: the first element is an index
  SecondIndex = 1 << 9,    // the second; in front is the number of a sample
  Subscript = 1 << 10,     // of an address: `a[8]` passes for `[a+8]`
  // Known only from ptxas:
  Exact = 1 << 11,       // declared with exactly that type; in a vector, or as bits
  AsBits = 1 << 12,      // of an operand of 32 bits: predicates and `0f` constants stand for theirs
  Each = 1 << 13,        // of a vector: the elements are taken one by one
  NoSinks = 1 << 14,     // of a vector: no element is `_`
  Sized = 1 << 15,       // of an address that is generic or global: a register must be as wide as addresses are
  BareAllowed = 1 << 16, // of an address: the brackets may be missing
  Anything = 1 << 17,    // of an address: whatever has 64 bits or less
};
enum class RefKind : uint8_t { None, Word, Slot };
/// An access is what an instruction does with the memory that an address or a descriptor leads to.
enum class Access : uint8_t {
  None,
  Names, // nothing: a prefetch, a conversion of the address
  Reads,
  Writes,
  Updates,  // reads and writes
  Barrier,  // an mbarrier object
  TensorMap // a tensor map, read through its proxy
};
struct TypeRef {
  RefKind kind;
  uint16_t index;      // WordId or slot of the form
  uint8_t factor = 1;  // 2 in `2*.type`
  uint8_t divisor = 1; // 2 in `.type/2`
};
/// A length or a bound: number * mul / div + add, where the number is `base` or is read from a slot's
/// word, after `letter` if there is one (`n` of `.m64n8k16`).
struct Term {
  int32_t base;
  int16_t slot; // -1: none
  char letter;  // 0: the number of the word
  int16_t mul, div, add;
};
struct ValueRange { // of an immediate
  int64_t low, high, step;
};
struct SpaceRef {
  RefKind kind;
  uint16_t index; // WordId or slot
};
struct OperandDecl {
  StoredText name;
  uint32_t rules; // OperandRule
  OperandRole role;
  TypeRef type;
  Span lengths; // into `terms`; empty: a scalar (or, with Vec, any length)
  Span ranges;  // into `ranges`; empty: any value
  Span spaces;  // into `spaceRefs`: spaces an address may lie in; empty with Address: any
  Access access;
  WordId accessSpace;    // of a descriptor: the space that it describes
  TypeRef accessType;    // what lies at the address, of which
  Span accessLengths;    // into `terms`: the number of elements; empty: one
  StoredText accessSize; // the operand that holds the number of bytes; empty: `accessLengths` tell
  StoredText format;     // of a number whose bits are fields: `smem`, as `ptxray desc` calls it
  ExprId with;           // 0: by the pattern alone; else written exactly when it holds
  bool hasWith;
};
/// The operand list of a form in preorder; `extent` as in the Ast.
enum class PatternKind : uint8_t { Operand, Address, Vector, List, Pair };
struct Pattern {
  PatternKind kind;
  bool optional;  // of a Pair: its second half may be missing
  bool mayNegate; // `{-}a`
  bool mayNot;    // `{!}p`
  uint16_t extent;
  uint16_t operand;   // index into the form's operands
  int16_t suffixSlot; // slot of the form that holds `.unified` or a selector; -1: none
};

// ----------------------------------------------------------------------------------------- forms
struct SlotValue {
  WordId word;
  ExprId gate;
};
struct Slot {
  StoredText name; // `.shape`; of a literal the word itself
  Span values;     // into `slotValues`, sorted by word
  bool optional;
  bool literal;
  bool suffix;     // is after an operand, not in the opcode
  WordId fallback; // counts when the slot is not written; 0: none
};

enum class ColumnKind : uint8_t { Slot, Operand, Length, Values, Requires };
struct Column {
  ColumnKind kind;
  StoredText text; // as written in the header
  Span members;    // into `columnMembers`: the slot, or the operands
};
enum class CellKind : uint8_t { Any, Absent, Present, Words, Lengths, Ranges, Condition };
struct Cell {
  CellKind kind;
  bool orAbsent;  // Words: `-` is among them
  uint16_t first; // run of `wordLists`, `terms` or `ranges`; the ExprId of a Condition
  uint16_t count;
};
struct Table {
  Span columns;
  uint32_t firstCell; // rows * columns cells
  uint32_t rows;
  uint32_t line; // of the header; rows carry theirs in `rowLines`
  uint32_t firstRowLine;
};
struct Rule { // `requires`, `when ... require ...`
  ExprId when;
  ExprId require;
  uint32_t line;
  StoredText text;
};
/// A fact says what an instruction does, for analyses of a whole function. docs/isa-notation.md explains each.
enum class FactKind : uint8_t {
  Ends,      // detail: End
  Branches,  // operand: the label, or the name of a list of them
  Calls,     // operand: the function
  Copies,    // its result is what it reads, whether that is defined or not
  Converged, // detail: Scope
  Among,     // operand: the mask of the lanes that take part
  // Asynchronous operations:
  Async,   // detail: Proxy; groups: the one it joins, or operand: the barrier that counts its end, by amount
  Holds,   // operand: registers that belong to the operation until it is complete
  Commits, // groups
  Waits,   // groups, amount: how many may be pending; isReads: only what they read is no longer needed
  // Barriers:
  Arrives,   // operand: the barrier object, or detail: Scope, which: its number; by amount; groups: after their end
  Expects,   // operand: the barrier object, by amount
  Completes, // operand: the barrier object, by amount
  Awaits,    // operand or detail as of Arrives; which: parity or state; condition: the predicate that says so
  Syncs,     // detail: Scope; which: its number; by amount
  Inits,     // operand: the barrier object, by amount
  Invalidates,
  // Order:
  Orders, // detail and other: Ordered; space
  Releases,
  Acquires,
  // Tensor memory:
  Allocates, // operand: where the address is written to, by amount
  Frees,     // operand: the address, by amount
  Relinquishes,
  Ctas, // number: of CTAs whose tensor memory is used
  // Registers of a warp:
  Grows, // operand: to how many
  Shrinks,
  // Values:
  Strong, // it takes part in the order that all threads agree on
  Per,    // detail: Scope within which the result, or the operand, is the same; condition: if that operand is
  Elects, // operand: true in one of the lanes that execute it
  Traces, // writes to the trace, which the module's metadata describe
  // Registers of a thread:
  Occupies, // number, or operand: its registers, needed at the same time as those of its other facts
  Bounded,  // number: a bound of registers that a directive sets must be as high
  // Matrices:
  Multiplies, // space: the word that has the sizes m, n and k
};
enum class End : uint8_t { Function, Thread, Grid };
/// Groups of threads, from the smallest to the largest.
enum class Scope : uint8_t { Lane, Warp, Warpgroup, Cta, Cluster, Grid };
enum class Proxy : uint8_t { Generic, Async, TensorMap };
enum class Ordered : uint8_t { Nothing, Generic, Async, TensorMap, Registers, Barriers, Tcgen05 };
/// Operations on integers; sources are in the order in which they are written.
enum class Operation : uint8_t {
  Mov,
  Add,
  Sub,
  Mul,
  Mad,
  Div,
  Rem,
  Min,
  Max,
  Neg,
  Abs,
  Not,
  And,
  Or,
  Xor,
  Shl,
  Shr,
  Bfe,
  Bfi,
  Lop3,
  Popc,
  Selp,
  Setp,
  Cvt,
  ToGeneric,
  FromGeneric,
  Mapa,
};
struct Fact {
  ExprId when;
  FactKind kind;
  uint8_t detail = 0;
  uint8_t other = 0;     // the second of Orders
  uint16_t groups = 0;   // a bit for each of `groups`
  int8_t operand = -1;   // of the form; -1: none
  int8_t amount = -1;    // an operand; -1: `number`
  int8_t which = -1;     // an operand
  int8_t condition = -1; // an operand
  int16_t number = 0;
  bool isReads = false;
  SpaceRef space = {RefKind::None, 0};
};
/// A row of a formula computes one of these from earlier rows. docs/isa-notation.md explains each by its name there,
/// which Isa/FormulaNames.h has, with what it is handed.
enum class StepOp : uint8_t {
  Operand,   // value: operand of the form
  Memory,    // value: the operand whose address leads there
  Constant,  // value: into `stepNumbers`
  Parameter, // value: of the definition
  Word,      // value: a slot of the form; from `literalWord` on a word that is a type
  WordCall,  // value: into `wordCalls`: what the word in that slot makes of the arguments
  Fold,      // value: into `wordCalls`: what the word makes of the argument of all lanes that take part
  Named,     // value: into `namedFunctions`
  // Signs:
  At,
  Negate,
  Invert,
  Not,
  Multiply,
  Divide,
  Remainder,
  Add,
  Subtract,
  ShiftLeft,
  ShiftRight,
  And,
  Xor,
  Or,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  Unequal,
  Choice,
  // Names, in the order of `formulaFunctions`:
  Carry,
  Lane,
  Leader,
  Active,
  Everyone,
  Least,
  Greatest,
  LargestFinite,
  Nan,
  Undefined,
  Minimum,
  Maximum,
  Absolute,
  SquareRoot,
  Reciprocal,
  ReciprocalRoot,
  Sine,
  Cosine,
  Logarithm2,
  Power2,
  HyperbolicTangent,
  IsNan,
  IsInfinite,
  IsSubnormal,
  IsOutOfBounds,
  IsNegative,
  WithSign,
  Flushed,
  NearestInteger,
  Truncated,
  Floor,
  Ceiling,
  RoundNearest,
  RoundAway,
  RoundTowardZero,
  RoundDown,
  RoundUp,
  RoundRandom,
  High,
  CarryOf,
  Width,
  Ones,
  LeadingZeros,
  Reversed,
  TopBit,
  Field,
  Insert,
  Carryless,
  Permuted,
  Lookup,
  NthOne,
  Bits,
  Pieces,
  Joined,
  Sum,
  Truth,
  Picked,
  Merged,
  Saturated,
  Lanes,
  Alike,
  Bytes,
  Element,
  Powers,
  Number,
  Masked,
  Encoded,
  Decoded,
};
inline constexpr uint16_t literalWord = 0x8000;
struct Step {
  StepOp op;
  uint8_t count;  // of its arguments
  uint16_t value; // as StepOp says
  uint32_t args;  // into `stepArgs`: numbers of earlier rows of the same formula
};
/// This defines what a word that stands for a function makes of its parameters.
struct WordDefinition {
  WordId word;
  Span steps;
};
/// A word that stands for a function, as one form has it. Where none is written, the first argument is the result.
struct WordCall {
  uint16_t slot;
  Span definitions; // into `wordDefinitions`
};
enum class FormulaTarget : uint8_t { Nothing, Operand, Memory, Carry };
/// The last step is what goes to the target. Of several formulas for one target the first whose condition holds counts;
/// all of them see the values from before the instruction.
struct Formula {
  ExprId when;
  FormulaTarget target;
  int8_t operand;   // of the form: the target, or the address that leads to it
  bool approximate; // the manual promises `bound` alone
  uint32_t line;
  Span steps; // into `steps`
  StoredText bound;
  StoredText text; // as written
};
/// A conversion is what a word does to every number of such types that is read from an operand, or stored: in the order
/// of `conversions`.
struct Conversion {
  WordId word;
  bool isReading;
  bool ofIntegers, ofFloats;
  Span types; // into `wordLists`: where there is a number of these types, it is done to such ones alone
  Span steps; // parameter 0: the number
};
struct Form {
  uint16_t entry;
  uint32_t line;
  StoredText syntax; // as written
  Span slots;
  uint8_t mnemonicSlots; // leading slots that spell the mnemonic, by position
  Span patterns;
  Span operands;
  Span tables;         // into `formTables`
  Span rules;          // into `formRules`
  Span checks;         // into `formChecks`
  Span facts;          // into `facts`
  Span formulas;       // into `formulas`
  Span conversions;    // into `formConversions`: of its words, but for those that a formula names
  StoredText outside;  // what it needs that no single GPU has; empty: nothing
  bool readsValues;    // a range or check looks at the value of an immediate
  bool readsRegisters; // a check looks at the numbers that registers hold
};
struct Entry {
  StoredText title;
  StoredText manual; // section of the manual, `9.7.14.5.15`
  StoredText file;   // `matrix/ldmatrix.isa`
  uint32_t line;
  TextRange source; // of the text of all, which lib/Pages/Sources.h has
  Span mnemonics;   // into `entryMnemonics`
};
/// A dotted mnemonic and the forms that spell it, over all entries.
struct Mnemonic {
  StoredText text; // `tcgen05.ld.red`
  Span forms;      // into `mnemonicForms`
  Span skipped;    // into `wordLists`: words that ptxas skips here
  Span ungated;    // into `wordLists`: words whose gate ptxas does not ask here
};

// ------------------------------------------------------------------- targets, special registers
struct Target {
  StoredText name; // `sm_100a`
  uint16_t number; // 100
  char variant;    // 0, 'a' or 'f'
  uint16_t family; // the number of the family's first member, 0 without
  uint16_t since;  // PTX version
  bool documented;
  bool integrated;      // a Jetson or one like it: cubins of other GPUs are not for it, nor the other way
  uint32_t sharedBytes; // the most that a kernel may declare
  uint32_t threads;     // that a multiprocessor holds; 0: not known
  uint32_t blocks;
};
struct TargetBits {
  uint64_t low, high; // bit i: targets[i]
  StoredText text;    // `sm_100f+`
};
/// The value of a special register may enumerate the lanes of a warp or the threads of a block.
enum class Enumerated : uint8_t { Nothing, Lanes, Threads };
struct SpecialRegister {
  StoredText name; // `%tid`
  WordId type;
  uint8_t vector; // components, 0: a scalar
  ExprId gate;
  Scope scope; // within which it is the same
  Enumerated enumerates;
  bool narrow;       // had fewer bits in older versions, and may still be read so
  int16_t needs;     // index of a directive that an entry must have to use it; -1: none
  StoredText manual; // section of the manual; empty: no manual has it
};

// The arrays themselves are in the generated IsaTables.inc; Isa/Isa.h gives access to them.

} // namespace ptxray::isa
