#include "Editor/Signature.h"
#include "Editor/Excerpt.h"
#include "Editor/Typing.h"
#include "Pages/Explain.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

using llvm::StringRef;

/// Returns the ranges of the comma-separated operands in a syntax line, which begin after the first blank outside of
/// brackets.
static std::vector<Range> operandsIn(StringRef syntax) {
  std::vector<Range> operands;
  int depth = 0;
  size_t at = 0;
  while (at < syntax.size() && syntax[at] != ' ')
    ++at;
  size_t begin = at + 1;
  auto end = [&](size_t to) {
    const StringRef text = syntax.slice(begin, to);
    const size_t from = begin + (text.size() - text.ltrim().size());
    if (!text.trim().empty())
      operands.push_back({static_cast<uint32_t>(from), static_cast<uint32_t>(from + text.trim().size())});
  };
  for (++at; at < syntax.size(); ++at) {
    const char c = syntax[at];
    depth += c == '{' || c == '[' || c == '(';
    depth -= c == '}' || c == ']' || c == ')';
    const bool isOptional = c == '{' && syntax.substr(at).starts_with("{,"); // `{, cache-policy}` is a separate operand
    if (isOptional || (c == ',' && depth == 0)) {
      end(at);
      begin = at + (isOptional ? 2 : 1);
    }
  }
  end(StringRef(syntax).rtrim(";} ").size());
  return operands;
}

static FormSignature signatureOf(const FormMatch &match) {
  const isa::Form &form = match.form();
  FormSignature signature;
  signature.label = std::string(form.syntax());
  signature.parameters = operandsIn(signature.label);
  const auto patterns = isa::run(isa::tables().patterns, form.patterns);
  for (size_t i = 0; i < patterns.size(); i += patterns[i].extent) {
    const isa::Pattern &pattern = patterns[i].extent > 1 ? patterns[i + 1] : patterns[i];
    signature.explanations.push_back(describeOperand(match.operands[pattern.operand], form));
  }
  return signature;
}

std::optional<SignatureHelp> signatureAt(Document &document, uint32_t place) {
  constexpr size_t mostShown = 16;
  const std::optional<ExcerptText> around = document.textAround(place);
  const auto at = around ? around->text.offsetOf(place) : std::nullopt;
  if (!at || !around->bodyBegin)
    return std::nullopt;
  const StringRef text = around->text.text();
  const Typing typing = typingAt(text, *around->bodyBegin + 1, *at);
  if (typing.where != Typing::Operand)
    return std::nullopt;
  const Opcode opcode(text.slice(typing.first.begin, typing.first.end));
  std::vector<FormMatch> forms = formsFor(opcode, /*complete=*/true);
  if (forms.empty())
    forms = formsFor(opcode, /*complete=*/false);
  SignatureHelp help;
  help.active = typing.operand;
  for (const FormMatch &form : forms)
    if (!isOfPtxas(form.form()) && help.signatures.size() < mostShown)
      help.signatures.push_back(signatureOf(form));
  return help.signatures.empty() ? std::nullopt : std::optional(std::move(help));
}

} // namespace ptxray
