#pragma once
// The tables that `ptxray-isagen` makes of the directives, pragmas, features and limits of grammar/isa. Like those of
// Tables.h, they are constant arrays with index ranges into each other.
#include "Isa/Tables.h"

namespace ptxray::isa {

/// The places where a directive may be written.
enum DirectivePlace : uint16_t {
  InModule = 1 << 0,
  OnVariable = 1 << 1,
  OnParameter = 1 << 2, // of an entry
  OnEntry = 1 << 3,     // in the head of an entry that has a body
  OnDeclaredEntry = 1 << 4,
  OnFunction = 1 << 5,         // in the head of a function that has a body
  OnDeclaredFunction = 1 << 6, // or of a prototype
  InEntry = 1 << 7,            // in the body of an entry
  InFunction = 1 << 8,         // in the body of a function
  InDirective = 1 << 9,        // in the braces of another directive
};
enum class ArgumentKind : uint8_t {
  Literal, // written as it is
  U32,     // a number that ptxas keeps in 32 bits
  U64,
  String,
  Name,   // of a symbol, or a word of its own: `texmode_unified`
  Word,   // with a dot: `.managed`
  Number, // of a pragma: any number, with a sign too
  Text,   // of a pragma: whatever follows
  Type,
  Space,
  Values, // that a variable has at the start
};
struct DirectiveArgument {
  StoredText name;
  ArgumentKind kind;
  uint8_t depth; // how many optional parts it is nested in
  bool repeats;  // may be followed by more of its kind
  Span ranges;   // into `ranges`; empty: any value
  Span texts;    // into `directiveTexts`: the strings that stand for a number
};
struct Directive {
  StoredText name; // `.maxntid`; of a pragma without a dot
  StoredText title;
  StoredText manual; // empty: not in the manual
  StoredText syntax; // as written
  StoredText file;
  uint32_t line;
  uint16_t places; // DirectivePlace
  uint16_t owner;  // for InDirective: the index of the directive that contains it
  ExprId gate;
  bool once;          // in one head
  uint16_t idleSince; // ptxas ignores it from this version on; 0: never
  Span arguments;     // into `arguments`
  Span excludes;      // into `directiveLists`: none of them in the same head
  Span needs;         // all of them in the same head
  Span idleWithout;   // one of them in the same head, or it has no effect
};
/// A part of a directive or declaration that is newer than the whole, or was removed.
struct Feature {
  StoredText name;
  StoredText title; // as messages call it; empty: they quote the text
  ExprId gate;
};
struct LimitValue {
  uint64_t value;
  ExprId gate;
};
struct Limit {
  StoredText name;
  Span values; // into `limitValues`: the first whose gate holds
};
/// A function that the driver provides. None of them waits for an operation that its caller has started.
struct RuntimeFunction {
  StoredText name;
  ExprId gate;
  bool neverReturns;
};

} // namespace ptxray::isa
