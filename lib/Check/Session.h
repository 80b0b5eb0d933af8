#pragma once
// State that is reused for several modules: the parser with its caches, and computed properties of instructions. A
// session makes checks faster, but does not change their findings.
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
  /// Results for pieces of assembly in other languages, keyed by everything that they depend on.
  llvm::StringMap<std::unique_ptr<JudgedFragment>> fragments;

  /// Frees memory if caches have become too large. Called after a module of `bytes`, whose Ast is no longer needed.
  void limit(size_t bytes);
  void limitFragments();
};

} // namespace ptxray
