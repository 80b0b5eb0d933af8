// Finds other arrangements of the operands that make an instruction correct: another order, braces, brackets.
#include "Match/Arrangements.h"
#include "Match/BestForm.h"
#include "Match/Bind.h"
#include "Match/Match.h"
#include "Match/Wording.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Returns the operands with the first two swapped.
static std::vector<Shape> swapped(llvm::ArrayRef<Shape> shapes) {
  const auto first = shapes.take_front(shapes.front().extent), rest = shapes.drop_front(first.size());
  std::vector<Shape> changed(rest.take_front(rest.front().extent));
  llvm::append_range(changed, first);
  llvm::append_range(changed, rest.drop_front(rest.front().extent));
  return changed;
}

/// Returns the operands with those from `node` on as the arguments of the called function, if they have no parentheses.
static std::optional<std::vector<Shape>> withArguments(llvm::ArrayRef<Shape> shapes, unsigned &node) {
  for (node = 0; node < shapes.size() && shapes[node].kind != ShapeKind::Function;)
    node += shapes[node].extent;
  if (++node >= shapes.size() || shapes[node].kind == ShapeKind::List)
    return std::nullopt;
  std::vector<Shape> changed(shapes.begin(), shapes.end());
  Shape list;
  list.kind = ShapeKind::List;
  list.extent = narrow<uint16_t>(shapes.size() - node + 1);
  changed.insert(changed.begin() + node, list);
  return changed;
}

/// Returns the operands with the first two combined as a pair: `%p1|%p2`.
static std::vector<Shape> paired(llvm::ArrayRef<Shape> shapes) {
  std::vector<Shape> changed(shapes.begin(), shapes.end());
  Shape pair;
  pair.kind = ShapeKind::Pair;
  pair.extent = narrow<uint16_t>(1 + shapes.front().extent + shapes[shapes.front().extent].extent);
  changed.insert(changed.begin(), pair);
  return changed;
}

/// Returns the operands with some of them, from `node` on, combined as a vector.
static std::vector<Shape> joined(llvm::ArrayRef<Shape> shapes, unsigned node, unsigned count) {
  std::vector<Shape> changed(shapes.begin(), shapes.end());
  Shape vector;
  vector.kind = ShapeKind::Vector;
  vector.extent = narrow<uint16_t>(1 + count);
  changed.insert(changed.begin() + node, vector);
  return changed;
}

/// Returns the operands with one of them, and its elements, moved to another place.
static std::vector<Shape> moved(llvm::ArrayRef<Shape> shapes, size_t from, size_t to) {
  llvm::SmallVector<llvm::ArrayRef<Shape>, 8> operands;
  for (size_t node = 0; node < shapes.size(); node += shapes[node].extent)
    operands.push_back(shapes.slice(node, shapes[node].extent));
  const llvm::ArrayRef<Shape> one = operands[from];
  operands.erase(operands.begin() + from);
  operands.insert(operands.begin() + to, one);
  std::vector<Shape> changed;
  for (const llvm::ArrayRef<Shape> operand : operands)
    llvm::append_range(changed, operand);
  return changed;
}

namespace {

/// An operand at a wrong place, such as the predicate of `selp`.
struct Misplaced {
  unsigned node;
  size_t from, to; // its index among the operands, and the index at which it is correct
};

} // namespace

/// Returns the only operand that makes the instruction correct when it is moved, with its place, or nothing.
static std::optional<Misplaced> misplacedOperand(const WrittenInstruction &written) {
  constexpr size_t most = 8;
  llvm::SmallVector<unsigned, 8> nodes;
  for (unsigned node = 0; node < written.shapes.size(); node += written.shapes[node].extent)
    nodes.push_back(node);
  std::optional<Misplaced> found;
  if (nodes.size() > most)
    return found;
  // A number or a plain register fits at too many places to be informative.
  auto isDistinct = [&](unsigned node) {
    const Shape &shape = written.shapes[node];
    return shape.kind == ShapeKind::Vector || shape.kind == ShapeKind::Address ||
           viewType(shape.type).kind == isa::TypeKind::Predicate;
  };
  for (size_t from = 0; from < nodes.size(); ++from)
    for (size_t to = 0; isDistinct(nodes[from]) && to < nodes.size(); ++to) {
      if (from == to || !isAccepted({written.opcode, moved(written.shapes, from, to), written.availability}))
        continue;
      if (found)
        return std::nullopt;
      found = {nodes[from], from, to};
    }
  return found;
}

