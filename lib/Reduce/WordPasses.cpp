#include "Reduce/Passes.h"
#include "Reduce/Tokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace ptxray {

using llvm::StringRef;

static void replace(Changes &changes, Range part, StringRef text) {
  changes.push_back({.parts = {{part, text.str()}}});
}

/// Returns a number that can replace a register.
static StringRef numberFor(const Symbol *symbol, StringRef declaredType) {
  return symbol && (declaredType == ".f32" || declaredType == ".f64") ? "0.0" : "0";
}

Changes operandChanges(const ReadModule &module) {
  Changes changes;
  for (const Body &body : module.bodies())
    for (uint32_t number = 0; number < body.size(); ++number)
      body.eachUse(number, [&](NamedUse use) {
        const Operand &operand = use.operand;
        if (use.uses & (Writes | Targets | Calls) || operand.kind != OperandKind::Name)
          return;
        const Symbol *symbol = body.symbol(use.local);
        const StringRef name = body.text(use.local);
        if ((operand.flags & (HasOffset | Negated | Not)) && !(operand.flags & Subscript))
          replace(changes, operand.range, name);
        const StringRef type = symbol ? StringRef(isa::word(symbol->type).text()) : StringRef();
        if (!symbol || symbol->kind == SymbolKind::Register)
          replace(changes, operand.range, numberFor(symbol, type));
      });
  return changes;
}

Changes lineChanges(const ReadModule &module) {
  Changes changes;
  const auto add = [&](Range range) {
    const StringRef text = module.source().text(range);
    if (!text.contains('\n'))
      return;
    llvm::SmallVector<StringRef> words;
    llvm::SplitString(text, words, " \t\r\n");
    replace(changes, range, llvm::join(words, " "));
  };
  for (const Instruction &one : module.ast().instructions)
    add(one.range);
  for (const Function &one : module.ast().functions)
    add(one.head);
  for (const Declaration &one : module.ast().declarations)
    add(one.range);
  return changes;
}

/// Returns changes that halve vectors. Vectors of two elements are replaced by a scalar.
Changes vectorChanges(const ReadModule &module) {
  const Ast &ast = module.ast();
  const StringRef text = module.source().text();
  static constexpr std::pair<StringRef, StringRef> narrower[] = {{".v8", ".v4"}, {".v4", ".v2"}, {".v2", ""}};
  Changes changes;
  for (const Instruction &one : ast.instructions) {
    const StringRef opcode = ast.text(one.opcode);
    for (const auto &[wide, narrow] : narrower) {
      const size_t at = opcode.find(wide);
      if (at == StringRef::npos)
        continue;
      const auto begin = static_cast<uint32_t>(one.opcodeRange.begin + at);
      Change change{.parts = {{{begin, static_cast<uint32_t>(begin + wide.size())}, narrow.str()}}};
      const llvm::ArrayRef<Operand> nodes = ast.operandsOf(one.operands);
      for (uint32_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].kind != OperandKind::Vector || nodes[i].extent < 3)
          continue;
        const uint32_t kept = narrow.empty() ? 1 : (nodes[i].extent - 1) / 2;
        const Range last = nodes[i + kept].range; // elements of these vectors are names and numbers
        if (narrow.empty())
          change.parts.push_back({nodes[i].range, text.slice(last.begin, last.end).str()});
        else
          change.parts.push_back({{last.end, nodes[i].range.end}, "}"});
      }
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

Changes wordChanges(const ReadModule &module) {
  const StringRef text = module.source().text();
  Changes changes;
  const std::vector<Word> all = tokensOf(module);
  const llvm::ArrayRef<Word> tokens = within(all, {endOfHeader(module.ast()), UINT32_MAX});
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Word &word = tokens[i];
    const StringRef written = text.slice(word.begin, word.end);
    if (!written.contains('.') || llvm::isDigit(written.front()) || written.front() == '"')
      continue;
    for (size_t at = written.find('.'); at != StringRef::npos;) {
      const size_t next = std::min(written.find('.', at + 1), written.size());
      replace(changes, {static_cast<uint32_t>(word.begin + at), static_cast<uint32_t>(word.begin + next)}, "");
      at = next < written.size() ? next : StringRef::npos;
    }
    if (written.front() == '.' && i + 1 < tokens.size() && tokens[i + 1].isToken(TokenKind::Integer))
      replace(changes, {word.begin, tokens[i + 1].end}, "");
  }
  return changes;
}

