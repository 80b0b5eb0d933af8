// Tests the lints. A comment on each line of the files of isagen/ names the lints that must find it. `good.isa` has
// none.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>

namespace {

namespace fs = std::filesystem;
using Findings = std::set<std::pair<int, std::string>>; // line and lint

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

TEST(Isagen, ExplainsAnEntry) {
  const std::string cases = ISAGEN_CASES;
  const std::string command = std::string(ISAGEN) + " --explain sub.wide --diagnostics " + DIAGNOSTICS + " " + cases +
                              "/words.isa " + cases + "/targets.isa " + cases + "/good.isa";
  FILE *pipe = popen(command.c_str(), "r");
  std::string printed;
  char buffer[4096];
  while (fgets(buffer, sizeof(buffer), pipe))
    printed += buffer;
  EXPECT_EQ(pclose(pipe), 0) << command;
  for (const char *line :
       {"add, sub.sat, sub.wide: many things that are right\n",
        "  add{.rnd}{.ftz}.type{.v} d{|p}, [a, {b,} c]{, e, f}, {!}q  (good.isa:7)\n",
        "    .kind is one of .f32, .u32 [new]  (", "    b : val .type  (good.isa:13)\n",
        "      .f32 | -, .rz | - | * | new | sm_75+\n", "    new: PTX 8.0 or newer and sm_90 or newer  (good.isa:2)\n"})
    EXPECT_NE(printed.find(line), std::string::npos) << line << "in\n" << printed;
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
