// From findings to diagnostics: byte ranges, notes and edits.
#include "Check/Judge.h"
#include "Parse/Ast.h"
#include "Resolve/Resolver.h"
#include "Source/SourceBuffer.h"

namespace ptxray {

namespace {

class Reporter {
public:
  Reporter(const Opcode &opcode, const ModuleContext &module, const Ast &ast,
           const SourceBuffer &source, const Instruction &instruction, Resolver &resolver)
      : opcode(opcode), module(module), ast(ast), source(source), instruction(instruction),
        resolver(resolver) {}

  void report(const Finding &finding, DiagnosticSink &sink) const;

private:
  Range wordRange(unsigned k) const;
  Range rangeOf(Place place) const;
  std::optional<Fix> fixOf(const Remedy &remedy) const;
  std::optional<Range> declarationOf(const Finding &finding) const;

  const Opcode &opcode;
  const ModuleContext &module;
  const Ast &ast;
  const SourceBuffer &source;
  const Instruction &instruction;
  Resolver &resolver;
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
  case Place::Opcode:
    return instruction.opcodeRange;
  case Place::Mnemonic:
    return {wordRange(0).begin, wordRange(opcode.mnemonicWords - 1).end};
  case Place::Word:
    return {wordRange(place.index).begin, wordRange(place.index + place.count - 1).end};
  case Place::Operand:
    return ast.operands[instruction.operands.first + place.index].range;
  case Place::Suffix: {
    const Operand &operand = ast.operands[instruction.operands.first + place.index];
    const uint32_t size = ast.text(operand.suffix).size();
    return {operand.range.end - std::min(size, operand.range.size()), operand.range.end};
  }
  }
  return instruction.range;
}

std::optional<Fix> Reporter::fixOf(const Remedy &remedy) const {
  Fix fix;
  switch (remedy.kind) {
  case Remedy::None:
    return std::nullopt;
  case Remedy::InsertAfterWord: {
    const uint32_t end = wordRange(remedy.word).end;
    fix.title = "insert `" + remedy.text + "`";
    fix.edits.push_back({{end, end}, remedy.text});
    break;
  }
  case Remedy::ReplaceWord:
    fix.title = "replace it by `" + remedy.text + "`";
    fix.edits.push_back({wordRange(remedy.word), remedy.text});
    break;
  case Remedy::RemoveWord:
    fix.title = "remove `" + opcode.words[remedy.word].text.str() + "`";
    fix.edits.push_back({wordRange(remedy.word), ""});
    break;
  case Remedy::ReplaceOpcode:
    fix.title = "write `" + remedy.text + "`";
    fix.edits.push_back({instruction.opcodeRange, remedy.text});
    break;
  case Remedy::RaiseVersion:
    if (!module.version.size())
      return std::nullopt;
    fix.title = "raise `.version` to " + remedy.text;
    fix.edits.push_back({module.version, remedy.text});
    break;
  }
  return fix;
}

/// Of what is named where the finding's operand stands; in a vector, of its first name.
std::optional<Range> Reporter::declarationOf(const Finding &finding) const {
  if (finding.place.kind != Place::Operand || finding.phase != Phase::Type || finding.sourceArg < 0)
    return std::nullopt;
  const uint32_t node = instruction.operands.first + finding.place.index;
  for (uint32_t i = node; i < node + ast.operands[node].extent; ++i)
    if (ast.operands[i].kind == OperandKind::Name)
      if (const Symbol *symbol = resolver.find(ast.operands[i].name))
        return symbol->nameRange;
  return std::nullopt;
}

void Reporter::report(const Finding &finding, DiagnosticSink &sink) const {
  const Range range = rangeOf(finding.place);
  Diagnostic &d = sink.report(finding.id, range);
  d.severity = finding.severity;
  d.args.assign(finding.args.begin(), finding.args.end());
  if (finding.sourceArg >= 0) {
    constexpr size_t most = 60;
    const llvm::StringRef text = source.text(range);
    d.args[finding.sourceArg] = text.size() > most ? text.take_front(most).str() + "..." : text.str();
  }
  if (const std::optional<Range> place = declarationOf(finding))
    d.notes.push_back({"declared here", place});
  for (const std::string &note : finding.notes)
    d.notes.push_back({note, std::nullopt});
  d.fix = fixOf(finding.remedy);
  if (d.fix)
    d.fix->safe = finding.severity == Severity::Pedantic ||
                  finding.remedy.kind == Remedy::ReplaceOpcode ||
                  finding.remedy.kind == Remedy::InsertAfterWord;
  if (finding.form != ~0u) {
    const isa::Form &form = isa::tables().forms[finding.form];
    const isa::Entry &entry = isa::entries()[form.entry];
    d.notes.push_back({"the form is `" + std::string(form.syntax) + "`", std::nullopt});
    d.spec = {entry.manual, entry.file, finding.line ? finding.line : form.line};
  }
}

void report(llvm::ArrayRef<Finding> findings, const Opcode &opcode, const ModuleContext &module,
            const Ast &ast, const SourceBuffer &source, const Instruction &instruction,
            Resolver &resolver, DiagnosticSink &sink) {
  const Reporter reporter(opcode, module, ast, source, instruction, resolver);
  for (const Finding &finding : findings)
    reporter.report(finding, sink);
}

} // namespace ptxray
