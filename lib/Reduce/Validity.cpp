#include "Reduce/Validity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace ptxray {

static constexpr DiagId definedness[] = {DiagId::ReadBeforeWrite, DiagId::UndefinedValue, DiagId::UnwrittenOnPath,
                                         DiagId::UnwrittenRegister};

Validity::Validity(CheckOptions options, std::optional<DiagId> keptRule, Kind keptKind)
    : options([&] {
        options.pedantic = true;
        return std::move(options);
      }()),
      keptRule(keptRule), keptKind(keptKind) {}

/// Returns whether the reads and writes of all instructions are known, which is not the case for faulty ones.
static bool isKnown(const Body &body) {
  for (uint32_t number = 0; number < body.size(); ++number)
    if (!body.facts(number).known)
      return false;
  return true;
}

/// Adds registers that code without labels reads uninitialised, and that no rule reports.
static void addFirstReads(const ReadModule &module, DiagnosticList &found) {
  for (const Body &body : module.bodies()) {
    if (!body.labels.empty() || !isKnown(body))
      continue;
    for (const LocalId local : body.definitions.readFirst())
      if (body.isOwnRegister(local) && body.definitions.isWritten(local)) {
        DiagnosticSink sink;
        sink.report(DiagId::ReadBeforeWrite, body.function->range, body.text(local));
        found.push_back(sink.diagnostics().front());
      }
  }
  llvm::stable_sort(found, [](const Diagnostic &a, const Diagnostic &b) { return a.range.begin < b.range.begin; });
}

Candidate Validity::judge(std::string text) {
  FileReport report;
  report.source = SourceBuffer::fromOwned("", std::move(text));
  KeptModule kept = checkAndKeep(std::move(report), options);
  report = std::move(kept.report);
  if (kept.module)
    addFirstReads(*kept.module, report.diagnostics);
  Candidate judged;
  judged.rules.resize(static_cast<unsigned>(allDiagInfos().size()));
  lastKeepsRule = !keptRule;
  unwritten.clear();
  for (Diagnostic &found : report.diagnostics) {
    const bool isKept = found.id == keptRule && (keptKind == Kind::None || found.kind == keptKind);
    lastKeepsRule |= isKept;
    const bool isUnwritten = llvm::is_contained(definedness, found.id);
    if (found.severity != Severity::Pedantic || isUnwritten || isKept)
      judged.rules.set(static_cast<unsigned>(found.id));
    if (isUnwritten)
      unwritten.push_back(std::move(found));
  }
  judged.text = report.source->text().str();
  kept.report = std::move(report);
  judged.read = std::make_shared<const KeptModule>(std::move(kept));
  return judged;
}

/// Returns an instruction that initialises a register with a constant; empty if there is none.
static std::string zeroing(const Symbol &symbol, llvm::StringRef name) {
  constexpr unsigned bitsOfByte = 8;
  if (symbol.shape.vector > 1 || (!symbol.isPredicate && !llvm::is_contained({2, 4, 8}, symbol.extent.bytes)))
    return "";
  const std::string type = symbol.isPredicate ? "pred" : "b" + std::to_string(symbol.extent.bytes * bitsOfByte);
  return "\nmov." + type + ' ' + name.str() + ", 0;";
}

/// Adds insertions that initialise registers of a function directly after their declarations.
static void addWrites(const ReadModule &module, const Body &body, const llvm::StringSet<> &registers,
                      std::map<uint32_t, std::string> &insertions) {
  const llvm::StringRef text = module.source().text();
  for (const Local &local : body.locals) {
    if (!local.symbol || local.name == NameId::None || !registers.contains(module.ast().text(local.name)))
      continue;
    const Symbol &symbol = module.symbols()[local.symbol - 1];
    const size_t end = text.find(';', symbol.nameRange.end);
    if (symbol.kind == SymbolKind::Register && symbol.depth > 0 && end != llvm::StringRef::npos)
      insertions[static_cast<uint32_t>(end + 1)] += zeroing(symbol, module.ast().text(local.name));
  }
}

/// Returns the text with the registers in the findings initialised.
static std::string initialised(const ReadModule &module, const DiagnosticList &findings) {
  const llvm::StringRef text = module.source().text();
  std::map<uint32_t, std::string> insertions;
  size_t next = 0;
  for (const Body &body : module.bodies()) {
    llvm::StringSet<> registers;
    for (; next < findings.size() && findings[next].range.begin < body.function->range.end; ++next)
      registers.insert(findings[next].args.back());
    if (!registers.empty())
      addWrites(module, body, registers, insertions);
  }
  std::string out;
  uint32_t at = 0;
  for (const auto &[place, inserted] : insertions) {
    out += text.slice(at, place);
    out += inserted;
    at = place;
  }
  return out += text.substr(at);
}

std::optional<Candidate> Validity::accept(std::string text, const llvm::SmallBitVector &allowed) {
  constexpr unsigned attempts = 3;
  Candidate judged = judge(std::move(text));
  for (unsigned attempt = 0;; ++attempt) {
    if (!lastKeepsRule)
      return std::nullopt;
    llvm::SmallBitVector more = judged.rules;
    more.reset(allowed);
    if (more.none())
      return judged;
    for (const DiagId id : definedness)
      more.reset(static_cast<unsigned>(id));
    if (more.any() || attempt == attempts || !judged.read->module)
      return std::nullopt;
    judged = judge(initialised(*judged.read->module, unwritten));
  }
}

} // namespace ptxray
