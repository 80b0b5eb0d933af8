#pragma once
// Which word of the vocabulary a spelling is: looked up once, by its number.
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

private:
  isa::WordId find(const Ast &ast, SpellingId spelling);
  std::vector<int32_t> known; // by SpellingId; -1: not asked for yet
};

} // namespace ptxray
