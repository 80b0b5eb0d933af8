#pragma once
// What outlasts a text: the parser with the spellings it has met and the room that its arrays take, and what is known
// of instructions. A check that is handed one finds nearly all that it asks for; it says the same as without.
#include "Check/ModuleCheck.h"
#include "Parse/Parse.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray {

struct JudgedFragment;

/// For one thread at a time.
class Session {
public:
  Session();
  ~Session();

  Parser parser;
  Knowledge knowledge;
  std::unique_ptr<ModuleRoom> room = std::make_unique<ModuleRoom>(parser.ast());
  /// Pieces of assembly in other languages, by all that their judgement depends on.
  llvm::StringMap<std::unique_ptr<JudgedFragment>> fragments;

  /// After a text of so many bytes, whose Ast nobody needs any more: gives the memory back if it has become too much.
  void limit(size_t bytes);
  void limitFragments();
};

} // namespace ptxray
