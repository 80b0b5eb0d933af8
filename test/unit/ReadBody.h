#pragma once
// A module that is read to its end, and the body of its last function.
#include "Check/ModuleCheck.h"
#include "Parse/Parse.h"
#include <gtest/gtest.h>

namespace ptxray {

struct ReadBody {
  explicit ReadBody(const std::string &functions)
      : source(SourceBuffer::fromText("test", ".version 9.0\n.target sm_90\n.address_size 64\n" + functions)) {
    parser.read(*source, sink);
    module.emplace(parser.ast(), knowledge, *source, options, sink);
    for (const Statement item : parser.ast().module)
      body = module->item(item);
    EXPECT_FALSE(sink.hasErrors()) << sink.diagnostics().front().message() << functions;
  }
  LocalId local(llvm::StringRef name) const {
    for (uint32_t i = 1; i < body->locals.size(); ++i)
      if (body->text(LocalId(i)) == name)
        return LocalId(i);
    return LocalId::None;
  }
  /// As `%r1(2)` the names of an instruction's operands and their numbers.
  std::string namesOf(uint32_t number) const {
    std::string text;
    for (const LocalId local : body->namesOf(number))
      text += body->text(local).str() + "(" + std::to_string(static_cast<uint32_t>(local)) + ")";
    return text;
  }

  CheckOptions options;
  DiagnosticSink sink;
  Parser parser;
  Knowledge knowledge;
  std::unique_ptr<SourceBuffer> source;
  std::optional<ModuleCheck> module;
  const Body *body = nullptr;
};

} // namespace ptxray
