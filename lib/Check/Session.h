#pragma once
// State that outlives a text: the parser with its spellings and arrays, and what is known of instructions. A check with
// a session finds nearly everything it needs there; its findings are the same as without.
#include "Parse/Parse.h"
#include "Read/ModuleReader.h"
#include "llvm/ADT/StringMap.h"

namespace ptxray {

struct JudgedFragment;

/// A Session serves one thread at a time.
class Session {
public:
  Session();
  ~Session();

  Parser parser;
  Knowledge knowledge;
  std::unique_ptr<ModuleRoom> room = std::make_unique<ModuleRoom>(parser.ast());
  /// Pieces of assembly in other languages, by everything that their judgement depends on.
  llvm::StringMap<std::unique_ptr<JudgedFragment>> fragments;

  /// Called after a text of that many bytes, whose Ast is no longer needed: frees memory if it has become too much.
  void limit(size_t bytes);
  void limitFragments();
};

} // namespace ptxray
