#pragma once
// Tables that `ptxray-isagen` generates from the directives, pragmas, features and limits in grammar/isa. Like the
// tables of Tables.h, they are constant arrays with index ranges into each other.
#include "Isa/Tables.h"

namespace ptxray::isa {

/// Positions in which a directive may appear.
enum DirectivePlace : uint16_t {
  InModule = 1 << 0,
  OnVariable = 1 << 1,
  OnParameter = 1 << 2, // a parameter of a kernel
  OnEntry = 1 << 3,     // in the head of a kernel with a body
  OnDeclaredEntry = 1 << 4,
  OnFunction = 1 << 5,         // in the head of a function with a body
  OnDeclaredFunction = 1 << 6, // in the head of a function without a body, or of a prototype
  InEntry = 1 << 7,            // in the body of a kernel
  InFunction = 1 << 8,         // in the body of a function
  InDirective = 1 << 9,        // within the braces of another directive
};
enum class ArgumentKind : uint8_t {
  Literal, // written literally
  U32,     // a 32-bit number
  U64,
  String,
  Name,   // a symbol or a keyword: `texmode_unified`
  Word,   // a keyword with a dot: `.managed`
  Number, // in a pragma: any number, optionally signed
  Text,   // in a pragma: the rest of the text
  Type,
  Space,
  Values, // initial values of a variable
};
struct DirectiveArgument {
  StoredText name;
  ArgumentKind kind;
  uint8_t depth; // number of enclosing optional parts
  bool repeats;  // more arguments of the same kind may follow
  Span ranges;   // into `ranges`; empty for any value
  Span texts;    // into `directiveTexts`: strings that represent a number
};
struct Directive {
  StoredText name; // `.maxntid`; a pragma has no dot
  StoredText title;
  StoredText manual; // empty if the manual does not describe it
  StoredText syntax; // in the notation of the .isa file
  StoredText file;
  uint32_t line;
  uint16_t places; // DirectivePlace
  uint16_t owner;  // for InDirective: the index of the directive that contains it
  ExprId gate;
  bool once;          // allowed at most once in a head
  uint16_t idleSince; // PTX version from which on ptxas ignores it; 0 if there is none
  Span arguments;     // into `arguments`
  Span excludes;      // into `directiveLists`: not allowed in the same head
  Span needs;         // all required in the same head
  Span idleWithout;   // has no effect unless one of these is in the same head
};
/// A part of a directive or a declaration that is newer than the rest, or was removed.
struct Feature {
  StoredText name;
  StoredText title; // description for messages; if empty, messages quote the text
  ExprId gate;
};
struct LimitValue {
  uint64_t value;
  ExprId gate;
};
struct Limit {
  StoredText name;
  Span values; // into `limitValues`; the first value whose gate holds applies
};
/// A function that the driver provides. None of these functions waits for operations that its caller started.
struct RuntimeFunction {
  StoredText name;
  ExprId gate;
  bool neverReturns;
};

} // namespace ptxray::isa
