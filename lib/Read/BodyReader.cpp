#include "Read/BodyReader.h"
#include "Flow/Values.h"
#include "Isa/Isa.h"
#include "Module/ModuleRules.h"
#include "Parse/Interner.h"
#include "Source/Foreign.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

void BodyReader::clearNotes() {
  for (std::vector<uint32_t> *notes : {&body.accessing, &body.joint, &body.numeric, &body.notable})
    notes->clear();
}

void BodyReader::begin(const Function &function) {
  body.function = &function;
  body.verdicts.clear();
  clearNotes();
  body.unknownCalls.clear();
  body.locals.assign(1, {});
  body.definitions.clear();
  body.readFirst.clear();
  body.labels.clear();
  body.declarations.clear();
  body.directives.clear();
  body.targets.clear();
  late.clear();
  lateShapes.clear();
  if (byName.size() < ast.names->size()) // the whole body is parsed
    byName.resize(ast.names->size());
  body.firstInstruction = static_cast<uint32_t>(ast.instructions.size());
  body.firstName = static_cast<uint32_t>(ast.operandNames.size());
  for (const Statement statement : llvm::ArrayRef(ast.statements).slice(function.body.first, function.body.count))
    if (statement.kind == StatementKind::Instruction) {
      const Instruction &first = ast.instructions[statement.index];
      body.firstInstruction = statement.index;
      body.firstName = first.names.first - (first.guard != NameId::None);
      break;
    }
  body.names.resize(std::max(body.names.size(), ast.operandNames.size() - body.firstName));
  body.uses.assign(body.names.size(), 0);
  reportsBefore = sink.diagnostics().size();
  for (Slice formals : {function.returns, function.parameters})
    for (const Declaration &formal : llvm::ArrayRef(ast.declarations).slice(formals.first, formals.count))
      if (formal.name != NameId::None)
        use(formal.name, Writes);
}

LocalId BodyReader::useInBlock(NameId name, uint8_t uses) {
  const uint32_t symbol = resolver.numberOf(name);
  if (!symbol || resolver.symbols()[symbol - 1].depth < 2)
    return use(name, uses);
  auto [known, isNew] = ofBlocks.try_emplace({symbol, static_cast<uint32_t>(name)}, LocalId::None);
  if (isNew)
    known->second = append(name, symbol, uses);
  return known->second;
}

static const Facts nothing;
/// The verdict of an instruction that is skipped.
static constexpr Verdict unread{nullptr, {}, &nothing, nullptr, {}};

void BodyReader::passOver() { body.verdicts.push_back(&unread); }

/// Returns whether a cached verdict is correct. Equal fingerprints should mean equal verdicts; a sample of instructions
/// is checked again.
bool BodyReader::isStillRight(const Verdict &verdict, const Instruction &instruction) {
  constexpr unsigned oneIn = 4;
  const Opcode &opcode = verdicts.opcode(ast, instruction);
  if (++found % oneIn || opcode.readsRegisters)
    return true;
  resolver.shapes(instruction.operands, shapes);
  return verdicts.isStillRight(verdict, opcode, shapes);
}

void BodyReader::plainInBlock(const Instruction &instruction, const Verdict &verdict) {
  plain(instruction, verdict, [this](NameId name, uint8_t uses) { return useInBlock(name, uses); });
}

void BodyReader::unusual(const Instruction &instruction, uint64_t print) {
  const Opcode &opcode = verdicts.opcode(ast, instruction);
  const llvm::ArrayRef<Operand> nodes = ast.operandsOf(instruction.operands);
  const Verdict *verdict = nullptr;
  if (print && !opcode.readsRegisters)
    verdict = verdicts.find(opcode.readsValues ? withValues(print, nodes) : print);
  if (!verdict) {
    if (isMissingSemicolon(instruction) || hasTooManyOperands(instruction))
      return append(instruction, unread);
    if (!opcode.mnemonic) {
      if (reportForeign(instruction))
        return append(instruction, unread);
      distrustSemicolon(instruction);
      forgetNamesOf(instruction, opcode);
    }
    resolver.shapes(instruction.operands, shapes);
    verdict = &verdicts.of(opcode, instruction, nodes, shapes);
    if (opcode.readsRegisters) {
      const auto first = static_cast<uint32_t>(lateShapes.size());
      late.push_back({body.size(), {first, static_cast<uint32_t>(shapes.size())}});
      llvm::append_range(lateShapes, shapes);
      return append(instruction, *verdict);
    }
  }
  if (verdict->findings)
    reportFindings(*verdict->findings, siteOf(instruction, [this](NameId name) { return resolver.find(name); }), sink);
  if (opcode.mayCall) {
    checkCall(instruction, module);
    if (!callsQuiet(nodes, *verdict))
      body.unknownCalls.push_back(body.size());
  }
  append(instruction, *verdict);
}

