#include "Inline/Fragment.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

namespace ptxray {

/// Returns the register type of a constraint letter; empty if there is none. `hasFloats` has the same meaning as in
/// `Fragment::module`.
static llvm::StringRef typeOfLetter(char letter, bool hasFloats) {
  switch (letter) {
  case 'h':
  case 'c': return ".b16";
  case 'r': return ".b32";
  case 'l': return ".b64";
  case 'q': return ".b128";
  case 'f': return hasFloats ? ".f32" : ".b32";
  case 'd': return hasFloats ? ".f64" : ".b64";
  case 'b': return ".pred";
  default: return "";
  }
}

void Fragment::declare(const InlineStatement &statement, const InlineOperand &operand, DiagnosticSink &sink) {
  const bool isLlvm = statement.style == TemplateStyle::Llvm;
  const llvm::StringRef letters = llvm::StringRef(operand.constraint).ltrim("=+&%*");
  Declared &one = declared.emplace_back();
  one.operand = &operand;
  one.isOutput = operand.isOutput;
  one.isInput = !operand.isOutput || llvm::StringRef(operand.constraint).contains('+');
  one.name = (isLlvm ? "$" : "%") + std::to_string(declared.size() - 1);
  if (isLlvm && !letters.empty() && llvm::isDigit(letters[0])) { // uses the register of that output
    size_t tied = 0;
    if (!letters.getAsInteger(10, tied) && tied + 1 < declared.size()) {
      one.letter = declared[tied].letter;
      one.isOutput = declared[tied].isInput = true; // tied operands share a register
      return;
    }
  }
  one.letter = letters.empty() ? 0 : letters[0];
  const bool isKnown =
      one.letter == 'n' || (isLlvm && (one.letter == 'i' || one.letter == 's')) ||
      (!typeOfLetter(one.letter, true).empty() && (isLlvm || (one.letter != 'b' && one.letter != 'c')));
  auto refuse = [&](const llvm::Twine &problem) {
    sink.report(DiagId::InlineConstraint, operand.place, operand.constraint, problem);
    one.letter = 'r';
  };
  if (!isKnown || letters.size() != 1)
    refuse(!letters.empty() && llvm::isDigit(letters[0]) ? "nvcc does not support tied operands"
                                                         : "nvcc knows `h`, `r`, `l`, `q`, `f`, `d`, `n` and `C`");
  else if (operand.isOutput && one.letter == 'n')
    refuse("a constant cannot be a result");
  else if (operand.isOutput && !llvm::StringRef(operand.constraint).contains_insensitive("=") &&
           !llvm::StringRef(operand.constraint).contains("+"))
    refuse("the constraint of a result begins with `=` or `+`");
  one.isDeclared = one.letter != 'n' && one.letter != 'i' && one.letter != 's';
}

/// Names the operands of a statement: "2 operands, `%0` and `%1`".
static std::string operandsText(size_t count, llvm::StringRef sign) {
  if (count == 0)
    return "no operands";
  const std::string first = "`" + sign.str() + "0`", last = "`" + sign.str() + std::to_string(count - 1) + "`";
  return count == 1 ? "one operand, " + first
                    : std::to_string(count) + " operands, " + first + (count == 2 ? " and " : " to ") + last;
}

void Fragment::addReference(const InlineStatement &statement, size_t first, Range digits, Range written,
                            DiagnosticSink &sink) {
  const llvm::StringRef all = statement.text.text();
  size_t index = 0;
  const size_t count = statement.operands.size();
  if (all.slice(digits.begin, digits.end).getAsInteger(10, index) || index >= count) {
    sink.report(DiagId::InlineOperandIndex, statement.text.placeOf(written), all.slice(written.begin, written.end),
                operandsText(count, all.substr(written.begin, 1)));
    text.append(statement.text, written);
    absent.push_back(all.slice(written.begin, written.end).str());
    return;
  }
  Declared &operand = declared[first + index];
  operand.isReferenced = true;
  if (!operand.isDeclared && operand.operand->value)
    return text.replace(*operand.operand->value, statement.text.placeOf(written));
  if (const auto chosen = numbers.find(operand.name); !operand.isDeclared && chosen != numbers.end())
    return text.replace(chosen->second, statement.text.placeOf(written));
  if (!operand.isDeclared && !llvm::is_contained(unknown, operand.name))
    unknown.push_back(operand.name);
  if (all.slice(written.begin, written.end) == operand.name)
    return text.append(statement.text, written);
  text.replace(operand.name, statement.text.placeOf(written));
}

void Fragment::addText(const InlineStatement &statement, size_t first, DiagnosticSink &sink) {
  const MappedText &from = statement.text;
  const llvm::StringRef all = from.text();
  const char mark = statement.style == TemplateStyle::Gcc ? '%' : '$';
  auto digitsFrom = [&](uint32_t i) {
    while (i < all.size() && llvm::isDigit(all[i]))
      ++i;
    return i;
  };
  for (uint32_t i = 0; i < all.size();) {
    const auto next = static_cast<uint32_t>(std::min(all.find(mark, i), all.size()));
    text.append(from, {i, next});
    i = next;
    if (i >= all.size())
      return;
    const char c = i + 1 < all.size() ? all[i + 1] : '\0';
    if (c == mark) {
      text.replace(llvm::StringRef(&mark, 1), from.placeOf({i, i + 2}));
      i += 2;
    } else if (llvm::isDigit(c) && !statement.isBasic) {
      const uint32_t end = digitsFrom(i + 1);
      addReference(statement, first, {i + 1, end}, {i, end}, sink);
      i = end;
    } else if (c == '=' && mark == '%') {
      text.replace(std::to_string(statements), from.placeOf({i, i + 2}));
      i += 2;
    } else if (c == '{' && mark == '$') { // `${0}`, `${0:w}`, `${:uid}`
      const auto end = static_cast<uint32_t>(std::min(all.find('}', i), all.size() - 1)) + 1;
      const uint32_t behind = digitsFrom(i + 2);
      if (behind > i + 2)
        addReference(statement, first, {i + 2, behind}, {i, end}, sink);
      else
        text.replace(std::to_string(statements), from.placeOf({i, end}));
      i = end;
    } else if (c == '[' && mark == '%') {
      const auto end = static_cast<uint32_t>(std::min(all.find(']', i), all.size() - 1)) + 1;
      sink.report(DiagId::InlineOperandName, from.placeOf({i, end}), all.slice(i, end));
      const llvm::StringRef name = all.slice(i + 2, end - 1);
      const auto named = llvm::find_if(statement.operands, [&](const InlineOperand &o) { return o.name == name; });
      const size_t index = named == statement.operands.end() ? 0 : named - statement.operands.begin();
      text.replace(statement.operands.empty() ? "_" : declared[first + index].name, from.placeOf({i, end}));
      i = end;
    } else {
      if (mark == '%' && !statement.isBasic && llvm::isAlpha(c))
        sink.report(DiagId::NvccOnly, from.placeOf({i, i + 1}), "`%` without a second one");
      text.append(from, {i, i + 1});
      ++i;
    }
  }
}

void Fragment::add(const InlineStatement &statement, DiagnosticSink &sink) {
  const size_t first = declared.size();
  place = statements++ ? Range{std::min(place.begin, statement.place.begin), std::max(place.end, statement.place.end)}
                       : statement.place;
  for (const InlineOperand &operand : statement.operands)
    declare(statement, operand, sink);
  if (statements > 1)
    text.replace("\n", {statement.place.begin, statement.place.begin});
  addText(statement, first, sink);
  if (statement.missingComma)
    sink.report(DiagId::NvccOnly, *statement.missingComma, "an operand without a comma before it");
  for (const auto &[name, place] : statement.clobbers) // LLVM ignores names of other architectures
    if (statement.style == TemplateStyle::Gcc && name != "memory" && name != "cc")
      sink.report(DiagId::InlineClobber, place, name);
}

std::string Fragment::key() const {
  std::string key = body().str();
  for (const Declared &one : declared) {
    key += '\0';
    key += one.name;
    key += one.letter;
    key += static_cast<char>('0' + one.isOutput + 2 * one.isInput);
  }
  return key;
}

MappedText Fragment::module(llvm::StringRef ptx, llvm::StringRef target, bool hasFloats) const {
  MappedText out;
  out.setHome(place);
  const Range begin = text.placeOf({0, 0});
  out.replace(".version " + ptx.str() + "\n.target " + target.str() + "\n.address_size 64\n.func inlined()\n{\n",
              begin);
  for (const Declared &one : declared) {
    if (!one.isDeclared)
      continue;
    out.replace(".reg " + typeOfLetter(one.letter, hasFloats).str() + " ", one.operand->place);
    out.replace(one.name, one.operand->place);
    out.replace(";\n", one.operand->place);
  }
  out.append(text);
  const auto last = static_cast<uint32_t>(body().rtrim().size());
  out.replace("\nret;\n}\n", text.placeOf({last ? last - 1 : 0, last}));
  return out;
}

namespace {

/// Visits the text of a template except comments and strings.
template <typename See> void eachCharacter(llvm::StringRef text, See see) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("//"))
      i = std::min(text.find('\n', i), text.size());
    else if (text.substr(i).starts_with("/*"))
      i = std::min(text.find("*/", i + 2), text.size() - 1) + 1;
    else if (text[i] == '"')
      i = std::min(text.find('"', i + 1), text.size());
    if (i < text.size())
      see(i);
  }
}

} // namespace

