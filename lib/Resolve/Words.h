#pragma once
// Caches the vocabulary word and the directive for each spelling, so that each is looked up once.
#include "Isa/Directives.h"
#include "Isa/Isa.h"
#include "Parse/Ast.h"
#include <vector>

namespace ptxray {

class WordsOfSpellings {
public:
  /// Returns 0 if the spelling is not in the vocabulary.
  isa::WordId of(const Ast &ast, SpellingId spelling) {
    const auto index = static_cast<size_t>(spelling);
    return index < known.size() && known[index] >= 0 ? static_cast<isa::WordId>(known[index]) : find(ast, spelling);
  }
  /// Returns null if there is no such directive.
  const isa::Directive *directive(const Ast &ast, SpellingId spelling) {
    const auto index = static_cast<size_t>(spelling);
    return index < directives.size() && directives[index] ? *directives[index] : findDirective(ast, spelling);
  }

private:
  isa::WordId find(const Ast &ast, SpellingId spelling);
  const isa::Directive *findDirective(const Ast &ast, SpellingId spelling);
  std::vector<int32_t> known;                                    // indexed by SpellingId; -1 if not looked up yet
  std::vector<std::optional<const isa::Directive *>> directives; // indexed by SpellingId; none if not looked up yet
};

} // namespace ptxray