/// Reports a line in another language that resembles an instruction, and nothing else about it.
bool BodyReader::reportForeign(const Instruction &instruction) {
  const llvm::StringRef line = source.text(instruction.range).take_until([](char c) { return c == '\n'; }).rtrim();
  const llvm::StringRef language = languageOfLine(line);
  // A declared register indicates PTX.
  auto isDeclared = [&](const Operand &node) { return node.kind == OperandKind::Name && resolver.find(node.name); };
  const bool hasGuard = instruction.guard != NameId::None;
  if (language.empty() || (hasGuard && resolver.find(instruction.guard)) ||
      llvm::any_of(ast.operandsOf(instruction.operands), isDeclared))
    return false;
  if (hasGuard)
    resolver.takeBackGuard(instruction.guard);
  const uint32_t begin = instruction.range.begin;
  sink.report(DiagId::NotPtx, {begin, begin + static_cast<uint32_t>(line.size())}, language);
  return true;
}

/// Removes the fix that inserts a semicolon after an unknown instruction, because the line may be in a language without
/// semicolons.
void BodyReader::distrustSemicolon(const Instruction &instruction) {
  const auto syntax = llvm::ArrayRef(sink.diagnostics()).take_front(reportsBefore);
  const auto *first =
      llvm::partition_point(syntax, [&](const Diagnostic &d) { return d.range.begin < instruction.opcodeRange.end; });
  if (first == syntax.end() || first->id != DiagId::ExpectedSemicolon ||
      source.text({instruction.range.begin, first->range.begin}).contains('\n'))
    return;
  sink.at(first - syntax.begin()).fix.reset();
}

/// Suppresses reports about names in an unknown instruction, because they may belong to another language. A single word
/// may be a label.
void BodyReader::forgetNamesOf(const Instruction &instruction, const Opcode &opcode) {
  if (llvm::any_of(verdicts.ofWords(opcode), [](const Finding &f) { return f.remedy.kind != Remedy::None; }))
    return;
  const llvm::ArrayRef<Operand> nodes = ast.operandsOf(instruction.operands);
  for (const Operand &node : nodes)
    if (node.kind == OperandKind::Name && !resolver.find(node.name))
      resolver.forget(ast.text(node.name));
  if (nodes.empty())
    resolver.forget(opcode.spelling);
}

/// Returns whether all called functions ignore the caller's pending operations.
bool BodyReader::callsQuiet(llvm::ArrayRef<Operand> nodes, const Verdict &verdict) const {
  return llvm::all_of(verdict.facts->nodes,
                      [&](const NodeUse &use) { return !(use.uses & Calls) || module.isQuiet(nodes[use.node].name); });
}

void BodyReader::broken(const Instruction &instruction) {
  const auto find = [](NameId) -> const Symbol * { return nullptr; }; // has no operands
  reportFindings(verdicts.ofWords(verdicts.opcode(ast, instruction)), siteOf(instruction, find), sink);
}

InstructionSite BodyReader::siteOf(const Instruction &instruction, FindSymbol find) {
  return {verdicts.opcode(ast, instruction), module.context(), ast, source, instruction, find};
}

void BodyReader::append(const Instruction &instruction, const Verdict &verdict) {
  LocalId *local = body.names.data() + (instruction.names.first - body.firstName);
  uint8_t *uses = body.uses.data() + (instruction.names.first - body.firstName);
  if (instruction.guard != NameId::None)
    local[-1] = useAnywhere(instruction.guard, Reads);
  auto use = verdict.facts->nodes.begin();
  const llvm::ArrayRef<Operand> nodes = ast.operandsOf(instruction.operands);
  for (uint32_t node = 0; node < nodes.size(); ++node)
    if (nodes[node].kind == OperandKind::Name) {
      const bool isUsed = use != verdict.facts->nodes.end() && use->node == node;
      *uses = isUsed ? use++->uses : uint8_t(0);
      *local++ = useAnywhere(nodes[node].name, *uses++);
    }
  const size_t names = instruction.names.count;
  body.definitions.note({local - names, names}, uses - names, body.size());
  note(body.size(), verdict.facts->noted);
  body.verdicts.push_back(&verdict);
}

/// Returns whether a semicolon is missing: `trap` followed by `exit;` on the next line looks like an instruction with
/// an operand.
bool BodyReader::isMissingSemicolon(const Instruction &instruction) {
  if (instruction.operands.count != 1)
    return false;
  const Operand &operand = ast.operands[instruction.operands.first];
  const uint32_t end = instruction.opcodeRange.end;
  if (operand.kind != OperandKind::Name || !source.text({end, operand.range.begin}).contains('\n') ||
      resolver.find(operand.name) || !isa::findMnemonic(ast.text(operand.name)))
    return false;
  sink.report(DiagId::ExpectedSemicolon, {end, end}, ast.text(instruction.opcode)).fix =
      Fix{"insert `;`", {{{end, end}, ";"}}, /*safe=*/true};
  return true;
}

