#include "Check/CheckModule.h"
#include "Check/Suppressions.h"
#include "Flow/Body.h"
#include "Flow/Constants.h"
#include "Match/Match.h"
#include "Module/Header.h"
#include "Module/ModuleRules.h"
#include "Parse/Parse.h"
#include "Resolve/Resolver.h"

namespace ptxray {
namespace {

/// Sees the items of one module in order and hands each to the step that checks it.
class ModuleChecker {
public:
  ModuleChecker(const Ast &ast, const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink)
      : ast(ast), source(source), options(options), sink(sink), header(source, options, sink), resolver(ast, sink),
        constants(ast) {}

  void item(Statement statement);
  void finish();
  ModuleSummary summary() const { return header.summary(); }
  std::vector<Range> functions; // behind the first comment for ptxray

private:
  void endHeader(Range place, bool isEmpty = false);
  void function(uint32_t index);
  void body(const Function &function);
  [[gnu::noinline]] void other(Statement statement);
  void instruction(const Function &function, const Instruction &instruction);
  [[gnu::noinline]] void unusual(const Function &function, const Instruction &instruction, uint64_t print);
  void brokenInstruction(const Instruction &instruction);
  InstructionSite siteOf(const Opcode &opcode, const Instruction &instruction) {
    return {opcode, header.context(), ast, source, instruction, resolver};
  }
  bool isMissingSemicolon(const Instruction &instruction);
  bool hasTooManyOperands(const Instruction &instruction);

