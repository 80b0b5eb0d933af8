#include "Pages/FactsText.h"
#include "Isa/FactNames.h"
#include "Isa/Isa.h"
#include "Parse/Parse.h"
#include "Read/ReadModule.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

namespace {

using isa::FactKind;

class FactsWriter {
public:
  FactsWriter(const Facts &facts, llvm::function_ref<std::string(unsigned)> textOf) : facts(facts), textOf(textOf) {}

  std::string write() {
    if (!facts.known)
      return "unknown";
    names([](uint8_t use) { return use & Reads && !(use & Addresses); }, "reads");
    names([](uint8_t use) { return (use & Updates) == Updates && !(use & Reads); }, "updates");
    names([](uint8_t use) { return use & Writes && !(use & Passes); }, "writes");
    names([](uint8_t use) { return use & Reads && use & Passes; }, "passes");
    names([](uint8_t use) { return (use & Names) != 0; }, "names");
    for (const Access &access : facts.accesses)
      this->access(access);
    for (const Action &action : facts.actions)
      this->action(action);
    if (facts.has(FactKind::Copies))
      begin() += "copies";
    if (facts.ctas)
      begin() += "ctas " + std::to_string(facts.ctas);
    if (facts.occupied) // actions may specify additional registers for the case that a result is used
      begin() += "occupies " + std::to_string(facts.occupied);
    if (facts.bounded)
      begin() += "bounded " + std::to_string(facts.bounded);
    if (facts.products)
      begin() += "multiplies " + std::to_string(facts.products);
    if (facts.computation.isKnown)
      computation(facts.computation);
    if (facts.hasAddress32)
      begin() += "32-bit address";
    return out;
  }

private:
  std::string &begin() { return out += out.empty() ? "" : "; "; }
  static std::string text(isa::Text text) { return std::string(text); }
  void word(isa::Text text) { out += " " + std::string(text); }
  void node(const char *before, int node) {
    if (node >= 0)
      out += before + textOf(static_cast<unsigned>(node));
  }

  /// Lists names. Abbreviates long runs, such as those of a matrix, to their first and last name.
  void names(llvm::function_ref<bool(uint8_t)> isMeant, const char *verb) {
    std::vector<unsigned> nodes;
    for (NodeUse one : facts.nodes)
      if (isMeant(one.uses))
        nodes.push_back(one.node);
    if (nodes.empty())
      return;
    begin() += verb;
    for (size_t i = 0; i < nodes.size(); ++i)
      if (nodes.size() <= 6 || i == 0)
        node(" ", static_cast<int>(nodes[i]));
      else if (i + 1 == nodes.size())
        node(" .. ", static_cast<int>(nodes[i]));
  }

  void access(const Access &access) {
    begin() += text(isa::accessNames[static_cast<size_t>(access.kind)]);
    node(" ", access.node);
    if (access.bytes)
      out += " " + std::to_string(access.bytes) + (access.isLeast ? "+" : "");
    if (access.space)
      word(isa::word(access.space).text());
    if (access.isGeneric)
      out += " generic";
  }

  void groups(const char *before, uint16_t groups) {
    for (size_t i = 0; i < isa::tables().groups.size(); ++i)
      if (groups >> i & 1) {
        out += before + text(isa::tables().groups[i]());
        before = ", ";
      }
  }

  /// Adds the amount: the node that contains it, or a number.
  void amount(const char *before, const Action &action) {
    if (action.amount >= 0)
      node(before, action.amount);
    else if (action.number)
      out += before + std::to_string(action.number);
  }

  void action(const Action &action) {
    begin() += text(isa::factNames[static_cast<size_t>(action.kind)]);
    const bool isScope = action.node < 0 || (action.kind != FactKind::Arrives && action.kind != FactKind::Awaits);
    if (const isa::DetailNames names = isa::detailNames(action.kind); names.count && isScope)
      word(names.first[action.detail]);
    if (action.kind == FactKind::Orders && action.other)
      out += ", " + text(isa::orderedNames[action.other]);
    if (action.kind == FactKind::Commits || action.kind == FactKind::Waits)
      groups(" ", action.groups);
    node(action.kind == FactKind::Async ? " completes " : " ", action.node);
    if (action.kind == FactKind::Async)
      groups(" in ", action.groups);
    if (action.kind == FactKind::Arrives)
      groups(" after ", action.groups);
    node(" at ", action.which);
    amount(action.kind == FactKind::Waits ? " until " : " by ", action);
    node(" if ", action.condition);
    if (action.space)
      out += " on " + text(isa::word(action.space).text());
    if (action.isReads)
      out += " for reads";
  }

  void computation(const Computation &computation) {
    static constexpr const char *kinds = "?busfpPo"; // indexed by isa::TypeKind
    auto type = [&](isa::TypeKind kind, unsigned bits) {
      out += std::string(" ") + kinds[static_cast<size_t>(kind)] + std::to_string(bits);
    };
    begin() += "computes " + text(isa::operationNames[static_cast<size_t>(computation.operation)]);
    if (computation.comparison)
      word(isa::word(computation.comparison).text());
    type(computation.resultKind, computation.resultBits);
    out += " of";
    type(computation.sourceKind, computation.sourceBits);
  }

  const Facts &facts;
  llvm::function_ref<std::string(unsigned)> textOf;
  std::string out;
};

} // namespace

std::string factsText(const Facts &facts, llvm::function_ref<std::string(unsigned node)> textOf) {
  return FactsWriter(facts, textOf).write();
}

static void write(const Body &body, const SourceBuffer &source, llvm::raw_ostream &os) {
  for (uint32_t number = 0; number < body.size(); ++number) {
    const Instruction &instruction = body.instruction(number);
    const llvm::ArrayRef<Operand> nodes = body.ast->operandsOf(instruction.operands);
    os << source.lineColumn(instruction.range.begin).line << ": "
       << factsText(body.facts(number), [&](unsigned node) { return source.text(nodes[node].range).str(); }) << '\n';
  }
}

DiagnosticList dumpFacts(const SourceBuffer &source, llvm::raw_ostream &os) {
  auto see = [&](const Body &body, const ModuleState &) { write(body, source, os); };
  return streamModule(source, {}, see).syntax();
}

} // namespace ptxray
