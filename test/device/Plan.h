#pragma once
// A plan says what is to be run: it is read from <folder>/kernels.txt, which build.py writes.
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ptxray::device {

struct Kernel {
  std::string kind, name;
  std::vector<std::string> texts; // the instructions it runs, one result each
};
struct Module {
  std::string file;
  std::vector<Kernel> kernels;
};
struct Plan {
  std::vector<std::pair<std::string, std::string>> facts;         // `ptxas 13.5.37`
  std::map<std::string, std::pair<double, unsigned long>> counts; // by instruction: all, texts
  std::vector<Module> modules;
};

Plan readPlan(const std::string &path);
std::string readFile(const std::string &path);

/// The mnemonic of a text: `pmevent.mask`, `vadd`.
std::string nameOf(const std::string &guarded);

} // namespace ptxray::device
