// Prints each statement in canonical form, replaces its names by placeholders, and aligns the results. Then maps each
// name of the first function to the name of the second that most often corresponds to it. Statements must be equal
// under this mapping.
#include "Compare/Compare.h"
#include "Compare/Align.h"
#include "Diagnostics/Diagnostic.h"
#include "Parse/Parse.h"
#include "Parse/Print.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace ptxray {

namespace {

/// A statement without its names.
struct Shape {
  Difference::Line line;
  std::string text;               // a name is `%`
  std::vector<std::string> names; // in order
};

/// A unit of comparison: a function, or everything outside of functions.
struct Part {
  std::string function;
  std::vector<Shape> shapes;
};

/// The names that belong to one function.
class OwnNames {
public:
  OwnNames(const Ast &ast, const Function &function);
  bool contains(llvm::StringRef name) const {
    const llvm::StringRef stem = name.rtrim("0123456789");
    return names.contains(name) || (stem.size() < name.size() && families.contains(stem));
  }

private:
  void add(const Ast &ast, const Declaration &declaration);
  llvm::StringSet<> names, families;
};

using Partners = std::map<std::string, std::string, std::less<>>;

} // namespace

void OwnNames::add(const Ast &ast, const Declaration &declaration) {
  if (declaration.name == NameId::None)
    return;
  (declaration.isParameterised ? families : names).insert(ast.text(declaration.name));
}

OwnNames::OwnNames(const Ast &ast, const Function &function) {
  for (const Slice formals : {function.returns, function.parameters})
    for (const Declaration &formal : llvm::ArrayRef(ast.declarations).slice(formals.first, formals.count))
      add(ast, formal);
  for (const Statement statement : llvm::ArrayRef(ast.statements).slice(function.body.first, function.body.count)) {
    if (statement.kind == StatementKind::Declaration)
      add(ast, ast.declarations[statement.index]);
    else if (statement.kind == StatementKind::Label)
      names.insert(ast.text(ast.labels[statement.index].name));
    else if (statement.kind == StatementKind::Directive && ast.directives[statement.index].label != NameId::None)
      names.insert(ast.text(ast.directives[statement.index].label));
    else if (statement.kind == StatementKind::Function)
      names.insert(ast.text(ast.functions[statement.index].name));
  }
}

