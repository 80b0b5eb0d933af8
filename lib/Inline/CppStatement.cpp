// Reads one asm statement of C++ from its tokens.
#include "Inline/CppStatement.h"
#include "Inline/Literals.h"
#include "Source/Narrow.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using Tokens = llvm::ArrayRef<CppToken>;

bool isLiteral(const CppToken &token) { return token.kind == CppKind::String || token.kind == CppKind::Plain; }

/// Returns the value of a simple constant expression such as `-5`, `(0x10)` or `true`.
static std::optional<std::string> constantOf(Tokens tokens) {
  while (tokens.size() > 2 && tokens.front().is("(") && tokens.back().is(")"))
    tokens = tokens.drop_front().drop_back();
  const bool isNegative = tokens.size() == 2 && tokens.front().is("-");
  if (isNegative)
    tokens = tokens.drop_front();
  if (tokens.size() != 1 || tokens[0].isUncertain)
    return std::nullopt;
  if (tokens[0].is("true") || tokens[0].is("false"))
    return tokens[0].is("true") ? "1" : "0";
  if (tokens[0].kind != CppKind::Number)
    return std::nullopt;
  std::string digits;
  llvm::copy_if(tokens[0].text.rtrim("uUlLzZ"), std::back_inserter(digits), [](char c) { return c != '\''; });
  uint64_t value = 0;
  if (llvm::StringRef(digits).getAsInteger(0, value))
    return std::nullopt;
  return (isNegative ? "-" : "") + std::to_string(value);
}

namespace {} // namespace

