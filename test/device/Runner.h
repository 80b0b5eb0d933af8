#pragma once
// Launches kernels on the current GPU, and compares their results with the references.
#include "Report.h"

namespace ptxray::device {

class Runner {
public:
  Runner(Driver &driver, std::string folder) : driver(driver), folder(std::move(folder)) {}
  void run(const Plan &plan);
  std::map<std::string, Tally> tallies;

private:
  void check(CuResult result, const char *what);
  CuPointer allocate(size_t bytes);
  void runVideo(CuHandle module, const std::vector<const Kernel *> &kernels);
  void runMatrix(CuHandle module, const Kernel &kernel);
  void runStack(CuHandle module, const Kernel &kernel);
  void runSleep(CuHandle module, const Kernel &kernel);
  void runMark(CuHandle module, const Kernel &kernel);
  void runRegisters(CuHandle module, const Kernel &kernel);
  /// Launches a kernel on the buffers, and waits for it.
  bool launch(CuHandle module, const Kernel &kernel, unsigned grid, unsigned block, std::vector<uint64_t> arguments,
              Tally &tally);
  void judge(Tally &tally, bool good, const std::string &text, const std::string &why);

  Driver &driver;
  std::string folder;
  std::vector<uint32_t> inputA, inputB, inputC;
  CuPointer inputs = 0, outputs = 0;
  size_t outputBytes = 0;
  uint32_t *host = nullptr;
};

} // namespace ptxray::device
