#pragma once
// Tables that `ptxray-isagen` generates from grammar/isa/*.isa: a few constant arrays with index ranges into each
// other, without pointers or initialisation at start-up. docs/isa-notation.md explains the notation behind each field.
// All names are resolved relative to one form, so the engine never looks up a name.
#include <cstdint>
#include <string_view>

namespace ptxray::isa {

using Text = std::string_view;
using WordId = uint16_t;    // index into `words`; 0 is "no word"
using ExprId = uint16_t;    // index into `exprs`; 0 is "always true"
using TargetSet = uint16_t; // index into `targetSets`

/// A text, stored as its index among all texts of the tables, which takes an eighth of the space of a view.
/// `word.text()` returns the view. 0 is the empty text.
struct StoredText {
  uint16_t number = 0;
  Text operator()() const;
  friend bool operator==(StoredText, StoredText) = default;
};
struct Span {
  uint16_t first = 0;
  uint16_t count = 0;
};
/// A part of a text that is longer than the largest index of an array.
struct TextRange {
  uint32_t first = 0;
  uint32_t count = 0;
};

// ---------------------------------------------------------------------------------------- words
enum class WordClass : uint8_t { Free, Type, Layout, Space, Operation }; // Free: any order
/// Opaque: .texref, .samplerref and .surfref.
enum class TypeKind : uint8_t { None, Bits, Unsigned, Signed, Float, Packed, Predicate, Opaque };
/// Whether a type can be used in declarations. ptxas accepts some types of instructions only for arrays, and for
/// parameters of functions without a body.
enum class Declarable : uint8_t {
  OfInstructions,
  Yes,
  Laxly, // only ptxas accepts it, in any declaration
  Never, // ptxas reports a syntax error
};

/// How addresses in a state space relate to generic addresses of the same memory.
enum class Addresses : uint8_t {
  Unknown,
  Own, // numerically different
  Generic,
};

struct Word {
  StoredText text; // including its dot
  WordClass wordClass;
  TypeKind typeKind;
  uint16_t bits;     // width of a type
  int32_t number;    // the number in the word (`.x4`: 4, `.2d`: 2), or -1
  bool repeatable;   // can be written twice
  bool skipped;      // ptxas ignores it outside of its own instructions
  bool narrow;       // a floating-point type of at most 8 bits, named after its fields: `.e4m3x2`
  bool unrelaxed;    // a type that does not permit wider registers: `.bf16`, `.tf32` and the narrow types
  ExprId gate;       // applies wherever the word is used
  ExprId scalarGate; // for a type: releases of ptxas that reject a bit vector in its place; 0 for all releases
  uint8_t kind = 0;  // index into `wordKinds`, the term in diagnostics; 0 for a qualifier
  Declarable declarable = Declarable::OfInstructions; // for a type
  Addresses addresses = Addresses::Unknown;           // for a state space
};
/// The meaning of a word, an operand or a special register.
struct Meaning {
  Text name;     // `.rn`, `cache-policy`, `%tid`
  Text mnemonic; // prefix of the instructions to which the meaning applies; empty for the default
  Text topic;    // category of such words: `rounding`; may be empty
  Text text;
};
/// A meaning in the form in which the tables store it.
struct MeaningRow {
  StoredText name, mnemonic, topic, text;
};
/// An example of an instruction, a directive or a pragma.
struct Example {
  StoredText name;
  StoredText right;
  StoredText wrong;     // a common mistake
  StoredText refusedBy; // alternatively, a commonly used target that rejects the example
};

// ---------------------------------------------------------------------------------- expressions
enum class ExprOp : uint8_t {
  True,
  And,            // a: first index into `exprArgs`, b: count
  Or,             // a, b as for And; the first alternative that holds is used
  Not,            // a: expr
  PtxAtLeast,     // a: version; 806 for 8.6
  Target,         // a: TargetSet
  SlotIs,         // a: slot of the form; b, c: range of `wordLists`
  SlotWritten,    // a: slot
  SlotsEqual,     // a, b: slots
  WordWritten,    // b, c: range of `wordLists`; true if any of them is in the opcode
  OperandWritten, // a: operand of the form
  OperandIsImmediate,
  OperandIsSymbol, // the name of a variable, label, function or special register
  OperandNegated,
  OperandHasOffset, // `a+8`
  OperandIn,        // a: operand; b, c: range of `ranges`; true if it is not an immediate
  Gate,             // a: a gate by name (its expression), so that messages can mention it
  Warn,             // true, but reports a warning; a: index into `warnings`
  Independent,      // true if the module specifies `texmode_independent`
  Ptxas,            // a: release, 1301 for 13.1; always true, and notes that older releases behave differently
};
struct Expr {
  ExprOp op;
  bool gateOnly; // depends only on version and target
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
  // According to the manual:
  Destination = 1 << 0,
  Updated = 1 << 1,        // a register that is both read and written
  SinkAllowed = 1 << 2,    // can be `_`
  SpecialAllowed = 1 << 3, // can be a special register
  SymbolAllowed = 1 << 4,  // can be the address of a variable or function; in an address, that of a function
  Wide = 1 << 5,           // registers can be wider than the type
  Fragment = 1 << 6,       // has the register type of a matrix fragment with that element type
  Vec = 1 << 7,            // requires braces
  FirstIndex = 1 << 8,     // for a vector: the first element is an index
  SecondIndex = 1 << 9,    // for a vector: the second element is an index, after a sample number
  Subscript = 1 << 10,     // for an address: `a[8]` is accepted for `[a+8]`
  // Properties known only from ptxas:
  Exact = 1 << 11,       // must be declared with exactly that type; in a vector, or as bits
  AsBits = 1 << 12,      // for a 32-bit operand: predicates and `0f` constants stand for their bits
  Each = 1 << 13,        // for a vector: the elements are checked individually
  NoSinks = 1 << 14,     // for a vector: no element can be `_`
  Sized = 1 << 15,       // for a generic or global address: a register must have the width of addresses
  BareAllowed = 1 << 16, // for an address: brackets are optional
  Anything = 1 << 17,    // for an address: accepts anything of at most 64 bits
};
enum class RefKind : uint8_t { None, Word, Slot };
/// How an instruction uses the memory that an address or a descriptor refers to.
enum class Access : uint8_t {
  None,
  Names, // does not access memory: a prefetch, an address conversion
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
/// A length or a bound: number * mul / div + add. The number is `base`, or the number in a slot's word after `letter`
/// (`n` in `.m64n8k16`).
struct Term {
  int32_t base;
  int16_t slot; // -1 if none
  char letter;  // 0 for the word's own number
  int16_t mul, div, add;
};
struct ValueRange { // a range of immediates
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
  Span lengths; // into `terms`; empty for a scalar (or, with Vec, for any length)
  Span ranges;  // into `ranges`; empty for any value
  Span spaces;  // into `spaceRefs`: permitted spaces of an address; empty with Address for any
  Access access;
  WordId accessSpace;    // for a descriptor: the space that it describes
  TypeRef accessType;    // element type at the address
  Span accessLengths;    // into `terms`: number of elements; empty for one
  StoredText accessSize; // operand with the number of bytes; if empty, `accessLengths` determines it
  StoredText format;     // for a number with bit fields: its name for `ptxray desc`, such as `smem`
  ExprId with;           // 0 if only the pattern decides; otherwise the operand is written exactly if this holds
  bool hasWith;
};
/// The operand list of a form in preorder. `extent` has the same meaning as in the Ast.
enum class PatternKind : uint8_t { Operand, Address, Vector, List, Pair };
struct Pattern {
  PatternKind kind;
  bool optional;  // for a Pair: the second half is optional
  bool mayNegate; // `{-}a`
  bool mayNot;    // `{!}p`
  uint16_t extent;
  uint16_t operand;   // index into the form's operands
  int16_t suffixSlot; // slot of the form that holds `.unified` or a selector; -1 if none
};

// ----------------------------------------------------------------------------------------- forms
struct SlotValue {
  WordId word;
  ExprId gate;
};
struct Slot {
  StoredText name; // `.shape`; for a literal, the word itself
  Span values;     // into `slotValues`, sorted by word
  bool optional;
  bool literal;
  bool suffix;     // follows an operand instead of being in the opcode
  WordId fallback; // value of an unwritten slot; 0 if none
};

enum class ColumnKind : uint8_t { Slot, Operand, Length, Values, Requires };
struct Column {
  ColumnKind kind;
  StoredText text; // spelling in the header
  Span members;    // into `columnMembers`: the slot, or the operands
};
enum class CellKind : uint8_t { Any, Absent, Present, Words, Lengths, Ranges, Condition };
struct Cell {
  CellKind kind;
  bool orAbsent;  // for Words: `-` is one of them
  uint16_t first; // start in `wordLists`, `terms` or `ranges`; for a Condition, its ExprId
  uint16_t count;
};
struct Table {
  Span columns;
  uint32_t firstCell; // rows * columns cells
  uint32_t rows;
  uint32_t line; // source line of the header; `rowLines` has those of rows
  uint32_t firstRowLine;
};
struct Rule { // `requires`, `when ... require ...`
  ExprId when;
  ExprId require;
  uint32_t line;
  StoredText text;
};
/// A property of an instruction for analyses of a whole function. docs/isa-notation.md explains each.
enum class FactKind : uint8_t {
  Ends,      // detail: End
  Branches,  // operand: the label, or the name of a label list
  Calls,     // operand: the function
  Copies,    // copies its source, even if that is uninitialised
  Converged, // detail: Scope
  Among,     // operand: mask of the participating lanes
  // Asynchronous operations:
  Async,   // detail: Proxy; groups: those it joins, or operand: the mbarrier that tracks it, by amount
  Holds,   // operand: registers that the operation uses until it completes
  Commits, // groups
  Waits,   // groups; amount: number of operations that may stay pending; isReads: waits only for their reads
  // Barriers:
  Arrives,   // operand: the mbarrier object, or detail: Scope; which: its number; by amount; groups: when they complete
  Expects,   // operand: the mbarrier object, by amount
  Completes, // operand: the mbarrier object, by amount
  Awaits,    // operand or detail as for Arrives; which: parity or state; condition: result predicate
  Syncs,     // detail: Scope; which: number of the barrier; by amount
  Inits,     // operand: the mbarrier object, by amount
  Invalidates,
  // Order:
  Orders, // detail and other: Ordered, before and after; space
  Releases,
  Acquires,
  // Tensor memory:
  Allocates, // operand: location for the address, by amount
  Frees,     // operand: the address, by amount
  Relinquishes,
  Ctas, // number: count of CTAs whose tensor memory is used
  // Registers of a warp:
  Grows, // operand: the new number of registers
  Shrinks,
  // Values:
  Strong, // the accesses take part in the memory order on which all threads agree
  Per,    // detail: Scope in which the result or the operand is uniform; condition: if this operand is
  Elects, // operand: true in exactly one of the executing lanes
  Traces, // writes to the trace that the module's metadata describe
  // Registers of a thread:
  Occupies, // number or operand: registers needed simultaneously with those of its other facts
  Bounded,  // number: minimum of a register limit that a directive sets
  // Matrices:
  Multiplies, // space: the word with the sizes m, n and k
  // Cluster launch control:
  Requests, // operand: location for the response
  Answers,  // operand: true if the request was granted, according to the response that is read
  Presumes, // operand: a response to a granted request
};
enum class End : uint8_t { Function, Thread, Grid };
/// Groups of threads, in ascending order of size.
enum class Scope : uint8_t { Lane, Warp, Warpgroup, Cta, Cluster, Grid };
enum class Proxy : uint8_t { Generic, Async, TensorMap };
enum class Ordered : uint8_t { Nothing, Generic, Async, TensorMap, Registers, Barriers, Tcgen05 };
/// Operations on integers. Sources are in written order.
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
  uint8_t other = 0;     // second detail of Orders
  uint16_t groups = 0;   // bit mask, indexed like `groups`
  int8_t operand = -1;   // operand of the form; -1 if none
  int8_t amount = -1;    // operand; -1 to use `number`
  int8_t which = -1;     // operand; -1 if none
  int8_t condition = -1; // operand; -1 if none
  int16_t number = 0;
  bool isReads = false;
  SpaceRef space = {RefKind::None, 0};
};
/// A row of a formula, computed from earlier rows. docs/isa-notation.md explains each row by the name that
/// Isa/FormulaNames.h lists, along with its arguments.
enum class StepOp : uint8_t {
  Operand,   // value: operand of the form
  Memory,    // value: operand whose address refers to the memory
  Constant,  // value: index into `stepNumbers`
  Parameter, // value: index of a parameter of the definition
  Word,      // value: a slot of the form; from `literalWord`, a word that is a type
  WordCall,  // value: into `wordCalls`: applies the word in that slot to the arguments
  Fold,      // value: into `wordCalls`: combines the argument over all participating lanes
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
  // Named functions, in the order of `formulaFunctions`:
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
  uint8_t count;  // number of arguments
  uint16_t value; // meaning depends on StepOp
  uint32_t args;  // into `stepArgs`: indices of earlier rows of the same formula
};
/// The formula of a word that represents a function.
struct WordDefinition {
  WordId word;
  Span steps;
};
/// A word that represents a function, in one form. If the word is missing, the result is the first argument.
struct WordCall {
  uint16_t slot;
  Span definitions; // into `wordDefinitions`
};
enum class FormulaTarget : uint8_t { Nothing, Operand, Memory, Carry };
/// A formula stores its last step in its target. If several formulas have one target, the first whose condition holds
/// applies. All formulas read the values from before the instruction.
struct Formula {
  ExprId when;
  FormulaTarget target;
  int8_t operand;   // operand of the form: the target, or its address
  bool approximate; // the manual guarantees only `bound`
  uint32_t line;
  Span steps; // into `steps`
  StoredText bound;
  StoredText text; // in the notation of the .isa file
};
/// A conversion that a word applies to each number of the given types when it is read or stored. Conversions are
/// applied in the order of `conversions`.
struct Conversion {
  WordId word;
  bool isReading;
  bool ofIntegers, ofFloats;
  Span types; // into `wordLists`: converts only numbers of these types, if there are any
  Span steps; // parameter 0: the number
};
struct Form {
  uint16_t entry;
  uint32_t line;
  StoredText syntax; // in the notation of the .isa file
  Span slots;
  uint8_t mnemonicSlots; // number of leading slots that spell the mnemonic, in order
  Span patterns;
  Span operands;
  Span tables;         // into `formTables`
  Span rules;          // into `formRules`
  Span checks;         // into `formChecks`
  Span facts;          // into `facts`
  Span formulas;       // into `formulas`
  Span conversions;    // conversions of the form's words, except words that a formula names
  StoredText outside;  // required resource outside of a single GPU; empty if there is none
  bool readsValues;    // a range or a check depends on the value of an immediate
  bool readsRegisters; // a check depends on the values of registers
};
struct Entry {
  StoredText title;
  StoredText manual; // section of the manual: `9.7.14.5.15`
  StoredText file;   // `matrix/ldmatrix.isa`
  uint32_t line;
  TextRange source; // location in the source text that lib/Pages/Sources.h contains
  Span mnemonics;   // into `entryMnemonics`
};
/// A dotted mnemonic, and its forms in all entries.
struct Mnemonic {
  StoredText text; // `tcgen05.ld.red`
  Span forms;      // into `mnemonicForms`
  Span skipped;    // into `wordLists`: words that ptxas ignores here
  Span ungated;    // into `wordLists`: words whose gate ptxas does not check here
};

// ------------------------------------------------------------------- targets, special registers
struct Target {
  StoredText name; // `sm_100a`
  uint16_t number; // 100
  char variant;    // 0, 'a' or 'f'
  uint16_t family; // number of the family's first member; 0 if it has no family
  uint16_t since;  // PTX version
  bool documented;
  bool integrated;      // a GPU like those of Jetson: incompatible with cubins of other GPUs, and vice versa
  uint32_t sharedBytes; // maximum that a kernel can declare
  uint32_t threads;     // maximum number of threads per multiprocessor; 0 if unknown
  uint32_t blocks;
};
struct TargetBits {
  uint64_t low, high; // bit i: targets[i]
  StoredText text;    // `sm_100f+`
};
/// Whether a special register numbers the lanes of a warp or the threads of a block.
enum class Enumerated : uint8_t { Nothing, Lanes, Threads };
struct SpecialRegister {
  StoredText name; // `%tid`
  WordId type;
  uint8_t vector; // number of components; 0 for a scalar
  ExprId gate;
  Scope scope; // scope in which the value is uniform
  Enumerated enumerates;
  bool narrow;       // had fewer bits in older versions, and can still be read with that width
  int16_t needs;     // index of a directive that the kernel must have; -1 if none
  StoredText manual; // section of the manual; empty if none describes it
};

// The arrays themselves are in the generated IsaTables.inc. Isa/Isa.h gives access to them.

} // namespace ptxray::isa
