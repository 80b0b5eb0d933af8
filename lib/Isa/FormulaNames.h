#pragma once
// The names of the parts of formulas in grammar/isa, and the kinds of values that each part accepts. Tables are indexed
// by enumerators.
#include "Isa/Tables.h"
#include <array>

namespace ptxray::isa {

/// A function of the formula language. `arguments` has one letter per argument, and `result` is one of these letters:
//|  n   a number
//|  i   an integer
//|  f   a number that is not an integer
//|  p   a truth value
//|  x   any of these; all arguments x have the same kind
//|  w   a word of the opcode
//|  m   the contents of memory (only for `result`)
/// Arguments after `?` are optional, and those after `*` can be repeated.
struct FormulaFunction {
  Text name;
  Text arguments;
  char result;
};
inline constexpr std::array formulaFunctions = std::to_array<FormulaFunction>({
    {"", "", 'x'},
    {"", "", 'x'},
    {"", "", 'n'},
    {"", "", 'x'},
    {"", "", 'w'},
    {"", "", 'x'},
    {"", "", 'x'},
    {"", "", 'x'},
    {"@", "xi", 'x'},
    {"-", "n", 'n'},
    {"~", "i", 'i'},
    {"!", "p", 'p'},
    {"*", "nn", 'n'},
    {"/", "nn", 'n'},
    {"%", "ii", 'i'},
    {"+", "nn", 'n'},
    {"-", "nn", 'n'},
    {"<<", "ii", 'i'},
    {">>", "ii", 'i'},
    {"&", "yy", 'y'},
    {"^", "yy", 'y'},
    {"|", "yy", 'y'},
    {"<", "nn", 'p'},
    {"<=", "nn", 'p'},
    {">", "nn", 'p'},
    {">=", "nn", 'p'},
    {"==", "nn", 'p'},
    {"!=", "nn", 'p'},
    {"?", "pxx", 'x'},
    {"cc", "", 'i'},
    {"lane", "", 'i'},
    {"leader", "", 'i'},
    {"active", "", 'i'},
    {"everyone", "", 'i'},
    {"least", "", 'i'},
    {"greatest", "", 'i'},
    {"largest-finite", "", 'f'},
    {"nan", "", 'f'},
    {"undefined", "?x", 'x'},
    {"min", "nn", 'n'},
    {"max", "nn", 'n'},
    {"abs", "n", 'n'},
    {"square-root", "f", 'f'},
    {"reciprocal", "f", 'f'},
    {"reciprocal-root", "f", 'f'},
    {"sine", "f", 'f'},
    {"cosine", "f", 'f'},
    {"log2", "f", 'f'},
    {"exp2", "f", 'f'},
    {"tanh", "f", 'f'},
    {"is-nan", "f", 'p'},
    {"is-infinite", "f", 'p'},
    {"is-subnormal", "f", 'p'},
    {"is-out-of-bounds", "f", 'p'},
    {"is-negative", "f", 'p'},
    {"with-sign", "fp", 'f'},
    {"flushed", "f", 'f'},
    {"nearest-integer", "f", 'n'},
    {"truncated", "f", 'n'},
    {"floor", "f", 'n'},
    {"ceiling", "f", 'n'},
    {"round-nearest", "n", 'f'},
    {"round-away", "n", 'f'},
    {"round-toward-zero", "n", 'f'},
    {"round-down", "n", 'f'},
    {"round-up", "n", 'f'},
    {"round-random", "ni", 'f'},
    {"high", "i", 'i'},
    {"carry", "ii?i", 'i'},
    {"width", "n", 'i'},
    {"ones", "i", 'i'},
    {"leading-zeros", "i", 'i'},
    {"reversed", "i", 'i'},
    {"top-bit", "i", 'i'},
    {"field", "iii", 'i'},
    {"insert", "iiii", 'i'},
    {"carryless", "ii", 'i'},
    {"permuted", "iii", 'i'},
    {"lookup", "iiii", 'i'},
    {"nth-one", "iii", 'i'},
    {"bits", "x", 'x'},
    {"pieces", "xi?ii", 'x'},
    {"joined", "x*x", 'x'},
    {"sum", "n", 'n'},
    {"truth", "p", 'n'},
    {"picked", "iiww", 'i'},
    {"merged", "iiw", 'i'},
    {"saturated", "iw?w", 'i'},
    {"lanes", "p", 'i'},
    {"alike", "n", 'i'},
    {"bytes", "mi?i", 'm'},
    {"element", "xi", 'x'},
    {"powers", "i", 'f'},
    {"number", "w", 'i'},
    {"masked", "iw", 'i'},
    {"encoded", "nw", 'i'},
    {"decoded", "nw", 'n'},
});
static_assert(formulaFunctions.size() == static_cast<size_t>(StepOp::Decoded) + 1);

constexpr const FormulaFunction &functionOf(StepOp op) { return formulaFunctions[static_cast<size_t>(op)]; }
constexpr bool isApplied(StepOp op) { return op >= StepOp::Carry; }

} // namespace ptxray::isa
