#include "Check/ModuleCheck.h"
#include "Hazards/Hazards.h"
#include "Module/ModuleRules.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static Range rangeOf(const Ast &ast, Statement statement) {
  switch (statement.kind) {
  case StatementKind::Declaration: return ast.declarations[statement.index].range;
  case StatementKind::Directive: return ast.directives[statement.index].range;
  case StatementKind::Function: return ast.functions[statement.index].head;
  default: return {};
  }
}

void ModuleCheck::endHeader(Range place, bool isEmpty) {
  if (bodies)
    return;
  header.finish(place, isEmpty);
  Verdicts &verdicts = knowledge.verdictsFor(header.context());
  module.emplace(ast, header, verdicts.allows(), resolver, sink);
  limits.emplace(ast, module->availabilityOfCode, options, sink);
  bodies.emplace(ast, source, verdicts, *module, resolver, sink, room.bodies);
}

const Body *ModuleCheck::item(Statement statement) {
  const Body *body = nullptr;
  if (statement.kind != StatementKind::Directive || !header.read(ast, ast.directives[statement.index])) {
    endHeader(rangeOf(ast, statement));
    switch (statement.kind) {
    case StatementKind::Function: body = function(statement.index); break;
    case StatementKind::Declaration: variable(ast.declarations[statement.index]); break;
    default: directive(ast.directives[statement.index]);
    }
  }
  if (known)
    known->item(ast, statement);
  reportsOfItems = sink.diagnostics().size();
  return body;
}

void ModuleCheck::variable(const Declaration &declaration) {
  checkVariable(declaration, Site::Module, /*isAllocated=*/true, *module);
  const Extent extent = resolver.declare(declaration, DeclarationRole::Global);
  limits->variable(declaration, extent, resolver.word(declaration.type));
}

void ModuleCheck::directive(const Directive &directive) {
  checkModuleDirective(directive, *module);
  if (ast.text(directive.name) == ".alias")
    limits->alias(directive);
}

const Body *ModuleCheck::function(uint32_t index) {
  const Function &function = ast.functions[index];
  bool isSound = sink.diagnostics().size() == reportsOfItems; // nothing is wrong with its syntax
  checkFunction(function, isa::InModule, *module);
  resolver.declareFunction(index);
  limits->function(function);
  if (!function.hasBody)
    return nullptr;
  if (function.isPassedOver) {
    recall(function);
    return nullptr;
  }
  const size_t before = sink.diagnostics().size();
  const Body &body = readBody(function);
  if (!appliesRules) {
    resolver.endFunction();
    return &body;
  }
  const size_t read = sink.diagnostics().size();
  isSound &= read == before;
  const BodyContext context = {*module, options, sink};
  Analyses analyses(body, *module);
  if (checkBody(body, context, analyses))
    checkHazards(body, context, analyses, source);
  const bool quiet = function.kind == FunctionKind::Func && isQuiet(body);
  if (quiet)
    module->quietFunctions.insert(static_cast<uint32_t>(function.name));
  FunctionSummary summary = summaryOf(body, *module, analyses);
  resolver.endFunction();
  if (known)
    remember(function, read, isSound, summary, quiet);
  limits->body(std::move(summary));
  return &body;
}

const Body &ModuleCheck::readBody(const Function &function) {
  resolver.beginFunction(function);
  module->inEntry = function.kind == FunctionKind::Entry;
  bodies->begin(function);
  for (const Statement one : llvm::ArrayRef(ast.statements).slice(function.body.first, function.body.count))
    statement(one);
  return bodies->end();
}

/// Repeats the findings in an unedited body, and their consequences.
void ModuleCheck::recall(const Function &function) {
  const KnownBody *body = known->passedOver(function);
  if (!body)
    return known->fail();
  sink.append(recalledFindings(*body, function));
  if (known->wasQuiet())
    module->quietFunctions.insert(static_cast<uint32_t>(function.name));
  limits->body(recalled(*body, ast, function));
}

void ModuleCheck::remember(const Function &function, size_t reportsRead, bool isSound, const FunctionSummary &summary,
                           bool isQuiet) {
  // An undeclared name is compared with all names of the text, and a line with an error may have declared it.
  if (resolver.hasUnknownNames() || module->metadata.exists || known->changesOthers(ast, function, isQuiet))
    known->fail();
  std::unique_ptr<KnownBody> body;
  if (isSound && ast.lost.empty()) {
    const auto findings = llvm::drop_begin(sink.diagnostics(), reportsRead);
    body = knownBody(ast, function, summary, {findings.begin(), findings.end()});
  }
  known->read(std::move(body), isQuiet);
}

inline void ModuleCheck::statement(Statement statement) {
  switch (statement.kind) {
  case StatementKind::Instruction: return instruction(ast.instructions[statement.index]);
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

void ModuleCheck::declarationInBody(uint32_t index) {
  checkVariable(ast.declarations[index], Site::Body, /*isAllocated=*/true, *module);
  const Extent extent = resolver.declare(ast.declarations[index], DeclarationRole::Local);
  limits->variableOfBody(ast.declarations[index], extent);
  bodies->declaration(index, extent);
}

void ModuleCheck::functionInBody(const Function &function) {
  checkFunction(function, module->inEntry ? isa::InEntry : isa::InFunction, *module);
  if (function.kind == FunctionKind::Func) // it belongs to the module
    limits->function(function);
  else
    limits->preserved(function);
}

void ModuleCheck::finish() {
  const uint32_t end = static_cast<uint32_t>(source.text().size());
  endHeader({end, end}, /*isEmpty=*/true);
  limits->finish();
  checkDebugInfo(*module);
}

} // namespace ptxray
