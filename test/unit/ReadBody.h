#pragma once
// A module that is read completely, and the body of its last function.
#include "Check/CheckModule.h"
#include <gtest/gtest.h>

namespace ptxray {

struct ReadBody {
  explicit ReadBody(const std::string &functions, const std::string &version = "9.0",
                    const std::string &target = "sm_90")
      : kept(checkAndKeep(reportOf(".version " + version + "\n.target " + target + "\n.address_size 64\n" + functions),
                          {})),
        source(kept.report.source.get()), module(*kept.module),
        body(module.bodies().empty() ? nullptr : &module.bodies().back()) {
    EXPECT_FALSE(module.hasErrors()) << functions;
  }
  LocalId local(llvm::StringRef name) const {
    for (uint32_t i = 1; i < body->locals.size(); ++i)
      if (body->text(LocalId(i)) == name)
        return LocalId(i);
    return LocalId::None;
  }
  /// Returns the names in an instruction's operands, with their numbers: `%r1(2)`.
  std::string namesOf(uint32_t number) const {
    std::string text;
    for (const LocalId local : body->namesOf(number))
      text += body->text(local).str() + "(" + std::to_string(static_cast<uint32_t>(local)) + ")";
    return text;
  }

  static FileReport reportOf(const std::string &text) {
    FileReport report;
    report.source = SourceBuffer::fromText("test", text);
    return report;
  }

  KeptModule kept;
  const SourceBuffer *source;
  const ReadModule &module;
  const Body *body; // null if there is none
};

} // namespace ptxray
