#include "Parse/Interner.h"
#include "Reduce/Passes.h"
#include "Reduce/Reduction.h"
#include "Reduce/Tokens.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace ptxray {

using llvm::StringRef;

static Change removal(Range part) { return {.parts = {{part, ""}}}; }

Changes commentChanges(const ReadModule &module) {
  Changes changes;
  const StringRef text = module.source().text();
  WordReader words(text, module.hasErrors());
  for (Word word = words.take(); !word.isToken(TokenKind::EndOfFile); word = words.take())
    if (word.aside != Aside::None)
      changes.push_back({.parts = {{{word.begin, word.end}, " "}}});
  return changes;
}

/// Returns the end of a statement, including its semicolon.
static uint32_t endOfStatement(const ReadModule &module, uint32_t end) {
  const StringRef rest = module.source().text().substr(end);
  const size_t next = rest.find_first_not_of(" \t\r\n");
  return next != StringRef::npos && rest[next] == ';' ? static_cast<uint32_t>(end + next + 1) : end;
}

/// Returns the location of an item of the module, or of a statement. Empty if it has no location of its own.
static Range rangeOf(const ReadModule &module, Statement statement) {
  const Ast &ast = module.ast();
  switch (statement.kind) {
  case StatementKind::Declaration: {
    const Range range = ast.declarations[statement.index].range;
    return {range.begin, endOfStatement(module, range.end)};
  }
  case StatementKind::Directive: {
    const Range range = ast.directives[statement.index].range;
    return {range.begin, endOfStatement(module, range.end)};
  }
  case StatementKind::Function: return ast.functions[statement.index].range;
  default: return {};
  }
}

Changes debugChanges(const ReadModule &module) {
  Changes changes; // files first, because the last changes are tried first
  const Ast &ast = module.ast();
  const auto add = [&](Statement statement) {
    if (statement.kind == StatementKind::Directive && !isHeader(ast.text(ast.directives[statement.index].name)))
      changes.push_back(removal(rangeOf(module, statement)));
  };
  llvm::for_each(ast.module, add);
  llvm::for_each(ast.statements, add);
  return changes;
}

Changes itemChanges(const ReadModule &module) {
  const Ast &ast = module.ast();
  Changes changes;
  llvm::StringMap<llvm::SmallVector<uint32_t, 1>> declared; // keyed by name: the changes that remove it
  std::vector<Range> ranges;
  for (const Statement item : ast.module) {
    const Range range = rangeOf(module, item);
    if (range == Range() ||
        (item.kind == StatementKind::Directive && isHeader(ast.text(ast.directives[item.index].name))))
      continue;
    const NameId name = item.kind == StatementKind::Function      ? ast.functions[item.index].name
                        : item.kind == StatementKind::Declaration ? ast.declarations[item.index].name
                                                                  : NameId::None;
    if (ranges.empty() || ranges.back().begin != range.begin) {
      changes.push_back(removal(range));
      ranges.push_back(range);
    } else { // further names of the same statement
      changes.back() = removal(range);
      ranges.back() = range;
    }
    if (name != NameId::None)
      declared[ast.text(name)].push_back(static_cast<uint32_t>(changes.size() - 1));
  }
  const std::vector<Word> tokens = tokensOf(module);
  for (uint32_t i = 0; i < changes.size(); ++i) {
    llvm::DenseSet<uint32_t> used;
    for (const Word &word : within(tokens, ranges[i]))
      if (word.isToken(TokenKind::Id))
        if (const auto found = declared.find(module.source().text().substr(word.begin, word.size()));
            found != declared.end())
          for (const uint32_t one : found->second)
            if (one != i && used.insert(one).second)
              changes[i].used.push_back(one);
  }
  return changes;
}

/// Returns the part of a list to remove with an element: including the following comma, or for the last element the
/// preceding one.
static Range elementOf(llvm::ArrayRef<Range> elements, size_t number) {
  const Range element = elements[number];
  if (number + 1 < elements.size())
    return {element.begin, elements[number + 1].begin};
  if (number > 0)
    return {elements[number - 1].end, element.end};
  return element;
}

/// Returns the top-level operands of an instruction.
static llvm::SmallVector<const Operand *, 6> operandsOf(const Ast &ast, const Instruction &instruction) {
  llvm::SmallVector<const Operand *, 6> operands;
  const llvm::ArrayRef<Operand> nodes = ast.operandsOf(instruction.operands);
  for (uint32_t i = 0; i < nodes.size(); i += nodes[i].extent)
    operands.push_back(&nodes[i]);
  return operands;
}

