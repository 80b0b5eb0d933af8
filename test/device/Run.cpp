// Runs the kernels that build.py made on the GPU of this machine, and compares their results with the references, bit
// for bit. It reads <folder>/kernels.txt and writes report.json and report.md.
#include "Report.h"
#include "Runner.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>

using namespace ptxray;
using namespace ptxray::device;

/// Prints the error that the driver returns for one faulty kernel. Each runs in its own process, because no call works
/// in a process whose kernel faulted.
static int runFault(Driver &driver, const Plan &plan, const std::string &folder, const std::string &name) {
  for (const Module &module : plan.modules)
    for (const Kernel &kernel : module.kernels) {
      if (kernel.name != name)
        continue;
      const std::string image = readFile(folder + "/" + module.file);
      CuHandle loaded, function;
      CuPointer out = 0;
      CuResult result = driver.cuModuleLoadDataEx(&loaded, image.data(), 0, nullptr, nullptr);
      if (result == 0)
        result = driver.cuModuleGetFunction(&function, loaded, kernel.name.c_str());
      if (result == 0)
        result = driver.cuMemAlloc_v2(&out, 128);
      void *parameters[] = {&out};
      if (result == 0)
        result = driver.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, parameters, nullptr);
      if (result == 0)
        result = driver.cuCtxSynchronize();
      std::cout << result << ' ' << driver.inWords(result) << std::endl;
      return 0;
    }
  return 1;
}

static void runFaults(const Plan &plan, const std::string &self, const std::string &folder,
                      std::map<std::string, Tally> &tallies) {
  for (const Module &module : plan.modules)
    for (const Kernel &kernel : module.kernels) {
      if (kernel.kind != "fault")
        continue;
      Tally &tally = tallies[nameOf(kernel.texts[0])];
      const std::string command = "timeout 60 '" + self + "' --fault " + kernel.name + " '" + folder + "'";
      std::string line;
      if (FILE *pipe = popen(command.c_str(), "r")) {
        char buffer[512];
        while (std::fgets(buffer, sizeof buffer, pipe))
          line += buffer;
        pclose(pipe);
      }
      const int result = line.empty() ? -1 : std::atoi(line.c_str());
      while (!line.empty() && line.back() == '\n')
        line.pop_back();
      ++tally.combinations;
      ++(result > 0 ? tally.equal : tally.different);
      tally.notes.push_back("`" + kernel.texts[0] + "`: the driver says " +
                            (line.empty() ? "nothing within 60 s" : line));
    }
}

int main(int argc, char **argv) {
  const bool fault = argc > 2 && std::strcmp(argv[1], "--fault") == 0;
  if (argc < 2 || (fault && argc < 4)) {
    std::cerr << "usage: device-run FOLDER [OUTPUT FOLDER]\n";
    return 2;
  }
  const std::string folder = argv[fault ? 3 : 1];
  const std::string out = !fault && argc > 2 ? argv[2] : ".";
  Driver driver;
  if (const std::string reason = driver.open(0); !reason.empty()) {
    std::cerr << "device-run: " << reason << '\n';
    return 4;
  }
  const Plan plan = readPlan(folder + "/kernels.txt");
  if (fault)
    return runFault(driver, plan, folder, argv[2]);
  const auto begin = std::chrono::steady_clock::now();
  Runner runner(driver, folder);
  runner.run(plan);
  runFaults(plan, argv[0], folder, runner.tallies);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  writeReports(driver, plan, runner.tallies, time.count(), out);
  return 0;
}
