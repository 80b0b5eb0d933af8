#include "Check/ModuleCheck.h"
#include "BodyRules/BodyRules.h"
#include "Hazards/Hazards.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

ModuleCheck::Again ModuleCheck::itemAgain(Statement statement, const KnownItem *before) {
  Memory memory{before, {placeOfItem(ast, statement)}};
  item(statement, &memory);
  return std::move(memory.now);
}

const Body *ModuleCheck::item(Statement statement, Memory *memory) {
  const bool isSound = sink.diagnostics().size() == reportsOfItems; // no syntax errors
  const Body *body = reader.item(statement);
  if (body) {
    const size_t reportsRead = sink.diagnostics().size();
    const BodyContext context = {reader.state(), options, sink};
    Analyses analyses(*body, reader.state());
    if (checkBody(*body, context, analyses))
      checkHazards(*body, context, analyses, source);
    reportLimits(*body, context, analyses);
    leave(*body, analyses, isSound && reader.isLastBodySound(), reportsRead, memory);
  } else if (statement.kind == StatementKind::Function && ast.functions[statement.index].isPassedOver) {
    assert(memory && "bodies are passed over for a check that remembers them");
    recall(ast.functions[statement.index], *memory);
  }
  reportsOfItems = sink.diagnostics().size();
  return body;
}

/// Records the properties of a function that other items and the next check need.
void ModuleCheck::leave(const Body &body, Analyses &analyses, bool isSound, size_t reportsRead, Memory *memory) {
  const Function &function = *body.function;
  ModuleState &module = reader.state();
  const bool quiet = function.kind == FunctionKind::Func && isQuiet(body);
  const bool global = function.kind == FunctionKind::Func && accessesGlobal(body);
  noteFunction(function, quiet, global);
  FunctionSummary summary = summaryOf(body, module, analyses);
  reader.close();
  if (memory) {
    memory->now.item.isQuiet = quiet;
    memory->now.item.accessesGlobal = global;
    remember(function, reportsRead, isSound, summary, *memory);
  }
  reader.limits().body(std::move(summary));
}

/// Records the properties of a function that its callers need.
void ModuleCheck::noteFunction(const Function &function, bool isQuiet, bool accessesGlobal) {
  if (isQuiet)
    reader.state().quietFunctions.insert(static_cast<uint32_t>(function.name));
  if (accessesGlobal)
    reader.state().globalFunctions.insert(static_cast<uint32_t>(function.name));
}

/// Repeats the findings in a body without edits, and their consequences.
void ModuleCheck::recall(const Function &function, Memory &memory) {
  const KnownItem *before = memory.before;
  memory.now.holds = before && before->body;
  if (!memory.now.holds)
    return;
  sink.append(recalledFindings(*before->body, function));
  noteFunction(function, before->isQuiet, before->accessesGlobal);
  reader.limits().body(recalled(*before->body, ast, function));
  memory.now.item.body = before->body;
  memory.now.item.isQuiet = before->isQuiet;
  memory.now.item.accessesGlobal = before->accessesGlobal;
}

void ModuleCheck::remember(const Function &function, size_t reportsRead, bool isSound, const FunctionSummary &summary,
                           Memory &memory) {
  const KnownItem *before = memory.before;
  KnownItem &now = memory.now.item;
  // An undeclared name is compared with all names of the module, and may be declared by a line with an error.
  memory.now.holds = !reader.hasUnknownNames() && !reader.state().metadata.exists &&
                     !(before && changesOthers(ast, function, *before, now));
  if (isSound && ast.lost.empty()) {
    const auto findings = llvm::drop_begin(sink.diagnostics(), reportsRead);
    now.body = knownBody(ast, function, summary, {findings.begin(), findings.end()});
  }
  if (!now.body && before && !before->isEdited) // read next to an error
    now.body = before->body;
}

} // namespace ptxray