Changes numberChanges(const ReadModule &module) {
  Changes changes;
  const std::vector<Word> tokens = tokensOf(module);
  for (const Word &word : within(tokens, {endOfHeader(module.ast()), UINT32_MAX}))
    if (word.isToken(TokenKind::Integer) && word.size() > 1)
      for (const StringRef simple : {"0", "1", "4", "8"})
        replace(changes, {word.begin, word.end}, simple);
  return changes;
}

/// Returns a short name that the text does not contain: a, b ... z, a1, b1 ...
static std::string freshName(const llvm::StringSet<> &taken, unsigned &number) {
  constexpr unsigned letters = 26;
  for (;; ++number) {
    std::string name(1, static_cast<char>('a' + number % letters));
    if (number >= letters)
      name += std::to_string(number / letters);
    if (!taken.contains(name)) {
      ++number;
      return name;
    }
  }
}

Changes nameChanges(const ReadModule &module) {
  constexpr size_t shortEnough = 3;
  const Ast &ast = module.ast();
  const StringRef text = module.source().text();
  llvm::StringSet<> declared, taken;
  const auto declare = [&](NameId name) {
    if (name != NameId::None && ast.text(name).size() > shortEnough)
      declared.insert(ast.text(name));
  };
  for (const Declaration &one : ast.declarations)
    if (!one.isParameterised)
      declare(one.name);
  for (const Function &one : ast.functions)
    declare(one.name);
  for (const Label &one : ast.labels)
    declare(one.name);
  std::map<StringRef, Change> renamed;
  std::vector<StringRef> inOrder;
  for (const Word &word : tokensOf(module)) {
    const StringRef written = text.slice(word.begin, word.end);
    taken.insert(written);
    // A component is part of the word: `v.x`.
    const StringRef name = written.take_until([](char c) { return c == '.'; });
    if (!declared.contains(name))
      continue;
    Change &change = renamed[name];
    if (change.parts.empty())
      inOrder.push_back(name);
    change.parts.push_back({{word.begin, static_cast<uint32_t>(word.begin + name.size())}, ""});
  }
  Changes changes;
  unsigned number = 0;
  for (const StringRef name : inOrder) {
    const std::string fresh = freshName(taken, number);
    for (Replacement &part : renamed[name].parts)
      part.text = fresh;
    changes.push_back(std::move(renamed[name]));
  }
  return changes;
}

/// Renumbers registers: `%r17` and `%r29` of `%r<30>` become `%r0` and `%r1` of `%r<2>`.
static void renumber(const ReadModule &module, llvm::ArrayRef<Word> tokens, const Declaration &family,
                     Changes &changes) {
  const StringRef text = module.source().text(), prefix = module.ast().text(family.name);
  std::map<unsigned, std::vector<Range>> places;
  for (const Word &word : tokens) {
    StringRef name = text.slice(word.begin, word.end).take_until([](char c) { return c == '.'; });
    const auto end = static_cast<uint32_t>(word.begin + name.size());
    unsigned number = 0;
    if (name.consume_front(prefix) && !name.getAsInteger(10, number) && number < family.count)
      places[number].push_back({word.begin, end});
  }
  const size_t open = text.find('<', family.nameRange.end), close = text.find('>', family.nameRange.end);
  if (open == StringRef::npos || close == StringRef::npos || close < open)
    return;
  Change change{
      .parts = {{{static_cast<uint32_t>(open + 1), static_cast<uint32_t>(close)}, std::to_string(places.size())}}};
  unsigned fresh = 0;
  for (const auto &[number, ranges] : places) {
    for (const Range range : ranges)
      change.parts.push_back({range, (prefix + std::to_string(fresh)).str()});
    ++fresh;
  }
  changes.push_back(std::move(change));
}

Changes registerChanges(const ReadModule &module) {
  const Ast &ast = module.ast();
  const std::vector<Word> tokens = tokensOf(module);
  Changes changes;
  for (const Function &function : ast.functions)
    for (uint32_t i = function.body.first; i < function.body.end(); ++i)
      if (const Statement one = ast.statements[i]; one.kind == StatementKind::Declaration)
        if (const Declaration &family = ast.declarations[one.index]; family.isParameterised && family.count > 1)
          renumber(module, within(tokens, {family.range.end, function.range.end}), family, changes);
  return changes;
}

} // namespace ptxray
