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

ModuleCheck::Again ModuleCheck::itemAgain(Statement statement, const KnownItem *before) {
  Memory memory{before, {placeOfItem(ast, statement)}};
  item(statement, &memory);
  return std::move(memory.now);
}

const Body *ModuleCheck::item(Statement statement, Memory *memory) {
  const Body *body = nullptr;
  if (statement.kind != StatementKind::Directive || !header.read(ast, ast.directives[statement.index])) {
    endHeader(rangeOf(ast, statement));
    switch (statement.kind) {
    case StatementKind::Function: body = function(statement.index, memory); break;
    case StatementKind::Declaration: variable(ast.declarations[statement.index]); break;
    default: directive(ast.directives[statement.index]);
    }
  }
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

const Body *ModuleCheck::function(uint32_t index, Memory *memory) {
  const Function &function = ast.functions[index];
  bool isSound = sink.diagnostics().size() == reportsOfItems; // nothing is wrong with its syntax
  checkFunction(function, isa::InModule, *module);
  resolver.declareFunction(index);
  limits->function(function);
  if (!function.hasBody)
    return nullptr;
  if (function.isPassedOver) {
    assert(memory && "bodies are passed over for a check that remembers them");
    recall(function, *memory);
    return nullptr;
  }
  const size_t before = sink.diagnostics().size();
  const Body &body = readBody(function);
  if (rules == Rules::Left) {
    resolver.endFunction();
    return &body;
  }
  const size_t read = sink.diagnostics().size();
  isSound &= read == before;
  const BodyContext context = {*module, options, sink};
  Analyses analyses(body, *module);
  if (checkBody(body, context, analyses))
    checkHazards(body, context, analyses, source);
  reportLimits(body, context, analyses);
  const bool quiet = function.kind == FunctionKind::Func && isQuiet(body);
  const bool global = function.kind == FunctionKind::Func && accessesGlobal(body);
  noteFunction(function, quiet, global);
  FunctionSummary summary = summaryOf(body, *module, analyses);
  resolver.endFunction();
  if (memory) {
    memory->now.item.isQuiet = quiet;
    memory->now.item.accessesGlobal = global;
    remember(function, read, isSound, summary, *memory);
  }
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

/// Notes what the callers of a function must know of it.
void ModuleCheck::noteFunction(const Function &function, bool isQuiet, bool accessesGlobal) {
  if (isQuiet)
    module->quietFunctions.insert(static_cast<uint32_t>(function.name));
  if (accessesGlobal)
    module->globalFunctions.insert(static_cast<uint32_t>(function.name));
}

/// Reports again what was found in a body that no edit touched, and applies what follows from it.
void ModuleCheck::recall(const Function &function, Memory &memory) {
  const KnownItem *before = memory.before;
  memory.now.holds = before && before->body;
  if (!memory.now.holds)
    return;
  sink.append(recalledFindings(*before->body, function));
  noteFunction(function, before->isQuiet, before->accessesGlobal);
  limits->body(recalled(*before->body, ast, function));
  memory.now.item.body = before->body;
  memory.now.item.isQuiet = before->isQuiet;
  memory.now.item.accessesGlobal = before->accessesGlobal;
}

void ModuleCheck::remember(const Function &function, size_t reportsRead, bool isSound, const FunctionSummary &summary,
                           Memory &memory) {
  const KnownItem *before = memory.before;
  KnownItem &now = memory.now.item;
  // A name that is not declared is compared with all names of the text, and a line with an error may have declared it.
  memory.now.holds = !resolver.hasUnknownNames() && !module->metadata.exists &&
                     !(before && changesOthers(ast, function, *before, now));
  if (isSound && ast.lost.empty()) {
    const auto findings = llvm::drop_begin(sink.diagnostics(), reportsRead);
    now.body = knownBody(ast, function, summary, {findings.begin(), findings.end()});
  }
  if (!now.body && before && !before->isEdited) // it was read beside a fault
    now.body = before->body;
}

inline void ModuleCheck::statement(Statement statement) {
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