std::vector<Tokens> splitAtColons(Tokens tokens) {
  std::vector<Tokens> parts;
  unsigned depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    depth += tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{");
    if (depth && (tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}")))
      --depth;
    if (depth == 0 && tokens[i].is(":")) {
      parts.push_back(tokens.slice(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(tokens.drop_front(begin));
  return parts;
}

namespace {

/// Fills a statement from the parts between its colons. Returns the problem, if there is one.
class StatementReader {
public:
  explicit StatementReader(InlineStatement &statement) : statement(statement) {}
  std::string read(llvm::ArrayRef<Tokens> parts);

private:
  std::string text(Tokens tokens);
  std::string operands(Tokens tokens);
  std::string clobbers(Tokens tokens);
  InlineStatement &statement;
};

std::string StatementReader::text(Tokens tokens) {
  while (tokens.size() > 2 && tokens.front().is("(") && tokens.back().is(")"))
    tokens = tokens.drop_front().drop_back();
  for (const CppToken &token : tokens) {
    if (token.kind == CppKind::Directive)
      return "with #if inside";
    if (token.isUncertain)
      return "of a macro with several definitions";
    if (!isLiteral(token))
      return "built elsewhere";
    appendLiteral(token, statement.text);
    statement.literalEnds.push_back(narrow<uint32_t>(statement.text.text().size()));
  }
  return tokens.empty() ? "built elsewhere" : "";
}

size_t endOfGroup(Tokens tokens, size_t i) {
  unsigned depth = 0;
  for (; i < tokens.size(); ++i) {
    depth += tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{");
    if (tokens[i].is(")") || tokens[i].is("]") || tokens[i].is("}"))
      if (--depth == 0)
        return i;
  }
  return i;
}

std::string StatementReader::operands(Tokens tokens) {
  bool isSeparate = true;
  for (size_t i = 0; i < tokens.size();) {
    if (tokens[i].kind == CppKind::Directive)
      return "with #if inside";
    if (tokens[i].is(",")) {
      isSeparate = true;
      ++i;
      continue;
    }
    if (!std::exchange(isSeparate, false) && !statement.missingComma)
      statement.missingComma = tokens[i].place;
    InlineOperand operand;
    operand.place = tokens[i].place;
    if (tokens[i].is("[") && i + 2 < tokens.size() && tokens[i + 2].is("]")) {
      operand.name = tokens[i + 1].text.str();
      i += 3;
    }
    MappedText constraint;
    for (; i < tokens.size() && isLiteral(tokens[i]); ++i) {
      if (tokens[i].isUncertain)
        return "of a macro with several definitions";
      appendLiteral(tokens[i], constraint);
    }
    if (constraint.text().empty() || i >= tokens.size() || !tokens[i].is("("))
      return "with operands that a macro makes";
    const size_t end = endOfGroup(tokens, i);
    if (end >= tokens.size())
      return "with operands that a macro makes";
    if (llvm::any_of(tokens.slice(i, end - i), [](const CppToken &t) { return t.kind == CppKind::Directive; }))
      return "with #if inside";
    operand.constraint = constraint.text().str();
    operand.value = constantOf(tokens.slice(i + 1, end - i - 1));
    operand.place.end = std::max(operand.place.end, tokens[end].place.end);
    statement.operands.push_back(std::move(operand));
    i = end + 1;
  }
  return "";
}

std::string StatementReader::clobbers(Tokens tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is(","))
      continue;
    MappedText name;
    const Range place = tokens[i].place;
    for (; i < tokens.size() && isLiteral(tokens[i]); ++i)
      appendLiteral(tokens[i], name);
    if (name.text().empty())
      return tokens[i].kind == CppKind::Directive ? "with #if inside" : "with clobbers that a macro makes";
    statement.clobbers.emplace_back(name.text().str(),
                                    Range{place.begin, std::max(place.end, tokens[i - 1].place.end)});
    --i;
  }
  return "";
}

std::string StatementReader::read(llvm::ArrayRef<Tokens> parts) {
  statement.isBasic = parts.size() == 1;
  std::string problem = text(parts[0]);
  if (problem.empty() && parts.size() > 1)
    problem = operands(parts[1]);
  for (InlineOperand &operand : statement.operands)
    operand.isOutput = true;
  if (problem.empty() && parts.size() > 2)
    problem = operands(parts[2]);
  if (problem.empty() && parts.size() > 3)
    problem = clobbers(parts[3]);
  auto isText = [](const InlineOperand &operand) { return operand.constraint == "C"; };
  return problem.empty() && llvm::any_of(statement.operands, isText) ? "with text that only the compiler knows"
                                                                     : problem;
}

} // namespace

std::string readParts(llvm::ArrayRef<Tokens> parts, InlineStatement &statement) {
  return StatementReader(statement).read(parts);
}

bool isQualifier(llvm::StringRef name) {
  static constexpr llvm::StringLiteral qualifiers[] = {"volatile", "__volatile__", "__volatile",
                                                       "inline",   "__inline__",   "goto"};
  return llvm::is_contained(qualifiers, name);
}

std::vector<uint32_t> closingOf(Tokens tokens) {
  std::vector<uint32_t> closing(tokens.size());
  std::vector<size_t> open;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("(")) {
      open.push_back(i);
    } else if (tokens[i].is(")") && !open.empty()) {
      closing[open.back()] = narrow<uint32_t>(i - open.back());
      open.pop_back();
    }
  }
  return closing;
}

bool isLabel(Tokens before, Tokens after) {
  static constexpr llvm::StringLiteral statements[] = {"if", "else", "for", "while", "do", "switch", "case", "default"};
  if (before.empty() || !(before.back().is(")") || before.back().is("]") || before.back().kind == CppKind::Name) ||
      llvm::is_contained(statements, before.front().text) || llvm::is_contained(statements, before.back().text))
    return false;
  if (after.size() < 3 || !after[0].is("(") || !isLiteral(after[1]))
    return false;
  const auto *const end = llvm::find_if(after.drop_front(), [](const CppToken &token) { return !isLiteral(token); });
  return end != after.end() && end->is(")") && llvm::all_of(Tokens(after.begin() + 1, end), [](const CppToken &token) {
           return token.text.find_first_of(" \t;\\{}%@") == llvm::StringRef::npos;
         });
}

} // namespace ptxray
