// From findings to diagnostics: byte ranges, notes and edits.
#include "Match/Match.h"
#include "Parse/Ast.h"
#include "Resolve/Resolver.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

namespace {

class Reporter : InstructionSite {
public:
  Reporter(const InstructionSite &site, DiagnosticSink &sink) : InstructionSite(site), sink(sink) {}

  void report(const Finding &finding) const;

private:
  Range wordRange(unsigned k) const;
  Range rangeOf(Place place) const;
  Range edited(const Remedy &remedy) const;
  std::optional<Range> declarationOf(const Finding &finding) const;

  DiagnosticSink &sink;
};

} // namespace

Range Reporter::wordRange(unsigned k) const {
  const Range whole = instruction.opcodeRange;
  const llvm::StringRef word = opcode.words[k].text;
  if (whole.size() == opcode.spelling.size()) {
    const uint32_t begin = whole.begin + (word.data() - opcode.spelling.data());
    return {begin, begin + static_cast<uint32_t>(word.size())};
  }
  // Blanks or comments stand between the words.
  const llvm::StringRef text = source.text(whole);
  size_t at = 0;
  for (unsigned i = 0; i <= k && at != llvm::StringRef::npos; ++i)
    at = text.find(opcode.words[i].text, i ? at + opcode.words[i - 1].text.size() : 0);
  if (at == llvm::StringRef::npos)
    return whole;
  const uint32_t begin = whole.begin + at;
  return {begin, begin + static_cast<uint32_t>(word.size())};
}

Range Reporter::rangeOf(Place place) const {
  switch (place.kind) {
  case Place::Opcode: return instruction.opcodeRange;
  case Place::Mnemonic: return {wordRange(0).begin, wordRange(opcode.mnemonicWords - 1).end};
  case Place::Word: return {wordRange(place.index).begin, wordRange(place.index + place.count - 1).end};
  case Place::Operand: return ast.operands[instruction.operands.first + place.index].range;
  case Place::Suffix: {
    const Operand &operand = ast.operands[instruction.operands.first + place.index];
    const uint32_t size = ast.text(operand.suffix).size();
    return {operand.range.end - std::min(size, operand.range.size()), operand.range.end};
  }
  }
  return instruction.range;
}

Range Reporter::edited(const Remedy &remedy) const {
  switch (remedy.kind) {
  case Remedy::InsertAfterWord: {
    const uint32_t end = wordRange(remedy.word).end;
    return {end, end};
  }
  case Remedy::ReplaceOpcode: return instruction.opcodeRange;
  case Remedy::RaiseVersion: return module.version;
  default: return wordRange(remedy.word);
  }
}

/// Of what is named where the finding's operand stands; in a vector, of its first name.
std::optional<Range> Reporter::declarationOf(const Finding &finding) const {
  if (finding.place.kind != Place::Operand || finding.phase != Phase::Type || finding.sourceArg < 0)
    return std::nullopt;
  const uint32_t node = instruction.operands.first + finding.place.index;
  for (uint32_t i = node; i < node + ast.operands[node].extent; ++i)
    if (ast.operands[i].kind == OperandKind::Name)
      if (const Symbol *symbol = find(ast.operands[i].name))
        return symbol->nameRange;
  return std::nullopt;
}

void Reporter::report(const Finding &finding) const {
  const Range range = rangeOf(finding.place);
  Diagnostic &d = sink.report(finding.id, range);
  d.severity = finding.severity;
  d.kind = finding.kind;
  d.args.assign(finding.args.begin(), finding.args.end());
  if (finding.sourceArg >= 0) {
    constexpr size_t most = 60;
    const llvm::StringRef text = source.text(range);
    d.args[finding.sourceArg] = text.size() > most ? text.take_front(most).str() + "..." : text.str();
  }
  if (const std::optional<Range> place = declarationOf(finding))
    d.notes.push_back({"declared here", place});
  for (const SharedText &note : finding.notes)
    d.notes.push_back({note, std::nullopt});
  const Remedy::Kind remedy = finding.remedy.kind;
  if (remedy != Remedy::None && (remedy != Remedy::RaiseVersion || module.version.size())) {
    Fix &fix = d.fix.emplace();
    fix.title = finding.fixTitle;
    fix.edits.push_back({edited(finding.remedy), finding.fixText});
    fix.safe =
        finding.severity == Severity::Pedantic || remedy == Remedy::ReplaceOpcode || remedy == Remedy::InsertAfterWord;
  }
  if (finding.form != ~0u) {
    const isa::Form &form = isa::tables().forms[finding.form];
    const isa::Entry &entry = isa::entries()[form.entry];
    d.spec = {entry.manual, entry.file, finding.line ? finding.line : form.line};
  }
}

void reportFindings(llvm::ArrayRef<Finding> findings, const InstructionSite &site, DiagnosticSink &sink) {
  const Reporter reporter(site, sink);
  for (const Finding &finding : findings)
    reporter.report(finding);
}

} // namespace ptxray
