// Each file of isagen/ says on the line which lints must find it; `good.isa` says none.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>

namespace {

namespace fs = std::filesystem;
using Findings = std::set<std::pair<int, std::string>>; // line, lint

Findings expected(const fs::path &path) {
  Findings findings;
  std::ifstream stream(path);
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    size_t mark = line.find("// error:");
    if (mark == std::string::npos)
      continue;
    static const std::regex lint(R"(\[([a-z-]+)\])");
    for (std::sregex_iterator at(line.begin() + mark, line.end(), lint), end; at != end; ++at)
      findings.insert({number, (*at)[1]});
  }
  return findings;
}

Findings found(const fs::path &path) {
  fs::path folder = path.parent_path();
  std::string command = std::string(ISAGEN) + " --check --diagnostics " + DIAGNOSTICS + " " +
                        (folder / "words.isa").string() + " " + (folder / "targets.isa").string() + " " +
                        path.string() + " 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  Findings findings;
  char buffer[4096];
  while (fgets(buffer, sizeof(buffer), pipe)) {
    std::string line = buffer;
    static const std::regex error(R"((.*):(\d+): error: .* \[([a-z-]+)\]\n)");
    std::smatch match;
    if (!std::regex_match(line, match, error))
      continue;
    EXPECT_EQ(match[1], path.string());
    findings.insert({std::stoi(match[2]), match[3]});
  }
  EXPECT_EQ(pclose(pipe) == 0, findings.empty()) << command;
  return findings;
}

class Isagen : public testing::TestWithParam<std::string> {};

TEST_P(Isagen, FindsWhatTheFileSays) {
  fs::path path = fs::path(ISAGEN_CASES) / GetParam();
  EXPECT_EQ(found(path), expected(path));
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto &file : fs::directory_iterator(ISAGEN_CASES))
    if (file.path().filename() != "words.isa" && file.path().filename() != "targets.isa")
      names.push_back(file.path().filename().string());
  return names;
}
INSTANTIATE_TEST_SUITE_P(Cases, Isagen, testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.substr(0, info.param.find('.')); });

} // namespace
