// The summary of a function body lists what the body uses of its module, for rules about kernels and the functions that
// they call.
#include "BodyRules/BodyRules.h"
#include "Isa/Words.h"
#include "Module/KernelHead.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {
namespace {

class Summariser {
public:
  Summariser(const Body &body, const ModuleState &module, Analyses &analyses)
      : body(body), module(module), analyses(analyses), result(summaryOfHead(*body.ast, *body.function)) {}
  FunctionSummary summary();

private:
  void declarations();
  void pragmas();
  void instruction(uint32_t number);
  void change(uint32_t number);
  uint32_t occupiedIfRead(uint32_t number);
  bool isReadAfter(uint32_t number, int16_t node);
  void named();
  RegisterUse use(uint32_t number, uint32_t registers) const {
    const Instruction &one = body.instruction(number);
    return {registers, one.opcodeRange, one.opcode};
  }
  bool isReached(uint32_t number) {
    return analyses.isTangled() || analyses.graph().isReached(analyses.graph().blockOf(number));
  }

  const Body &body;
  const ModuleState &module;
  Analyses &analyses;
  std::vector<uint32_t> lastRead; // if requested, indexed by LocalId: number of the instruction plus 1; 0 for none
  FunctionSummary result;
};

} // namespace

static void setFirst(Range &range, Range place) {
  if (!range.size())
    range = place;
}

static void setGreatest(RegisterUse &greatest, const RegisterUse &use) {
  if (use.registers > greatest.registers)
    greatest = use;
}

FunctionSummary summaryOfHead(const Ast &ast, const Function &function) {
  FunctionSummary result;
  result.name = function.name;
  result.kind = function.kind;
  result.nameRange = function.nameRange;
  const llvm::StringRef linkage = function.linkage == SpellingId::None ? llvm::StringRef() : ast.text(function.linkage);
  result.isExported = linkage == ".visible" || linkage == ".weak";
  if (function.kind != FunctionKind::Entry)
    return result;
  result.head = headOf(ast, function);
  for (const Declaration &parameter :
       llvm::ArrayRef(ast.declarations).slice(function.parameters.first, function.parameters.count))
    if (parameter.ptrSpace != SpellingId::None && ast.text(parameter.ptrSpace) == ".const")
      setFirst(result.constantPointer, parameter.range);
  return result;
}

void Summariser::declarations() {
  for (const PlacedDeclaration &placed : body.declarations) {
    const Declaration &declaration = body.ast->declarations[placed.index];
    const llvm::StringRef space = body.ast->text(declaration.space);
    if (space == ".shared" && declaration.linkage == SpellingId::None)
      result.shared.push_back(placed.extent);
    else if (space == ".local")
      result.localBytes += placed.extent.bytes;
  }
}

void Summariser::pragmas() {
  const llvm::StringRef spilling = isa::pragma(isa::PragmaId::EnableSmemSpilling).name();
  for (const PlacedDirective &placed : body.directives) {
    const Directive &directive = body.ast->directives[placed.index];
    for (const Operand &string : body.ast->operandsOf(directive.operands))
      if (string.kind == OperandKind::String && body.ast->text(string.name).drop_front().drop_back() == spilling)
        setFirst(result.spilling, string.range);
  }
}

/// Returns whether a later instruction does more than add to the value that this instruction writes to the operand.
bool Summariser::isReadAfter(uint32_t number, int16_t node) {
  if (lastRead.empty()) {
    lastRead.resize(body.locals.size());
    for (uint32_t i = 0; i < body.size(); ++i)
      body.eachUse(i, [&](NamedUse use) {
        if (use.uses & Reads)
          lastRead[static_cast<uint32_t>(use.local)] = i + 1;
      });
  }
  const Operand *nodes = body.operands(number).data();
  bool isRead = false;
  body.eachUse(number, [&](NamedUse use) {
    const bool isPart = &use.operand >= nodes + node && &use.operand < nodes + node + nodes[node].extent;
    isRead |= isPart && lastRead[static_cast<uint32_t>(use.local)] > number + 1;
  });
  return isRead;
}