  const Ast &ast;
  const SourceBuffer &source;
  const CheckOptions &options;
  DiagnosticSink &sink;
  Header header;
  Resolver resolver;
  Constants constants;
  std::optional<Verdicts> verdicts; // once the header is read
  std::optional<ModuleRules> rules;
  std::optional<Limits> limits;
  std::optional<BodyChecker> bodies;
  llvm::SmallVector<Shape, 32> shapes;
};

Range rangeOf(const Ast &ast, Statement statement) {
  switch (statement.kind) {
  case StatementKind::Declaration: return ast.declarations[statement.index].range;
  case StatementKind::Directive: return ast.directives[statement.index].range;
  case StatementKind::Function: return ast.functions[statement.index].head;
  default: return {};
  }
}

void ModuleChecker::endHeader(Range place, bool isEmpty) {
  if (verdicts)
    return;
  header.finish(place, isEmpty);
  verdicts.emplace(header.context());
  rules.emplace(ast, header, resolver, sink);
  limits.emplace(ast, header.context(), options, sink);
  bodies.emplace(ast, header.context(), options, *rules, resolver, sink);
}

void ModuleChecker::item(Statement statement) {
  if (statement.kind == StatementKind::Directive && header.read(ast, ast.directives[statement.index]))
    return;
  endHeader(rangeOf(ast, statement));
  if (statement.kind == StatementKind::Declaration) {
    const Declaration &declaration = ast.declarations[statement.index];
    rules->variable(declaration, Site::Module);
    resolver.declare(declaration, Role::Global);
    limits->variable(declaration, resolver.extentOf(declaration).bytes);
  } else if (statement.kind == StatementKind::Function) {
    function(statement.index);
  } else {
    const Directive &directive = ast.directives[statement.index];
    rules->moduleDirective(directive);
    if (ast.text(directive.name) == ".alias" && directive.operands.count)
      limits->alias(ast.operands[directive.operands.first].name);
  }
}

void ModuleChecker::function(uint32_t index) {
  const Function &function = ast.functions[index];
  rules->function(function);
  resolver.declareFunction(index);
  limits->function(function);
  if (!function.hasBody)
    return;
  resolver.beginFunction(function);
  bodies->begin(function);
  rules->beginBody(function);
  body(function);
  limits->body(bodies->end(function));
  resolver.endFunction();
}

void ModuleChecker::body(const Function &function) {
  constants.forget();
  for (const Statement statement : llvm::ArrayRef(ast.statements).slice(function.body.first, function.body.count))
    if (statement.kind == StatementKind::Instruction)
      instruction(function, ast.instructions[statement.index]);
    else
      other(statement);
}

void ModuleChecker::other(Statement statement) {
  switch (statement.kind) {
  case StatementKind::Declaration:
    rules->variable(ast.declarations[statement.index], Site::Body);
    resolver.declare(ast.declarations[statement.index], Role::Local);
    bodies->declaration(ast.declarations[statement.index]);
    break;
  case StatementKind::BrokenInstruction:
    if (!options.visitor)
      brokenInstruction(ast.brokenInstructions[statement.index]);
    break;
  case StatementKind::BlockBegin: resolver.beginBlock(); break;
  case StatementKind::BlockEnd: resolver.endBlock(); break;
  case StatementKind::Function:
    rules->function(ast.functions[statement.index]);
    if (ast.functions[statement.index].kind == FunctionKind::Func)
      limits->function(ast.functions[statement.index]);
    break;
  case StatementKind::Directive:
    rules->bodyDirective(ast.directives[statement.index]);
    bodies->directive(ast.directives[statement.index]);
    break;
  case StatementKind::Label: bodies->label(ast.labels[statement.index]); break;
  case StatementKind::Instruction: break;
  }
}

inline void ModuleChecker::instruction(const Function &function, const Instruction &instruction) {
  if (!resolver.checkGuard(instruction)) [[unlikely]]
    rules->requireGuard(instruction.guard, instruction.guardRange);
  const uint64_t print = resolver.fingerprint(instruction);
  // Mostly all names are plain ones and an equal instruction was judged before: then nobody asks for the opcode.
  const Verdict *verdict = verdicts->find(print);
  if (verdict && verdict->plain.known && !resolver.isInBlock()) [[likely]]
    bodies->plain(instruction, verdict->plain, *verdict->usage);
  else
    unusual(function, instruction, print);
}

void ModuleChecker::unusual(const Function &function, const Instruction &instruction, uint64_t print) {
  const Opcode &opcode = verdicts->opcode(ast, instruction);
  const llvm::ArrayRef<Operand> nodes = ast.operandsOf(instruction.operands);
  const Verdict *verdict = nullptr;
  if (print && !opcode.readsRegisters)
    verdict = verdicts->find(opcode.readsValues ? withValues(print, nodes) : print);
  if (!verdict) {
    if (isMissingSemicolon(instruction) || hasTooManyOperands(instruction))
      return;
    resolver.shapes(instruction.operands, shapes);
    if (options.visitor) {
      options.visitor(header.context(), ast, instruction, shapes);
      if (opcode.mayCall)
        rules->call(instruction);
      return;
    }
    if (opcode.readsRegisters)
      constants.fill(function, instruction.operands, shapes);
    verdict = &verdicts->of(opcode, instruction, nodes, shapes);
  }
  if (verdict->findings)
    reportFindings(*verdict->findings, siteOf(opcode, instruction), sink);
  if (opcode.mayCall)
    rules->call(instruction);
  bodies->instruction(instruction, *verdict->usage);
}

void ModuleChecker::brokenInstruction(const Instruction &instruction) {
  const Opcode &opcode = verdicts->opcode(ast, instruction);
  reportFindings(verdicts->ofWords(opcode), siteOf(opcode, instruction), sink);
}

/// `trap` without its semicolon, and `exit;` on the next line, look like an instruction and its operand.
bool ModuleChecker::isMissingSemicolon(const Instruction &instruction) {
  if (instruction.operands.count != 1)
    return false;
  const Operand &operand = ast.operands[instruction.operands.first];
  const uint32_t end = instruction.opcodeRange.end;
  if (operand.kind != OperandKind::Name || !source.text({end, operand.range.begin}).contains('\n') ||
      resolver.find(operand.name) || !isa::findMnemonic(ast.text(operand.name)))
    return false;
  sink.report(DiagId::ExpectedSemicolon, {end, end}, {ast.text(instruction.opcode).str()}).fix =
      Fix{"insert `;`", {{{end, end}, ";"}}, /*safe=*/true};
  return true;
}

/// No instruction has so many, and the engine counts them in 16 bits.
bool ModuleChecker::hasTooManyOperands(const Instruction &instruction) {
  constexpr uint32_t most = 10'000;
  if (instruction.operands.count <= most)
    return false;
  const Range range = ast.operands[instruction.operands.first + most].range;
  sink.report(DiagId::ExtraOperand, range, {source.text(range).str(), "`" + ast.text(instruction.opcode).str() + "`"});
  return true;
}

void ModuleChecker::finish() {
  uint32_t end = static_cast<uint32_t>(source.text().size());
  endHeader({end, end}, /*isEmpty=*/true);
  limits->finish();
  rules->finish();
}

} // namespace

bool isWanted(Diagnostic &diagnostic, const CheckOptions &options) {
  switch (options.levels.of(diagnostic.id)) {
  case RuleLevel::Off: return false;
  case RuleLevel::On: break;
  case RuleLevel::Warning: diagnostic.severity = Severity::Warning; return true;
  case RuleLevel::Error: diagnostic.severity = Severity::Error; return true;
  case RuleLevel::Default:
    if (diagnostic.severity == Severity::Pedantic && !options.pedantic)
      return false;
  }
  if (options.werror)
    diagnostic.severity = Severity::Error;
  return true;
}

ModuleSummary checkSource(const SourceBuffer &source, const CheckOptions &options, DiagnosticSink &sink) {
  Parser parser;
  ModuleChecker checker(parser.ast(), source, options, sink);
  parser.parse(source, sink, /*keepBodies=*/false, [&](const Ast &ast, Statement statement) {
    checker.item(statement);
    if (statement.kind == StatementKind::Function && !parser.comments().empty())
      checker.functions.push_back(ast.functions[statement.index].range);
  });
  checker.finish();
  applySuppressions(source, parser.comments(), checker.functions, options, sink);
  sink.eraseIf([&](Diagnostic &d) { return !isWanted(d, options); });
  sink.sort();
  return checker.summary();
}

} // namespace ptxray