int openBlocks(llvm::StringRef text, int &lowest) {
  int depth = 0;
  lowest = 0;
  eachCharacter(text, [&](size_t i) {
    depth += text[i] == '{';
    depth -= text[i] == '}';
    lowest = std::min(lowest, depth);
  });
  return depth;
}

std::vector<DeclaredName> declaredNames(llvm::StringRef text) {
  std::vector<DeclaredName> names;
  int depth = 0;
  std::string statement;
  auto isVariable = [](llvm::StringRef declaration) {
    return llvm::any_of(std::initializer_list<llvm::StringRef>{".shared", ".local", ".global", ".const"},
                        [&](llvm::StringRef space) { return declaration.starts_with(space); });
  };
  auto finish = [&](char end) {
    const llvm::StringRef whole = llvm::StringRef(statement).trim();
    if (end == ':') {
      names.push_back({whole.str()});
    } else if (const bool isInMemory = isVariable(whole); isInMemory || whole.starts_with(".reg")) {
      llvm::StringRef rest = whole;
      while (rest.starts_with(".") || llvm::isDigit(rest.empty() ? ' ' : rest[0])) // `.align 8`
        rest = rest.drop_until([](char c) { return llvm::isSpace(c); }).ltrim();
      llvm::SmallVector<llvm::StringRef> parts;
      rest.split(parts, ',');
      for (llvm::StringRef part : parts)
        if (const size_t open = part.find('<'); open != llvm::StringRef::npos)
          names.push_back({part.take_front(open + 1).trim().str(), isInMemory});
        else
          names.push_back(
              {part.trim().take_until([](char c) { return c == '[' || c == '=' || c == ' '; }).str(), isInMemory});
    }
    statement.clear();
  };
  eachCharacter(text, [&](size_t i) {
    const char c = text[i];
    depth += c == '{';
    depth -= c == '}';
    const bool isLabel = c == ':' && !text.substr(i).starts_with("::") && (i == 0 || text[i - 1] != ':');
    if (c == ';' || c == '{' || c == '}' || isLabel) {
      if (depth <= (c == '{'))
        finish(c);
      statement.clear();
    } else {
      statement += c;
    }
  });
  return names;
}

} // namespace ptxray
