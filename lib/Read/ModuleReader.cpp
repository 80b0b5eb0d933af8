#include "Read/ModuleReader.h"
#include "Module/ModuleRules.h"

namespace ptxray {

static Range rangeOf(const Ast &ast, Statement statement) {
  switch (statement.kind) {
  case StatementKind::Declaration: return ast.declarations[statement.index].range;
  case StatementKind::Directive: return ast.directives[statement.index].range;
  case StatementKind::Function: return ast.functions[statement.index].head;
  default: return {};
  }
}

void ModuleReader::endHeader(Range place, bool isEmpty) {
  if (bodies)
    return;
  header.finish(place, isEmpty);
  Verdicts &verdicts = knowledge.verdictsFor(header.context());
  module.emplace(ast, header, verdicts.allows(), resolver, sink);
  all.emplace(ast, module->availabilityOfCode, options, sink);
  bodies.emplace(ast, source, verdicts, *module, resolver, sink, room.bodies);
}

const Body *ModuleReader::item(Statement statement) {
  if (statement.kind == StatementKind::Directive && header.read(ast, ast.directives[statement.index]))
    return nullptr;
  endHeader(rangeOf(ast, statement));
  if (statement.kind == StatementKind::Function)
    return function(statement.index);
  if (statement.kind == StatementKind::Declaration)
    variable(ast.declarations[statement.index]);
  else
    directive(ast.directives[statement.index]);
  return nullptr;
}

void ModuleReader::variable(const Declaration &declaration) {
  checkVariable(declaration, Site::Module, /*isAllocated=*/true, *module);
  const Extent extent = resolver.declare(declaration, DeclarationRole::Global);
  all->variable(declaration, extent, resolver.word(declaration.type));
}

void ModuleReader::directive(const Directive &directive) {
  checkModuleDirective(directive, *module);
  if (ast.text(directive.name) == ".alias")
    all->alias(directive);
}

const Body *ModuleReader::function(uint32_t index) {
  const Function &function = ast.functions[index];
  checkFunction(function, isa::InModule, *module);
  resolver.declareFunction(index);
  all->function(function);
  if (!function.hasBody || function.isPassedOver)
    return nullptr;
  const size_t before = sink.diagnostics().size();
  resolver.beginFunction(function);
  module->inEntry = function.kind == FunctionKind::Entry;
  bodies->begin(function);
  for (const Statement one : llvm::ArrayRef(ast.statements).slice(function.body.first, function.body.count))
    statement(one);
  const Body &body = bodies->end();
  isSound = sink.diagnostics().size() == before;
  return &body;
}

inline void ModuleReader::statement(Statement statement) {
  switch (statement.kind) {
  case StatementKind::Instruction: {
    const Instruction &one = ast.instructions[statement.index];
    return isJudged(one) ? bodies->instruction(one) : bodies->passOver();
  }
  case StatementKind::BrokenInstruction: return bodies->broken(ast.brokenInstructions[statement.index]);
  case StatementKind::Label: return bodies->label(statement.index);
  case StatementKind::BlockBegin: return resolver.beginBlock();
  case StatementKind::BlockEnd: return resolver.endBlock();
  case StatementKind::Declaration: return declarationInBody(statement.index);
  case StatementKind::Function: return functionInBody(ast.functions[statement.index]);
  case StatementKind::Directive:
    checkBodyDirective(ast.directives[statement.index], *module);
    return bodies->directive(statement.index);
  }
}

void ModuleReader::declarationInBody(uint32_t index) {
  checkVariable(ast.declarations[index], Site::Body, /*isAllocated=*/true, *module);
  const Extent extent = resolver.declare(ast.declarations[index], DeclarationRole::Local);
  all->variableOfBody(ast.declarations[index], extent);
  bodies->declaration(index, extent);
}

void ModuleReader::functionInBody(const Function &function) {
  checkFunction(function, module->inEntry ? isa::InEntry : isa::InFunction, *module);
  if (function.kind == FunctionKind::Func) // belongs to the module
    all->function(function);
  else
    all->preserved(function);
}

void ModuleReader::finish() {
  const uint32_t end = static_cast<uint32_t>(source.text().size());
  endHeader({end, end}, /*isEmpty=*/true);
  all->finish();
  checkDebugInfo(*module);
}

} // namespace ptxray
