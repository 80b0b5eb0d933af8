#include "Check/JudgeFragment.h"
#include "Check/ModuleCheck.h"
#include "Check/Session.h"
#include "Isa/Isa.h"
#include "Parse/Parse.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray {

/// Returns whether nvcc has separate registers for floating-point numbers, which is the case below sm_100.
static bool hasFloatRegisters(llvm::StringRef target) {
  const int index = isa::findTarget(target);
  return index < 0 || isa::targets()[index].number < 100;
}

InlineTarget inlineTarget(llvm::StringRef target) {
  return {isa::versionText(isa::versions().back()), target.str(), hasFloatRegisters(target)};
}

std::vector<InlineTarget> inlineTargets(const CheckOptions &options) {
  const std::string newest = isa::versionText(isa::versions().back());
  std::vector<InlineTarget> targets;
  auto add = [&](llvm::StringRef ptx, llvm::StringRef target) {
    targets.push_back({options.ptx.empty() ? ptx.str() : options.ptx, target.str(), hasFloatRegisters(target)});
  };
  if (!options.target.empty()) {
    add(newest, options.target);
    return targets;
  }
  // Most statements pass with one of the first two targets.
  for (const char *target :
       {"sm_90a", "sm_100a", "sm_103a", "sm_107a", "sm_110a", "sm_120a", "sm_121a", "sm_89", "sm_75"})
    add(newest, target);
  if (options.ptx.empty()) {
    add("6.3", "sm_70");
    add("6.0", "sm_60"); // includes features that sm_70 removed
    add("4.2", "sm_35");
    add("3.0", "sm_20");
  }
  return targets;
}

bool isGate(DiagId id) {
  return id == DiagId::RequiresPtx || id == DiagId::RequiresTarget || id == DiagId::RequiresTargetVariant ||
         id == DiagId::RemovedInPtx || id == DiagId::NotAvailable;
}

static void noteUses(const Body &body, const Fragment &fragment, std::vector<OperandUse> &uses) {
  llvm::StringMap<size_t> byName;
  for (const auto &[index, operand] : llvm::enumerate(fragment.operands()))
    byName[operand.name] = index;
  auto useOf = [&](LocalId local) -> OperandUse * {
    const auto found = byName.find(body.text(local));
    return found == byName.end() ? nullptr : &uses[found->second];
  };
  // In a loop, a read may see a later write.
  const bool isStraight = body.labels.empty();
  auto read = [&](OperandUse &use, Range range, bool needsValue) {
    use.isRead = true;
    if (needsValue && isStraight && !use.isWritten && !std::exchange(use.isReadFirst, true))
      use.firstRead = range;
  };
  for (uint32_t number = 0; number < body.size(); ++number) {
    if (const LocalId guard = body.guard(number); guard != LocalId::None)
      if (OperandUse *use = useOf(guard))
        read(*use, body.instruction(number).guardRange, true);
    body.eachUse(number, [&](NamedUse named) {
      if (OperandUse *use = named.uses & (Reads | Addresses) ? useOf(named.local) : nullptr)
        read(*use, named.operand.range, !(named.uses & Passes));
    });
    body.eachUse(number, [&](NamedUse named) {
      if (OperandUse *use = named.uses & Writes ? useOf(named.local) : nullptr)
        if (!std::exchange(use->isWritten, true))
          use->firstWrite = named.operand.range;
    });
  }
}

/// Returns the groups of the operations that access memory through the async proxy.
static uint16_t groupsOfAsyncProxy() {
  static const uint16_t known = [] {
    uint16_t groups = 0;
    for (const isa::Fact &fact : isa::tables().facts)
      if (fact.kind == FactKind::Async && static_cast<isa::Proxy>(fact.detail) == isa::Proxy::Async)
        groups |= fact.groups;
    return groups;
  }();
  return known;
}

/// Returns whether the instruction orders accesses in the surrounding code. Ignores accesses that also order others,
/// waits for copies by the thread itself (usually followed by a barrier), and instructions that order only statements.
static bool ordersMemory(const Facts &facts) {
  if (llvm::any_of(facts.accesses, [](const Access &access) { return access.reads() || access.writes(); }))
    return false;
  return llvm::any_of(facts.actions, [](const Action &action) -> bool {
    switch (action.kind) {
    case FactKind::Releases:
    case FactKind::Acquires:
    case FactKind::Syncs: return true;
    case FactKind::Orders: return static_cast<isa::Ordered>(action.detail) != isa::Ordered::Barriers;
    case FactKind::Awaits: return true;
    case FactKind::Arrives: return !action.groups && (action.node >= 0 || action.scope() != isa::Scope::Grid);
    case FactKind::Waits: return action.groups & groupsOfAsyncProxy();
    default: return false;
    }
  });
}

