#include "Check/JoinedLiterals.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

static bool isOfWord(char c) { return llvm::isAlnum(c) || c == '_' || c == '%' || c == '$' || c == '.' || c == ':'; }

static bool isInstruction(llvm::StringRef word) {
  const llvm::StringRef base = word.split('.').first;
  return base != word && llvm::any_of(isa::mnemonics(), [base](const isa::Mnemonic &one) {
           return llvm::StringRef(one.text()).split('.').first == base;
         });
}

std::optional<JoinedLiterals> findJoinedLiterals(llvm::ArrayRef<const InlineStatement *> statements) {
  for (const InlineStatement *statement : statements) {
    const llvm::StringRef text = statement->text.text();
    for (const uint32_t end : statement->literalEnds) {
      if (end == 0 || end >= text.size())
        continue;
      const llvm::StringRef after = text.drop_front(end).take_while(isOfWord);
      const bool isWithin = isOfWord(text[end - 1]) || llvm::StringRef(")]}").contains(text[end - 1]);
      if (!isWithin || !isInstruction(after))
        continue;
      const auto from = static_cast<uint32_t>(text.take_front(end).rfind(';') + 1); // 0 without one
      const auto stop = static_cast<uint32_t>(std::min(text.find(';', end), text.size()));
      size_t word = end;
      while (word > 0 && isOfWord(text[word - 1]))
        --word;
      const uint32_t place = statement->text.placeOf({end - 1, end}).end;
      return JoinedLiterals{statement->text.placeOf({from, stop}),
                            {place, place},
                            text.slice(word, end).str(),
                            text.slice(word, end + after.size()).str()};
    }
  }
  return std::nullopt;
}

void reportJoined(const JoinedLiterals &joined, DiagnosticSink &sink) {
  Diagnostic &d = sink.report(DiagId::ExpectedSemicolon, joined.border, joined.before);
  d.notes.push_back({"the next literal continues this one, as `" + joined.joined + "`", std::nullopt});
  d.fix = Fix{"insert `;`", {{joined.border, ";"}}, /*safe=*/true};
}

} // namespace ptxray
