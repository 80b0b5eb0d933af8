#pragma once
// The generated parsers include this file in place of ANTLR's runtime (grammar/finish-parser.cmake), of which they name
// no more than this. Their rules call functions of our base classes, and no node is ever made.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#undef EOF // a rule matches `Ptx::EOF`

// NOLINTBEGIN(readability-identifier-naming): ANTLR's names
namespace antlr4 {

class Token;
class TokenStream;
namespace tree {
class TerminalNode;
}
namespace dfa {
class DFA;
class Vocabulary;
} // namespace dfa
namespace atn {
class ATN;
class ParserATNSimulatorOptions;
class PredictionContextCache;
} // namespace atn

class ParserRuleContext {
public:
  ParserRuleContext(ParserRuleContext *, size_t) {}
  virtual ~ParserRuleContext() = default;
  virtual size_t getRuleIndex() const = 0;
  tree::TerminalNode *getToken(size_t, size_t) { return nullptr; }
  std::vector<tree::TerminalNode *> getTokens(size_t) { return {}; }
  template <class T> T *getRuleContext(size_t) { return nullptr; }
  template <class T> std::vector<T *> getRuleContexts() { return {}; }
};

class Parser {
public:
  static constexpr size_t EOF = size_t(-1);
};

} // namespace antlr4
// NOLINTEND(readability-identifier-naming)
