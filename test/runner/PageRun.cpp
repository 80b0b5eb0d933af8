#include "PageRun.h"
#include "Emulate/Launch.h"
#include "Source/SourceBuffer.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

namespace ptxray::test {

std::vector<std::string> findingsOfRun(const Example &example) {
  const auto source = SourceBuffer::fromText("example", example.text);
  const ReadModule module = readModule(*source);
  EXPECT_FALSE(module.hasErrors()) << llvm::join(textsOf(module.findings()), "\n");
  const Function &function = module.ast().functions.back();
  machine::Memory memory;
  std::deque<std::vector<uint8_t>> buffers;
  machine::Launch launch;
  launch.kernel = module.ast().text(function.name);
  launch.block = {64, 1, 1};
  launch.checksNumbers = example.checksNumbers;
  launch.counts = example.counts;
  for (uint32_t i = 0; i < function.parameters.count; ++i) {
    const uint64_t address = memory.add(buffers.emplace_back(256), "buffer");
    const auto *bytes = reinterpret_cast<const uint8_t *>(&address);
    launch.parameters.insert(launch.parameters.end(), bytes, bytes + sizeof address);
  }
  machine::LoadedModule loaded(module, memory);
  const machine::Outcome outcome = machine::launch(loaded, launch);
  EXPECT_EQ(outcome.refusal, "");
  return textsOf(outcome.diagnostics);
}

} // namespace ptxray::test