/// Returns the first operand, and the number of operands, that make the instruction correct when they form a vector.
static std::optional<std::pair<unsigned, unsigned>> elementsOfVector(const WrittenInstruction &written,
                                                                     llvm::ArrayRef<Finding> findings) {
  constexpr unsigned longest = 8;
  const llvm::ArrayRef<Shape> shapes = written.shapes;
  const auto *extra = llvm::find_if(findings, [](const Finding &f) { return f.id == DiagId::ExtraOperand; });
  if (extra == findings.end())
    return std::nullopt;
  for (auto count = narrow<unsigned>(extra->alike.size() + 2); count <= longest; ++count)
    for (unsigned node = 0; node + count <= shapes.size(); node += shapes[node].extent)
      if (llvm::all_of(shapes.slice(node, count), [](const Shape &shape) { return shape.extent == 1; }) &&
          isAccepted({written.opcode, joined(shapes, node, count), written.availability}))
        return std::pair(node, count);
  return std::nullopt;
}

/// Returns the operands with brackets around the one at `node`.
static std::vector<Shape> bracketed(llvm::ArrayRef<Shape> shapes, unsigned node) {
  std::vector<Shape> changed(shapes.begin(), shapes.end());
  Shape address;
  address.kind = ShapeKind::Address;
  address.extent = narrow<uint16_t>(1 + shapes[node].extent);
  changed.insert(changed.begin() + node, address);
  return changed;
}

/// Returns the only operand that makes the instruction correct when it is in brackets.
static std::optional<unsigned> operandWithoutBrackets(const WrittenInstruction &written) {
  std::optional<unsigned> found;
  for (unsigned node = 0; node < written.shapes.size(); node += written.shapes[node].extent) {
    const ShapeKind kind = written.shapes[node].kind;
    const bool isSimple = !(written.shapes[node].flags & ShapeSubscript);
    if (!isSimple || (kind != ShapeKind::Register && kind != ShapeKind::Variable) ||
        !isAccepted({written.opcode, bracketed(written.shapes, node), written.availability}))
      continue;
    if (found)
      return std::nullopt;
    found = node;
  }
  return found;
}

/// Returns the only vector that makes the instruction correct inside of the brackets before it: `[%rd1], {%r1, %r2}`.
static std::optional<std::pair<unsigned, std::vector<Shape>>> vectorOutsideBrackets(const WrittenInstruction &written) {
  const llvm::ArrayRef<Shape> shapes = written.shapes;
  for (unsigned node = 0, next; node < shapes.size(); node = next) {
    next = node + shapes[node].extent;
    if (next >= shapes.size() || shapes[node].kind != ShapeKind::Address || shapes[next].kind != ShapeKind::Vector)
      continue;
    std::vector<Shape> changed(shapes.begin(), shapes.end());
    changed[node].extent += shapes[next].extent;
    if (isAccepted({written.opcode, changed, written.availability}))
      return std::pair(next, changed);
  }
  return std::nullopt;
}

static bool isFaultOfOperand(const Finding &f) {
  return f.severity == Severity::Error && f.place.kind == FindingPlace::Operand;
}

/// Replaces the findings by one at `node`, if the changed operands make the instruction correct.
static bool replaceBy(std::vector<Finding> &findings, const WrittenInstruction &written,
                      const std::vector<Shape> &changed, Finding f, unsigned node, Remedy::Kind remedy,
                      const char *note) {
  if (!isAccepted({written.opcode, changed, written.availability}))
    return false;
  f.place = FindingPlace::at(FindingPlace::Operand, node);
  f.phase = Phase::Shape;
  f.form = findings.front().form;
  f.line = findings.front().line;
  f.remedy = {remedy, 0, ""};
  if (*note)
    f.notes.push_back(note);
  findings = {f};
  return true;
}

static Finding otherShape(ShapeKind found, ShapeKind expected) {
  return wordFinding(DiagId::OperandShape, {}, textThere, shapeName(found), shapeName(expected));
}

