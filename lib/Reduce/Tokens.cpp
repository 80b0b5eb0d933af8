#include "Reduce/Tokens.h"

namespace ptxray {

std::vector<Word> tokensOf(const ReadModule &module) {
  std::vector<Word> tokens;
  WordReader words(module.source().text(), module.hasErrors());
  for (Word word = words.take(); !word.isToken(TokenKind::EndOfFile); word = words.take())
    if (word.aside == Aside::None)
      tokens.push_back(word);
  return tokens;
}

llvm::ArrayRef<Word> within(llvm::ArrayRef<Word> tokens, Range range) {
  const auto isBefore = [](const Word &word, uint32_t place) { return word.begin < place; };
  const Word *first = std::lower_bound(tokens.begin(), tokens.end(), range.begin, isBefore);
  return {first, std::lower_bound(first, tokens.end(), range.end, isBefore)};
}

bool isHeader(llvm::StringRef directive) {
  return directive == ".version" || directive == ".target" || directive == ".address_size";
}

uint32_t endOfHeader(const Ast &ast) {
  uint32_t end = 0;
  for (const Statement item : ast.module)
    if (item.kind == StatementKind::Directive && isHeader(ast.text(ast.directives[item.index].name)))
      end = ast.directives[item.index].range.end;
  return end;
}

} // namespace ptxray