static bool signals(const Facts &facts) {
  return facts.has(FactKind::Commits) || facts.has(FactKind::Waits) || facts.has(FactKind::Arrives);
}

static void noteEffects(const Body &body, JudgedFragment &judged) {
  for (uint32_t number = 0; number < body.size(); ++number) {
    const Facts &facts = body.facts(number);
    const Range opcode = body.instruction(number).opcodeRange;
    const bool writes = llvm::any_of(
        facts.accesses, [](const Access &access) { return access.writes() || access.kind == isa::Access::Barrier; });
    if (writes && !judged.changesMemory)
      judged.changesMemory = opcode;
    if (!judged.ordersMemory && ordersMemory(facts))
      judged.ordersMemory = opcode;
    if (!judged.signals && signals(facts))
      judged.signals = opcode;
    if ((writes || !facts.hasResult) && facts.known && !facts.endsControl() && !judged.hasEffect)
      judged.hasEffect = opcode;
  }
  for (const PlacedLabel &label : body.labels)
    if (const Symbol *symbol = body.symbol(label.local); symbol && symbol->depth == 1)
      judged.labels.push_back(body.ast->labels[label.index].range);
}

static JudgedFragment judgeFor(const Fragment &fragment, const InlineTarget &target, Session &session,
                               const PieceContext &context) {
  CheckOptions options;
  options.isFragment = true;
  options.pedantic = true;
  options.wideAddresses = context.wideAddresses;
  JudgedFragment judged;
  judged.target = target;
  judged.uses.resize(fragment.operands().size());
  const auto source = SourceBuffer::fromText("", fragment.module(target.ptx, target.target, target.hasFloats).text());
  DiagnosticSink sink;
  const Ast &ast = session.parser.ast();
  ModuleReader reader(ast, session.knowledge, *session.room, *source, options, sink);
  ModuleCheck module(reader, ast, *source, options, sink);
  session.parser.setConstants(context.constants);
  session.parser.stream(*source, sink, [&](const Ast &, Statement item) {
    if (const Body *body = module.item(item)) {
      noteUses(*body, fragment, judged.uses);
      noteEffects(*body, judged);
    }
  });
  reader.finish();
  sink.eraseIf([&](const Diagnostic &d) {
    // A device function becomes part of the kernels that call it, so that such rules do not apply.
    return d.id == DiagId::PragmaPlace || (d.id == DiagId::UndefinedSymbol && context.declares(d.args[0]));
  });
  sink.sort();
  judged.passes = !sink.hasErrors();
  for (const Diagnostic &d : sink.diagnostics())
    judged.findings.push_back(d);
  session.limit(source->text().size());
  return judged;
}

/// Returns the first error, if all errors are about the type of an operand.
static std::optional<std::pair<InlineTarget, Diagnostic>> typeError(const JudgedFragment &judged) {
  const Diagnostic *first = nullptr;
  for (const Diagnostic &d : judged.findings) {
    if (d.severity != Severity::Error)
      continue;
    if (d.id != DiagId::OperandType)
      return std::nullopt;
    first = first ? first : &d;
  }
  return first ? std::optional(std::pair(judged.target, *first)) : std::nullopt;
}

static bool isBeyondManual(const JudgedFragment &judged) {
  return llvm::any_of(judged.findings, [](const Diagnostic &d) { return d.id == DiagId::UndocumentedCombination; });
}

JudgedFragment judgeFragment(const Fragment &fragment, llvm::ArrayRef<InlineTarget> targets,
                             const PieceContext &context, Session &session) {
  std::optional<JudgedFragment> best;
  auto against = [](const JudgedFragment &judged) {
    size_t gates = 0, errors = 0;
    for (const Diagnostic &d : judged.findings)
      if (d.severity == Severity::Error) {
        ++errors;
        gates += isGate(d.id);
      }
    return std::pair(gates, errors);
  };
  std::optional<std::pair<InlineTarget, Diagnostic>> below;
  std::optional<JudgedFragment> beyondManual; // passes, although the manual may permit it only for another target
  for (const InlineTarget &target : targets) {
    JudgedFragment judged = judgeFor(fragment, target, session, context);
    if (judged.passes) {
      if (!judged.target.hasFloats)
        judged.below = below;
      if (!isBeyondManual(judged))
        return judged;
      if (!beyondManual)
        beyondManual = std::move(judged);
      continue;
    }
    if (!below && target.hasFloats && against(judged).first == 0)
      below = typeError(judged);
    if (!best || against(judged) < against(*best))
      best = std::move(judged);
  }
  return std::move(beyondManual ? *beyondManual : *best);
}

} // namespace ptxray