/// Adds brackets around an operand that lacks them, or around a vector that is outside of them.
static bool addBrackets(std::vector<Finding> &findings, const WrittenInstruction &written) {
  const llvm::ArrayRef<Shape> shapes = written.shapes;
  Finding &first = findings.front();
  const bool isOneSize = findings.size() == 1 && first.id == DiagId::OperandSize;
  const bool isKnown = findings.size() == 1 && first.remedy.kind == Remedy::AddBrackets;
  if (isOneSize || llvm::any_of(findings, [](const Finding &f) { return f.phase == Phase::Shape; })) {
    const std::optional<unsigned> bare = operandWithoutBrackets(written);
    if (bare && isOneSize) { // a register of another size fits as well
      if (first.place.kind == FindingPlace::Operand && first.place.index == *bare && first.alike.empty())
        first.remedy = {Remedy::AddBrackets, 0, ""};
      return false;
    }
    if (bare)
      return !isKnown && replaceBy(findings, written, bracketed(shapes, *bare),
                                   otherShape(shapes[*bare].kind, ShapeKind::Address), *bare, Remedy::AddBrackets, "");
  }
  const auto outside = vectorOutsideBrackets(written);
  if (!outside)
    return false;
  const Finding vector = wordFinding(DiagId::OperandShape, {}, textThere, shapeName(ShapeKind::Vector),
                                     "it inside of the brackets before it");
  return replaceBy(findings, written, outside->second, vector, outside->first, Remedy::None,
                   "coordinates follow the name in its brackets: `[%rd1, {%r1, %r2}]`");
}

bool addArrangement(std::vector<Finding> &findings, const WrittenInstruction &written) {
  const llvm::ArrayRef<Shape> shapes = written.shapes;
  auto replace = [&](const std::vector<Shape> &changed, const Finding &f, unsigned node, Remedy::Kind remedy,
                     const char *note) { return replaceBy(findings, written, changed, f, node, remedy, note); };
  auto otherShapeAt = [&](unsigned node, ShapeKind expected) { return otherShape(shapes[node].kind, expected); };
  unsigned node = 0;
  if (written.opcode.mayCall) {
    if (const auto changed = withArguments(shapes, node))
      return replace(*changed, otherShapeAt(node, ShapeKind::List), node, Remedy::None,
                     "the arguments of a call are in parentheses");
    return false;
  }
  const bool areSeveral = !shapes.empty() && shapes.front().extent < shapes.size();
  const ShapeKind second = areSeveral ? shapes[shapes.front().extent].kind : ShapeKind::Invalid;
  if (areSeveral && (shapes.front().kind == ShapeKind::Address) != (second == ShapeKind::Address) &&
      replace(swapped(shapes), otherShapeAt(0, second), 0, Remedy::SwapOperands, "the first two operands are swapped"))
    return true;
  if (findings.size() > 1 && llvm::all_of(findings, isFaultOfOperand))
    if (const std::optional<Misplaced> one = misplacedOperand(written)) {
      const auto own = llvm::find_if(findings, [&](const Finding &f) { return f.place.index == one->node; });
      const std::string note =
          "the operands are in the wrong order: this one belongs at position " + std::to_string(one->to + 1);
      if (own != findings.end() &&
          replace(moved(shapes, one->from, one->to), Finding(*own), one->node, Remedy::None, note.c_str()))
        return true;
    }
  if (const auto vector = elementsOfVector(written, findings))
    return replace(joined(shapes, vector->first, vector->second), otherShapeAt(vector->first, ShapeKind::Vector),
                   vector->first, Remedy::None, "the elements of a vector are one operand, in braces: `{%r1, %r2}`");
  if (addBrackets(findings, written))
    return true;
  if (findings.front().id != DiagId::ExtraOperand)
    return false;
  if (areSeveral && replace(paired(shapes), otherShapeAt(0, ShapeKind::Pair), 0, Remedy::None,
                            "two results are one operand, with `|` between them"))
    return true;
  for (node = 0; node < shapes.size(); node += shapes[node].extent) {
    if (viewType(shapes[node].type).kind != isa::TypeKind::Predicate)
      continue;
    std::vector<Shape> changed(shapes.begin(), shapes.end());
    changed.erase(changed.begin() + node, changed.begin() + node + shapes[node].extent);
    if (replace(changed, findings.front(), node, Remedy::None,
                "a predicate in front, `@%p1`, makes an instruction conditional"))
      return true;
  }
  return false;
}

} // namespace ptxray
