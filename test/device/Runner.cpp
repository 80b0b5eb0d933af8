#include "Runner.h"
#include <cstdlib>
#include <iostream>

namespace ptxray::device {

void Runner::check(CuResult result, const char *what) {
  if (result == 0)
    return;
  std::cerr << what << ": " << driver.inWords(result) << std::endl;
  std::exit(1);
}

CuPointer Runner::allocate(size_t bytes) {
  CuPointer pointer = 0;
  check(driver.cuMemAlloc_v2(&pointer, bytes), "cuMemAlloc");
  check(driver.cuMemsetD8_v2(pointer, 0, bytes), "cuMemsetD8");
  return pointer;
}

void Runner::judge(Tally &tally, bool good, const std::string &text, const std::string &why) {
  ++tally.combinations;
  ++(good ? tally.equal : tally.different);
  if (!good)
    tally.notes.push_back(text + ": " + why);
}

bool Runner::launch(CuHandle module, const Kernel &kernel, unsigned grid, unsigned block,
                    std::vector<uint64_t> arguments, Tally &tally) {
  CuHandle function;
  std::vector<void *> parameters;
  for (uint64_t &argument : arguments)
    parameters.push_back(&argument);
  CuResult result = driver.cuModuleGetFunction(&function, module, kernel.name.c_str());
  if (result == 0)
    result = driver.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, nullptr, parameters.data(), nullptr);
  if (result == 0)
    result = driver.cuCtxSynchronize();
  if (result != 0)
    judge(tally, false, kernel.texts.empty() ? kernel.name : kernel.texts[0], driver.inWords(result));
  return result == 0;
}

void Runner::run(const Plan &plan) {
  check(driver.cuCtxSetLimit(0, 72 * 1024), "stack size"); // for the widest alignments of alloca
  for (const Module &module : plan.modules) {
    const std::string image = readFile(folder + "/" + module.file);
    CuHandle loaded;
    check(driver.cuModuleLoadDataEx(&loaded, image.data(), 0, nullptr, nullptr), module.file.c_str());
    std::vector<const Kernel *> video;
    for (const Kernel &kernel : module.kernels)
      if (kernel.kind == "video")
        video.push_back(&kernel);
      else if (kernel.kind == "matrix")
        runMatrix(loaded, kernel);
      else if (kernel.kind == "stack")
        runStack(loaded, kernel);
      else if (kernel.kind == "sleep")
        runSleep(loaded, kernel);
      else if (kernel.kind == "mark")
        runMark(loaded, kernel);
      else if (kernel.kind == "registers")
        runRegisters(loaded, kernel);
    if (!video.empty())
      runVideo(loaded, video);
    driver.cuModuleUnload(loaded);
  }
}

} // namespace ptxray::device
