#include "Plan.h"
#include <fstream>
#include <sstream>

namespace ptxray::device {

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string nameOf(const std::string &guarded) {
  const std::string text = guarded[0] == '@' ? guarded.substr(guarded.find(' ') + 1) : guarded;
  const std::string first = text.substr(0, text.find(' '));
  for (const char *two : {"pmevent.mask", "setmaxnreg.inc", "setmaxnreg.dec"})
    if (first.rfind(two, 0) == 0)
      return two;
  return first.substr(0, first.find_first_of(".;"));
}

Plan readPlan(const std::string &path) {
  Plan plan;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (line[0] == '\t') {
      plan.modules.back().kernels.back().texts.push_back(line.substr(1));
    } else if (word == "fact") {
      std::string name, value;
      words >> name;
      std::getline(words >> std::ws, value);
      plan.facts.push_back({name, value});
    } else if (word == "count") {
      std::string name;
      double all;
      unsigned long texts;
      words >> name >> all >> texts;
      plan.counts[name] = {all, texts};
    } else if (word == "module") {
      words >> plan.modules.emplace_back().file;
    } else {
      Kernel &kernel = plan.modules.back().kernels.emplace_back();
      kernel.kind = word;
      words >> kernel.name;
    }
  }
  return plan;
}

} // namespace ptxray::device