static std::vector<Range> childrenOf(const Operand &list) {
  std::vector<Range> ranges;
  for (uint32_t i = 1; i < list.extent; i += (&list)[i].extent)
    ranges.push_back((&list)[i].range);
  return ranges;
}

/// Returns the arguments of each call of a function, as lists of ranges.
static std::vector<std::vector<Range>> argumentsOfCalls(const Ast &ast, NameId function, bool ofReturns) {
  std::vector<std::vector<Range>> calls;
  for (const Instruction &instruction : ast.instructions) {
    const auto operands = operandsOf(ast, instruction);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i]->kind != OperandKind::Name || operands[i]->name != function)
        continue;
      const size_t at = ofReturns ? i - 1 : i + 1;
      if (at < operands.size() && operands[at]->kind == OperandKind::List)
        calls.push_back(childrenOf(*operands[at]));
    }
  }
  return calls;
}

Changes parameterChanges(const ReadModule &module) {
  const Ast &ast = module.ast();
  const StringRef text = module.source().text();
  const std::vector<Word> tokens = tokensOf(module);
  Changes changes;
  for (const Function &function : ast.functions) {
    llvm::StringSet<> used;
    for (const Word &word : within(tokens, {function.head.end, function.range.end}))
      used.insert(text.substr(word.begin, word.size()));
    for (const bool ofReturns : {false, true}) {
      const Slice slice = ofReturns ? function.returns : function.parameters;
      const auto declared = llvm::ArrayRef(ast.declarations).slice(slice.first, slice.count);
      std::vector<Range> ranges;
      for (const Declaration &one : declared)
        ranges.push_back(one.range);
      const auto calls = argumentsOfCalls(ast, function.name, ofReturns);
      for (size_t i = 0; i < declared.size(); ++i) {
        if (declared[i].name != NameId::None && used.contains(ast.text(declared[i].name)))
          continue;
        Change change = removal(elementOf(ranges, i));
        for (const std::vector<Range> &call : calls)
          if (call.size() == ranges.size())
            change.parts.push_back({elementOf(call, i), ""});
        changes.push_back(std::move(change));
      }
    }
  }
  return changes;
}

std::optional<std::string> withoutParameter(StringRef text, StringRef kernel, size_t number) {
  const std::unique_ptr<SourceBuffer> source = SourceBuffer::fromText("", text);
  const ReadModule module = readModule(*source);
  const Ast &ast = module.ast();
  const Changes changes = parameterChanges(module);
  for (const Function &function : ast.functions) {
    if (function.kind != FunctionKind::Entry || (!kernel.empty() && ast.text(function.name) != kernel) ||
        number >= function.parameters.count)
      continue;
    const Range parameter = ast.declarations[function.parameters.first + number].range;
    for (uint32_t i = 0; i < changes.size(); ++i)
      if (const Range part = changes[i].parts.front().part;
          part.begin <= parameter.begin && parameter.end <= part.end) {
        llvm::BitVector chosen(static_cast<unsigned>(changes.size()));
        chosen.set(i);
        return changed(text, changes, chosen);
      }
  }
  return std::nullopt;
}

Changes headChanges(const ReadModule &module) {
  const Ast &ast = module.ast();
  Changes changes;
  for (const Function &function : ast.functions)
    for (uint32_t i = function.directives.first; i < function.directives.end(); ++i)
      changes.push_back(removal(rangeOf(module, {StatementKind::Directive, i})));
  for (const Declaration &one : ast.declarations) {
    const StringRef text = module.source().text(one.range);
    if (const size_t equal = text.find('='); one.hasInitialiser && equal != StringRef::npos)
      changes.push_back(removal({static_cast<uint32_t>(one.range.begin + equal), one.range.end}));
  }
  return changes;
}

Changes declaratorChanges(const ReadModule &module) {
  const Ast &ast = module.ast();
  const StringRef text = module.source().text();
  Changes changes;
  for (size_t i = 0; i < ast.declarations.size(); ++i) {
    const Declaration &one = ast.declarations[i];
    const size_t next = text.find_first_not_of(" \t\r\n", one.range.end);
    if (next != StringRef::npos && text[next] == ',' && one.nameRange.end) {
      const size_t name = text.find_first_not_of(" \t\r\n", next + 1);
      changes.push_back(removal({one.nameRange.begin, static_cast<uint32_t>(std::min(name, text.size()))}));
    } else if (i > 0 && ast.declarations[i - 1].range.begin == one.range.begin) {
      changes.push_back(removal({ast.declarations[i - 1].range.end, one.range.end}));
    }
  }
  return changes;
}

} // namespace ptxray
