#pragma once
// Reads the files of test/semantics, which contain results of single instructions.
#include "OneLine.h"
#include <fstream>
#include <sstream>

namespace ptxray {

inline std::vector<std::string> wordsOf(const std::string &line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

/// Reads cases: an instruction, its registers with their widths (`%r1:32`, special registers `%tid.x:32`, `cc:1` and
/// `open:1`), and a line for each lane: its number, values, `->`, values. `//@ ptx 9.5, sm_100a` sets the version and
/// target of the following cases.
inline std::vector<LineCase> readCases(const std::string &path) {
  std::ifstream stream(path);
  std::vector<LineCase> cases;
  unsigned number = 0;
  std::string version = "9.0", target = "sm_90";
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.starts_with("//@ ptx ")) {
      version = line.substr(8, 3);
      target = line.substr(13);
    }
    if (line.empty() || line.starts_with("//"))
      continue;
    const std::vector<std::string> words = wordsOf(line);
    if (line.back() == ';') {
      cases.push_back({number, line, {}, {}, version, target});
    } else if (line.find(':') != std::string::npos) {
      for (const std::string &word : words) {
        const size_t colon = word.find(':');
        cases.back().registers.push_back({word.substr(0, colon), unsigned(std::stoul(word.substr(colon + 1)))});
      }
    } else {
      LaneCase &lane = cases.back().lanes.emplace_back(LaneCase{unsigned(std::stoul(words[0])), {}, {}});
      for (size_t i = 1; i < words.size(); ++i)
        if (words[i] != "->")
          (lane.before.size() < cases.back().registers.size() ? lane.before : lane.after)
              .push_back(std::stoull(words[i], nullptr, 16));
    }
  }
  return cases;
}

} // namespace ptxray
