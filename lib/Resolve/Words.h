#pragma once
// This remembers which word of the vocabulary a spelling is, and which directive: it is looked up once, by its number.
#include "Isa/Directives.h"
#include "Isa/Isa.h"
#include "Parse/Ast.h"
#include <vector>

namespace ptxray {

class WordsOfSpellings {
public:
  /// 0: not in the vocabulary.
  isa::WordId of(const Ast &ast, SpellingId spelling) {
    const auto index = static_cast<size_t>(spelling);
    return index < known.size() && known[index] >= 0 ? static_cast<isa::WordId>(known[index]) : find(ast, spelling);
  }
  /// Null if no directive has that name.
  const isa::Directive *directive(const Ast &ast, SpellingId spelling) {
    const auto index = static_cast<size_t>(spelling);
    return index < directives.size() && directives[index] ? *directives[index] : findDirective(ast, spelling);
  }

private:
  isa::WordId find(const Ast &ast, SpellingId spelling);
  const isa::Directive *findDirective(const Ast &ast, SpellingId spelling);
  std::vector<int32_t> known;                                    // by SpellingId; -1: not asked for yet
  std::vector<std::optional<const isa::Directive *>> directives; // by SpellingId; none: not asked for yet
};

} // namespace ptxray