/// Reports an instruction with more operands than any form has.
bool BodyReader::hasTooManyOperands(const Instruction &instruction) {
  if (instruction.operands.count <= mostOperands)
    return false;
  const Range range = ast.operands[instruction.operands.first + mostOperands].range;
  sink.report(DiagId::ExtraOperand, range, source.text(range), "`" + ast.text(instruction.opcode).str() + "`");
  return true;
}

void BodyReader::label(uint32_t index) {
  body.labels.push_back({index, body.size(), useAnywhere(ast.labels[index].name, 0)});
}

/// Adds the members of `M<2>` in a target list, M0 and M1, if they appear anywhere.
void BodyReader::targetFamily(const Operand &target) {
  for (int64_t i = 0; i < target.value; ++i) {
    const std::optional<NameId> member = memberOf(ast, target.name, i);
    if (!member)
      return;
    body.targets.push_back(useAnywhere(*member, Targets));
  }
}

void BodyReader::directive(uint32_t index) {
  const Directive &directive = ast.directives[index];
  const auto first = static_cast<uint32_t>(body.targets.size());
  if (directive.label != NameId::None)
    for (const Operand &target : ast.operandsOf(directive.operands)) {
      if (target.flags & HasOffset)
        targetFamily(target);
      else if (target.name != NameId::None)
        body.targets.push_back(useAnywhere(target.name, Targets));
    }
  body.directives.push_back({index, body.size(), {first, static_cast<uint32_t>(body.targets.size()) - first}});
}

void BodyReader::declaration(uint32_t index, const Extent &extent) {
  body.declarations.push_back({index, body.size(), extent});
}

/// Marks the shapes of registers with constant values.
static void markNumbers(uint32_t number, Values &values, llvm::MutableArrayRef<Shape> shapes) {
  for (const auto &[node, shape] : llvm::enumerate(shapes))
    if (shape.kind == ShapeKind::Register)
      if (const std::optional<int64_t> value = values.numberAt(number, static_cast<int>(node))) {
        shape.flags |= ShapeKnown;
        shape.value = *value;
      }
}

/// Updates the uses of names in an instruction that was finally accepted or rejected.
void BodyReader::setUses(uint32_t number, const Verdict &verdict) {
  const Instruction &instruction = body.instruction(number);
  uint8_t *uses = body.uses.data() + (instruction.names.first - body.firstName);
  auto use = verdict.facts->nodes.begin();
  for (const auto &[node, operand] : llvm::enumerate(ast.operandsOf(instruction.operands)))
    if (operand.kind == OperandKind::Name)
      *uses++ = use != verdict.facts->nodes.end() && use->node == node ? use++->uses : uint8_t(0);
}

/// Checks instructions for which a rule needs values of registers, once all writes to these are known.
void BodyReader::judgeLate() {
  Values values(body);
  for (const Late one : late) {
    const Instruction &instruction = body.instruction(one.number);
    const llvm::MutableArrayRef<Shape> shapes =
        llvm::MutableArrayRef(lateShapes).slice(one.shapes.first, one.shapes.count);
    markNumbers(one.number, values, shapes);
    const Opcode &opcode = verdicts.opcode(ast, instruction);
    const Verdict &verdict = verdicts.of(opcode, instruction, ast.operandsOf(instruction.operands), shapes);
    body.verdicts[one.number] = &verdict;
    setUses(one.number, verdict);
    const auto find = [&](NameId name) {
      const llvm::ArrayRef<LocalId> locals = body.namesOf(one.number);
      const auto found = llvm::find_if(locals, [&](LocalId local) { return body.nameOf(local) == name; });
      return found == locals.end() ? nullptr : body.symbol(*found);
    };
    if (verdict.findings)
      reportFindings(*verdict.findings, siteOf(instruction, find), sink);
  }
  clearNotes();
  body.definitions.clear();
  for (size_t local = 1; local < body.locals.size(); ++local)
    body.definitions.addName();
  for (uint32_t number = 0; number < body.size(); ++number) {
    note(number, body.facts(number).noted);
    body.definitions.note(body.namesOf(number), body.usesOf(number).data(), number);
  }
}

/// Returns whether a statement in the range could not be parsed.
static bool hasUnread(const Ast &ast, Range range) {
  const auto next = llvm::partition_point(ast.unread, [range](Range unread) { return unread.begin < range.begin; });
  return next != ast.unread.end() && next->begin < range.end;
}

const Body &BodyReader::end() {
  body.symbols = resolver.symbols();
  if (!late.empty())
    judgeLate();
  for (const Local &local : llvm::drop_begin(body.locals))
    byName[static_cast<uint32_t>(local.name)] = LocalId::None;
  ofBlocks.clear();
  body.isBroken = hasUnread(ast, body.function->range) ||
                  llvm::any_of(llvm::drop_begin(sink.diagnostics(), reportsBefore),
                               [](const Diagnostic &d) { return d.severity == Severity::Error; });
  return body;
}

} // namespace ptxray