static bool isOfName(char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%'; }

static Shape shapeOf(std::string printed, uint32_t line, const OwnNames *own) {
  Shape shape;
  const llvm::StringRef text = printed;
  for (size_t at = 0; at < text.size();) {
    const llvm::StringRef word = text.substr(at).take_while(isOfName);
    const bool isDotted = at > 0 && text[at - 1] == '.';
    if (own && !word.empty() && !isDotted && !llvm::isDigit(word.front()) && own->contains(word)) {
      shape.names.push_back(word.str());
      shape.text += '%';
    } else {
      shape.text += text.substr(at, std::max<size_t>(word.size(), 1));
    }
    at += std::max<size_t>(word.size(), 1);
  }
  shape.line = {line, std::move(printed)};
  return shape;
}

/// Returns whether a statement is compared. Declarations of registers are not, because their uses are compared.
static bool isCompared(const Ast &ast, Statement statement) {
  if (statement.kind == StatementKind::Declaration)
    return ast.text(ast.declarations[statement.index].space) != ".reg";
  if (statement.kind != StatementKind::Directive)
    return statement.kind != StatementKind::BrokenInstruction;
  return !llvm::is_contained<llvm::StringRef>({".loc", ".loc_intermediate", ".file", ".section", "@@DWARF"},
                                              ast.text(ast.directives[statement.index].name));
}

static uint32_t beginOf(const Ast &ast, Statement statement) {
  switch (statement.kind) {
  case StatementKind::Instruction: return ast.instructions[statement.index].range.begin;
  case StatementKind::BrokenInstruction: return ast.brokenInstructions[statement.index].range.begin;
  case StatementKind::Label: return ast.labels[statement.index].range.begin;
  case StatementKind::Declaration: return ast.declarations[statement.index].range.begin;
  case StatementKind::Directive: return ast.directives[statement.index].range.begin;
  case StatementKind::Function: return ast.functions[statement.index].range.begin;
  case StatementKind::BlockBegin:
  case StatementKind::BlockEnd: return statement.index;
  }
  return 0;
}

/// Returns the part of a module outside of functions, followed by its functions.
static std::vector<Part> partsOf(const Ast &ast, const SourceBuffer &source) {
  std::vector<Part> parts(1);
  auto add = [&](Part &part, Statement statement, llvm::StringRef text, const OwnNames *own) {
    const uint32_t line = source.lineColumn(beginOf(ast, statement)).line;
    part.shapes.push_back(shapeOf(text.trim().str(), line, own));
  };
  for (const Statement item : ast.module) {
    if (!isCompared(ast, item))
      continue;
    const std::string text = printStatement(ast, item);
    if (item.kind != StatementKind::Function || !ast.functions[item.index].hasBody) {
      add(parts.front(), item, text, nullptr);
      continue;
    }
    const Function &function = ast.functions[item.index];
    const OwnNames own(ast, function);
    Part part{ast.text(function.name).str(), {}};
    add(part, item, llvm::StringRef(text).split("\n{\n").first, &own);
    for (const Statement statement : llvm::ArrayRef(ast.statements).slice(function.body.first, function.body.count))
      if (isCompared(ast, statement))
        add(part, statement, printStatement(ast, statement), &own);
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Returns, for each name, the name that most often replaces it.
static Partners partnersOf(const std::map<std::string, std::map<std::string, unsigned>> &counts) {
  Partners partners;
  for (const auto &[name, others] : counts)
    partners[name] = std::max_element(others.begin(), others.end(), [](const auto &a, const auto &b) {
                       return a.second < b.second;
                     })->first;
  return partners;
}

static bool agree(const Shape &a, const Shape &b, const Partners &forth, const Partners &back) {
  return llvm::all_of(llvm::zip(a.names, b.names), [&](const auto &pair) {
    const auto &[one, other] = pair;
    return forth.find(one)->second == other && back.find(other)->second == one;
  });
}

static std::vector<Difference> compare(const Part &a, const Part &b) {
  llvm::StringMap<uint32_t> numbers;
  auto numbersOf = [&](const Part &part) {
    std::vector<uint32_t> list;
    for (const Shape &shape : part.shapes)
      list.push_back(numbers.try_emplace(shape.text, numbers.size()).first->second);
    return list;
  };
  const std::vector<uint32_t> first = numbersOf(a), second = numbersOf(b);
  auto pairs = aligned(first, second);
  std::map<std::string, std::map<std::string, unsigned>> forth, back;
  for (auto [x, y] : pairs)
    for (const auto &[one, other] : llvm::zip(a.shapes[x].names, b.shapes[y].names)) {
      ++forth[one][other];
      ++back[other][one];
    }
  const Partners there = partnersOf(forth), here = partnersOf(back);
  llvm::erase_if(pairs,
                 [&](const auto &pair) { return !agree(a.shapes[pair.first], b.shapes[pair.second], there, here); });
  pairs.emplace_back(a.shapes.size(), b.shapes.size());
  std::vector<Difference> differences;
  size_t x = 0, y = 0;
  for (auto [toX, toY] : pairs) {
    Difference difference{a.function, {}, {}};
    for (; x < toX; ++x)
      difference.before.push_back(a.shapes[x].line);
    for (; y < toY; ++y)
      difference.after.push_back(b.shapes[y].line);
    if (!difference.before.empty() || !difference.after.empty())
      differences.push_back(std::move(difference));
    ++x, ++y;
  }
  return differences;
}

std::vector<Difference> differencesOf(const SourceBuffer &before, const SourceBuffer &after) {
  DiagnosticSink sink;
  Parser parser, other;
  const std::vector<Part> first = partsOf(parser.read(before, sink), before);
  const std::vector<Part> second = partsOf(other.read(after, sink), after);
  std::vector<Difference> differences;
  // Functions with the same name are compared in source order.
  llvm::StringMap<std::vector<const Part *>> byName;
  for (const Part &part : llvm::reverse(second))
    byName[part.function].push_back(&part);
  for (const Part &part : first) {
    std::vector<const Part *> &partners = byName[part.function];
    llvm::append_range(differences, compare(part, partners.empty() ? Part{part.function, {}} : *partners.back()));
    if (!partners.empty())
      partners.pop_back();
  }
  for (const Part &part : second)
    if (llvm::is_contained(byName[part.function], &part))
      llvm::append_range(differences, compare({part.function, {}}, part));
  return differences;
}

} // namespace ptxray