uint32_t Summariser::occupiedIfRead(uint32_t number) {
  uint32_t registers = 0;
  for (const Action &action : body.facts(number).actions)
    if (action.kind == FactKind::Occupies && isReadAfter(number, action.condition))
      registers += static_cast<uint32_t>(action.number);
  return registers;
}

/// Records a change of the register count. ptxas ignores changes in unreachable code.
void Summariser::change(uint32_t number) {
  const llvm::ArrayRef<Operand> nodes = body.operands(number);
  for (const Action &action : body.facts(number).actions)
    if ((action.kind == FactKind::Grows || action.kind == FactKind::Shrinks) && isReached(number))
      setGreatest(action.kind == FactKind::Grows ? result.grows : result.shrinks,
                  use(number, static_cast<uint32_t>(nodes[action.node].value)));
}

void Summariser::instruction(uint32_t number) {
  const Facts &facts = body.facts(number);
  const Range place = body.instruction(number).opcodeRange;
  if (facts.ctas)
    setFirst(facts.ctas == 1 ? result.oneCta : result.ctaPair, place);
  if (facts.occupied)
    setGreatest(result.occupied, use(number, facts.occupied + occupiedIfRead(number)));
  if (facts.bounded)
    setGreatest(result.bounded, use(number, facts.bounded));
  if (facts.has(FactKind::Grows) || facts.has(FactKind::Shrinks))
    change(number);
  if (facts.convertsConstant && !result.constantConversion.size()) {
    result.constantConversion = place;
    result.conversion = body.instruction(number).opcode;
  }
  if (facts.has(FactKind::Branches) && !body.targets.empty() && !result.table.targets && isReached(number))
    result.table = branchTable(body, number, module.limitOfCode(isa::LimitId::BranchTargets));
  if (facts.has(FactKind::Calls) && !(facts.uses & Calls))
    setFirst(result.indirectCall, place);
}

/// Records the first use of each function as a callee, the first as an address, and whether any of these uses is
/// reachable.
void Summariser::named() {
  llvm::DenseSet<uint32_t> members;
  // Uses as an address, and as a callee: from local to the index of the reference plus 1.
  llvm::DenseMap<uint32_t, uint32_t> known[2];
  for (const uint32_t number : body.notable) {
    if (!(body.facts(number).uses & (Calls | Names)))
      continue;
    body.eachUse(number, [&](NamedUse use) {
      const bool isCall = use.uses & Calls;
      const Symbol *symbol = use.uses & (Calls | Names) ? body.symbol(use.local) : nullptr;
      if (symbol && symbol->kind == SymbolKind::Variable && symbol->familyCount &&
          members.insert(static_cast<uint32_t>(use.operand.name)).second)
        result.members.push_back(
            {use.operand.name, symbol->space, symbol->extent, symbol->depth != 0, symbol->nameRange});
      if (!symbol || symbol->depth != 0)
        return;
      uint32_t &place = known[isCall][static_cast<uint32_t>(use.local)];
      if (symbol->kind == SymbolKind::Variable && !place) {
        result.variables.push_back(use.operand.name);
        place = static_cast<uint32_t>(result.variables.size());
      } else if (symbol->kind == SymbolKind::Function && !place) {
        result.functions.push_back({use.operand.name, use.operand.range, isCall, isReached(number)});
        place = static_cast<uint32_t>(result.functions.size());
      } else if (symbol->kind == SymbolKind::Function && !result.functions[place - 1].isExecuted) {
        result.functions[place - 1].isExecuted = isReached(number);
      }
    });
  }
}

FunctionSummary Summariser::summary() {
  declarations();
  pragmas();
  for (const uint32_t number : body.notable)
    instruction(number);
  named();
  return std::move(result);
}

FunctionSummary summaryOf(const Body &body, const ModuleState &module, Analyses &analyses) {
  return Summariser(body, module, analyses).summary();
}

} // namespace ptxray
