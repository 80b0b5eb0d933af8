// Turns findings into diagnostics with byte ranges, notes and edits.
#include "Match/Match.h"
#include "Parse/Ast.h"
#include "Resolve/Resolver.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

namespace {

class Reporter : InstructionSite {
public:
  Reporter(const InstructionSite &site, DiagnosticSink &sink) : InstructionSite(site), sink(sink) {}

  void report(const Finding &finding) const;

private:
  Range wordRange(unsigned k) const;
  Range rangeOf(FindingPlace place) const;
  void addEdits(const Finding &finding, Range range, Fix &fix) const;
  Range operandRange(unsigned node) const { return ast.operands[instruction.operands.first + node].range; }
  bool isSafe(const Finding &finding) const;
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
  // The words have blanks or comments between them.
  const llvm::StringRef text = source.text(whole);
  size_t at = 0;
  for (unsigned i = 0; i <= k && at != llvm::StringRef::npos; ++i)
    at = text.find(opcode.words[i].text, i ? at + opcode.words[i - 1].text.size() : 0);
  if (at == llvm::StringRef::npos)
    return whole;
  const uint32_t begin = whole.begin + at;
  return {begin, begin + static_cast<uint32_t>(word.size())};
}

Range Reporter::rangeOf(FindingPlace place) const {
  switch (place.kind) {
  case FindingPlace::Opcode: return instruction.opcodeRange;
  case FindingPlace::Mnemonic: return {wordRange(0).begin, wordRange(opcode.mnemonicWords - 1).end};
  case FindingPlace::Word: return {wordRange(place.index).begin, wordRange(place.index + place.count - 1).end};
  case FindingPlace::Operand: return ast.operands[instruction.operands.first + place.index].range;
  case FindingPlace::After: {
    const uint32_t end = ast.operands[instruction.operands.first + place.index].range.end;
    return {end, end};
  }
  case FindingPlace::Suffix: {
    const Operand &operand = ast.operands[instruction.operands.first + place.index];
    const uint32_t size = ast.text(operand.suffix).size();
    return {operand.range.end - std::min(size, operand.range.size()), operand.range.end};
  }
  }
  return instruction.range;
}

/// Rewrites an integer as a float: `1` as `1.0`, `0x3f800000` as `0f3F800000`. Returns an empty string if there is no
/// simple way.
static std::string asFloat(llvm::StringRef integer, unsigned bits) {
  const bool isNegative = integer.consume_front("-");
  const std::string sign = isNegative ? "-" : "";
  if (llvm::all_of(integer, llvm::isDigit) && !(integer.size() > 1 && integer.starts_with("0")))
    return sign + integer.str() + ".0";
  const bool isHex = integer.consume_front_insensitive("0x") && llvm::all_of(integer, llvm::isHexDigit);
  if (!isHex || isNegative || integer.size() != bits / 4)
    return "";
  return (bits == 32 ? "0f" : "0d") + integer.upper();
}

/// Adds the edits of the remedy, or none if it cannot be written.
void Reporter::addEdits(const Finding &finding, Range range, Fix &fix) const {
  const Remedy &remedy = finding.remedy;
  auto add = [&](Range place, const SharedText &text) { fix.edits.push_back({place, text}); };
  switch (remedy.kind) {
  case Remedy::InsertAfterWord: {
    const uint32_t end = wordRange(remedy.word).end;
    return add({end, end}, finding.fixText);
  }
  case Remedy::ReplaceOpcode: return add(instruction.opcodeRange, finding.fixText);
  case Remedy::RaiseVersion:
    if (module.version.size())
      add(module.version, finding.fixText);
    return;
  case Remedy::ChangeTarget:
    if (!module.targetName.size() || (remedy.word && !module.version.size()))
      return;
    if (remedy.word)
      add(module.version, isa::versionText(remedy.word));
    return add(module.targetName, finding.fixText);
  case Remedy::AddBrackets: add({range.begin, range.begin}, "["); return add({range.end, range.end}, "]");
  case Remedy::RemoveBrackets: {
    const llvm::StringRef text = source.text(range);
    if (!text.starts_with("[") || !text.ends_with("]"))
      return;
    add({range.begin, range.begin + 1}, "");
    return add({range.end - 1, range.end}, "");
  }
  case Remedy::SwapOperands: {
    const Operand *operands = ast.operands.data() + instruction.operands.first;
    const Range first = operands->range, second = operands[operands->extent].range;
    add(first, source.text(second).str());
    return add(second, source.text(first).str());
  }
  case Remedy::MakeFloat:
    if (const std::string text = asFloat(source.text(range), remedy.word); !text.empty())
      add(range, text);
    return;
  default: return add(wordRange(remedy.word), finding.fixText);
  }
}

/// Returns whether the fix is unambiguous. If a word is always required, there is no alternative. But `.ftz` may be
/// missing because another rounding was meant.
bool Reporter::isSafe(const Finding &finding) const {
  switch (finding.remedy.kind) {
  case Remedy::InsertAfterWord: return isFixedWord(finding.kind);
  case Remedy::ReplaceOpcode: return finding.id != DiagId::MissingQualifier || isFixedWord(finding.kind);
  case Remedy::AddBrackets: return finding.id == DiagId::OperandShape;
  case Remedy::MakeFloat: return true;
  default: return finding.severity == Severity::Pedantic;
  }
}

/// Returns the declaration of the name in the finding's operand. For a vector, this is its first name.
std::optional<Range> Reporter::declarationOf(const Finding &finding) const {
  const bool isOfOperand = finding.place.kind == FindingPlace::Operand || finding.textNode >= 0;
  if (!isOfOperand || finding.phase != Phase::Type || finding.sourceArg < 0)
    return std::nullopt;
  const unsigned index = finding.textNode < 0 ? finding.place.index : static_cast<unsigned>(finding.textNode);
  const uint32_t node = instruction.operands.first + index;
  if (finding.id == DiagId::VectorLength || finding.id == DiagId::UnexpectedVector)
    return std::nullopt;
  for (uint32_t i = node; i < node + ast.operands[node].extent; ++i)
    if (ast.operands[i].kind == OperandKind::Name)
      if (const Symbol *symbol = find(ast.operands[i].name))
        return symbol->nameRange;
  return std::nullopt;
}

void Reporter::report(const Finding &finding) const {
  const Range range = rangeOf(finding.place);
  Diagnostic &d = sink.add(finding.id, range);
  d.severity = finding.severity;
  d.kind = finding.kind;
  d.args.assign(finding.args.begin(), finding.args.end());
  if (finding.sourceArg >= 0) {
    constexpr size_t most = 60;
    const llvm::StringRef text = source.text(finding.textNode < 0 ? range : operandRange(finding.textNode));
    d.args[finding.sourceArg] = text.size() > most ? text.take_front(most).str() + "..." : text.str();
  }
  if (const std::optional<Range> place = declarationOf(finding))
    d.notes.push_back({"declared here", place});
  for (const uint16_t other : finding.alike) {
    const Range place = finding.id == DiagId::UnknownQualifier ? wordRange(other) : operandRange(other);
    d.notes.push_back({"the same is true of `" + source.text(place).str() + "`", place});
  }
  for (const SharedText &note : finding.notes)
    d.notes.push_back({note, std::nullopt});
  if (finding.remedy.kind != Remedy::None) {
    Fix &fix = d.fix.emplace();
    addEdits(finding, range, fix);
    constexpr Remedy::Kind ofOperand[] = {Remedy::AddBrackets, Remedy::RemoveBrackets, Remedy::MakeFloat};
    if (llvm::is_contained(ofOperand, finding.remedy.kind))
      for (const uint16_t node : finding.alike)
        addEdits(finding, operandRange(node), fix);
    if (finding.remedy.kind == Remedy::ReplaceWord && finding.id == DiagId::UnknownQualifier)
      for (const uint16_t word : finding.alike)
        fix.edits.push_back({wordRange(word), finding.fixText});
    fix.title = finding.fixTitle;
    fix.safe = isSafe(finding);
    if (finding.remedy.kind == Remedy::MakeFloat && fix.edits.size() == 1)
      fix.title = "write `" + fix.edits.front().text.str() + "`";
    if (finding.remedy.kind == Remedy::AddBrackets && source.text(range).size() <= 60)
      fix.title = "write `[" + source.text(range).str() + "]`";
    if (fix.edits.empty())
      d.fix.reset();
  }
  if (finding.form != ~0u) {
    const isa::Form &form = isa::tables().forms[finding.form];
    const isa::Entry &entry = isa::entries()[form.entry];
    d.spec = {entry.manual(), entry.file(), finding.line ? finding.line : form.line};
  }
}

void reportFindings(llvm::ArrayRef<Finding> findings, const InstructionSite &site, DiagnosticSink &sink) {
  const Reporter reporter(site, sink);
  for (const Finding &finding : findings)
    reporter.report(finding);
}

} // namespace ptxray
