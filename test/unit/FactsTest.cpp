// Tests the data of special registers, and the facts of an instruction that a caller can query. test/flow tests the
// effects of each instruction.
#include "Diagnostics/Diagnostic.h"
#include "Isa/Isa.h"
#include "Pages/FactsText.h"
#include "Source/SourceBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace ptxray;

namespace {

isa::Scope scopeOf(const char *name) {
  const isa::SpecialRegister *found = isa::findSpecialRegister(name);
  EXPECT_NE(found, nullptr) << name;
  return found ? found->scope : isa::Scope::Grid;
}

TEST(Facts, SpecialRegistersAreTheSameWithinAScope) {
  for (const char *name : {"%tid", "%laneid", "%lanemask_lt"})
    EXPECT_EQ(scopeOf(name), isa::Scope::Lane) << name;
  for (const char *name : {"%warpid", "%clock", "%clock64", "%globaltimer", "%pm7_64"})
    EXPECT_EQ(scopeOf(name), isa::Scope::Warp) << name;
  for (const char *name : {"%ctaid", "%smid", "%cluster_ctarank", "%cluster_ctaid"})
    EXPECT_EQ(scopeOf(name), isa::Scope::Cta) << name;
  EXPECT_EQ(scopeOf("%clusterid"), isa::Scope::Cluster);
  for (const char *name : {"%ntid", "%nctaid", "%gridid", "%nclusterid", "%dynamic_smem_size", "%envreg3"})
    EXPECT_EQ(scopeOf(name), isa::Scope::Grid) << name;
}

std::string dumped(const char *text) {
  std::string out;
  llvm::raw_string_ostream os(out);
  DiagnosticSink sink;
  dumpFacts(*SourceBuffer::fromText("", text), os);
  EXPECT_TRUE(sink.diagnostics().empty());
  return out;
}

TEST(Facts, AreShownByLine) {
  EXPECT_EQ(dumped(".version 8.0\n.target sm_90\n.address_size 64\n"
                   ".visible .entry k()\n{\n.reg .b32 %r<2>;\n{ .reg .b32 %r; cp.async.wait_group 1;\n"
                   "add.s32 %r, %r1, 1; }\nadd %r0;\nret;\n}\n"),
            "7: waits cp.async until 1\n"
            "8: reads %r1; writes %r; computes add s32 of s32\n"
            "9: unknown\n"
            "10: ends function\n");
}

} // namespace
