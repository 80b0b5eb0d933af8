#pragma once
// The tests to run, read from <folder>/kernels.txt, which build.py writes.
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ptxray::device {

struct Kernel {
  std::string kind, name;
  std::vector<std::string> texts; // the instructions that it executes, one result each
};
struct Module {
  std::string file;
  std::vector<Kernel> kernels;
};
struct Plan {
  std::vector<std::pair<std::string, std::string>> facts;         // `ptxas 13.5.37`
  std::map<std::string, std::pair<double, unsigned long>> counts; // keyed by instruction: total, and number of texts
  std::vector<Module> modules;
};

Plan readPlan(const std::string &path);
std::string readFile(const std::string &path);

/// Returns the mnemonic of an instruction: `pmevent.mask`, `vadd`.
std::string nameOf(const std::string &guarded);

} // namespace ptxray::device
