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
  const bool isSound = sink.diagnostics().size() == reportsOfItems; // nothing is wrong with its syntax
  const Body *body = reader.item(statement);
  if (body) {
    const size_t reportsRead = sink.diagnostics().size();
    const BodyContext context = {reader.state(), options, sink};
    Analyses analyses(*body, reader.state());
    if (checkBody(*body, context, analyses))
      checkHazards(*body, sink, analyses, source);
    reportLimits(*body, context, analyses);
    leave(*body, analyses, isSound && reader.isLastBodySound(), reportsRead, memory);
  } else if (statement.kind == StatementKind::Function && ast.functions[statement.index].isPassedOver) {
    assert(memory && "bodies are passed over for a check that remembers them");
    recall(ast.functions[statement.index], *memory);
  }
  reportsOfItems = sink.diagnostics().size();
  return body;
}

/// Leaves a function with what other items and the next check need to know of it.
void ModuleCheck::leave(const Body &body, Analyses &analyses, bool isSound, size_t reportsRead, Memory *memory) {
  const Function &function = *body.function;
  ModuleState &module = reader.state();
  const bool quiet = function.kind == FunctionKind::Func && isQuiet(body);
  if (quiet)
    module.quietFunctions.insert(static_cast<uint32_t>(function.name));
  FunctionSummary summary = summaryOf(body, module, analyses);
  reader.close();
  if (memory) {
    memory->now.item.isQuiet = quiet;
    remember(function, reportsRead, isSound, summary, *memory);
  }
  reader.limits().body(std::move(summary));
}

/// Reports again what was found in a body that no edit touched, and applies what follows from it.
void ModuleCheck::recall(const Function &function, Memory &memory) {
  const KnownItem *before = memory.before;
  memory.now.holds = before && before->body;
  if (!memory.now.holds)
    return;
  sink.append(recalledFindings(*before->body, function));
  if (before->isQuiet)
    reader.state().quietFunctions.insert(static_cast<uint32_t>(function.name));
  reader.limits().body(recalled(*before->body, ast, function));
  memory.now.item.body = before->body;
  memory.now.item.isQuiet = before->isQuiet;
}

void ModuleCheck::remember(const Function &function, size_t reportsRead, bool isSound, const FunctionSummary &summary,
                           Memory &memory) {
  const KnownItem *before = memory.before;
  KnownItem &now = memory.now.item;
  // A name that is not declared is compared with all names of the text, and a line with an error may have declared it.
  memory.now.holds = !reader.hasUnknownNames() && !reader.state().metadata.exists &&
                     !(before && changesOthers(ast, function, *before, now.isQuiet));
  if (isSound && ast.lost.empty()) {
    const auto findings = llvm::drop_begin(sink.diagnostics(), reportsRead);
    now.body = knownBody(ast, function, summary, {findings.begin(), findings.end()});
  }
  if (!now.body && before && !before->isEdited) // it was read beside a fault
    now.body = before->body;
}

} // namespace ptxray
