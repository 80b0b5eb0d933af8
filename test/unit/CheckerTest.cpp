// Tests that a checker that is used again reports the same for each text as a fresh one. This file includes no header
// of lib/.
#include "ptxray/ptxray.h"
#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <thread>

namespace {

std::string show(const ptxray::Place &place) {
  return std::to_string(place.line) + ':' + std::to_string(place.column) + ':' + std::to_string(place.offset) + ' ';
}

/// Returns the whole contents of a result as text.
std::string show(const ptxray::Result &result) {
  std::ostringstream out;
  out << result.ptx << ' ' << result.target << '\n';
  for (const ptxray::Diagnostic &d : result.diagnostics) {
    out << show(d.begin) << show(d.end) << int(d.severity) << ' ' << d.rule << ' ' << d.kind << ' ' << d.manual << ' '
        << d.message << '\n';
    for (const ptxray::Note &note : d.notes)
      out << (note.range ? show(note.range->first) + show(note.range->second) : "") << note.message << '\n';
    if (d.fix) {
      out << d.fix->title << d.fix->safe << '\n';
      for (const ptxray::Edit &edit : d.fix->edits)
        out << show(edit.begin) << show(edit.end) << edit.text << '\n';
    }
    if (d.origin)
      out << d.origin->path << ' ' << d.origin->line << '\n';
  }
  return out.str();
}

struct Text {
  std::string name, text, language;
};

/// Returns all texts of the tests, in a fixed order, and sources with assembly.
std::vector<Text> testTexts() {
  const std::pair<const char *, const char *> languages[] = {{".ptx", "ptx"}, {".lines", "ptx"}, {".before", "ptx"},
                                                             {".cu", "cuda"}, {".py", "python"}, {".ll", "llvm"}};
  std::vector<Text> texts;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(TEST_FOLDER))
    for (const auto &[extension, language] : languages)
      if (entry.is_regular_file() && entry.path().extension() == extension && entry.file_size() < 60'000) {
        std::ostringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        texts.push_back({entry.path().string(), text.str(), language});
      }
  std::sort(texts.begin(), texts.end(), [](const Text &a, const Text &b) { return a.name < b.name; });
  return texts;
}

/// Checks texts in a random order with changing options, and compares the results with those of fresh checkers.
void compareWithFresh(unsigned seed, unsigned count) {
  const std::vector<Text> texts = testTexts();
  ASSERT_GT(texts.size(), 400u);
  std::mt19937 random(seed);
  ptxray::Checker checker;
  size_t found = 0;
  for (unsigned i = 0; i < count; ++i) {
    const Text &text = texts[random() % texts.size()];
    ptxray::Options options;
    options.set("language", text.language);
    if (const char *target = std::array{"", "sm_75", "sm_90a", "sm_100a", "sm_20"}[random() % 5]; *target)
      options.set("target", target);
    if (const char *ptx = std::array{"", "", "9.0", "6.3"}[random() % 4]; *ptx)
      options.set("ptx", ptx);
    if (random() % 4 == 0)
      options.set("pedantic", "yes");
    if (random() % 4 == 0)
      options.set("arch", "sm_120");
    const ptxray::Result fresh = ptxray::check(text.text, options);
    found += fresh.diagnostics.size();
    ASSERT_EQ(show(checker.check(text.text, options)), show(fresh)) << text.name << ", number " << i;
  }
  EXPECT_GT(found, count);
}

/// $PTXRAY_CHECKER_TEXTS is the number of texts.
TEST(Checker, SaysWhatAFreshOneSays) {
  const char *count = std::getenv("PTXRAY_CHECKER_TEXTS");
  compareWithFresh(1, count ? static_cast<unsigned>(std::atoi(count)) : 300);
}

std::string kernel(const std::string &body) {
  return ".version 8.6\n.target sm_80\n.visible .entry k()\n{\n\t.reg .b32 %r<9>;\n" + body + "\tret;\n}\n";
}

/// Returns a text that is like no other: it has a name, a number, and mostly a spelling or an error of its own.
std::string textOfNumber(size_t number) {
  const std::string own = std::to_string(number);
  std::string body = "\tmov.b32 %r1, " + own + ";\n\tadd.s32 %r0, %r1, %r" + std::to_string(number % 9) + ";\n";
  if (number % 3 == 0)
    body += "\tadd.x" + own + " %r0, %r1, %r1;\n";
  if (number % 5 == 0)
    body += "\tmov.b32 %r2, %n" + own + ";\n$l" + own + ":\n";
  if (number % 7 == 0)
    body += "\tlost {" + own + "\n";
  return ".version 8.6\n.target sm_" + std::string(number % 2 ? "80" : "90a") + "\n.visible .entry k" + own +
         "()\n{\n\t.reg .b32 %r<9>;\n" + body + "\tret;\n}\n";
}

/// Returns the resident memory in pages, or 0 if the system does not report it.
size_t residentMemory() {
  size_t size = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident;
}

/// $PTXRAY_CHECKER_CALLS is the number of texts.
TEST(Checker, ManyDifferentTexts) {
  const char *wanted = std::getenv("PTXRAY_CHECKER_CALLS");
  const size_t count = wanted ? std::stoul(wanted) : 3000;
  ptxray::Checker checker;
  std::mt19937 random(3);
  size_t found = 0, early = 0;
  for (size_t i = 0; i < count; ++i) {
    const std::string text = textOfNumber(i);
    const ptxray::Result result = checker.check(text);
    found += result.diagnostics.size();
    if (random() % 500 == 0) { // tests an earlier text again, too
      const std::string before = textOfNumber(random() % (i + 1));
      ASSERT_EQ(show(checker.check(before)), show(ptxray::check(before))) << before;
      ASSERT_EQ(show(result), show(ptxray::check(text))) << text;
    }
    if (i == count / 10)
      early = residentMemory();
  }
  EXPECT_GT(found, count / 2);
  constexpr size_t noise = 2048; // pages that a process returns late
  if (wanted) {                  // a sanitizer keeps the freed memory of a few texts
    EXPECT_LE(residentMemory(), early + early / 10 + noise);
  }
  RecordProperty("pages", static_cast<int>(residentMemory()));
  std::printf("memory after a tenth %zu KiB, after all %zu KiB\n", early * 4, residentMemory() * 4);
}

TEST(Checker, OneForEachThread) {
  const std::vector<Text> texts = testTexts();
  std::vector<std::string> alone;
  for (size_t i = 0; i < 40; ++i)
    alone.push_back(show(ptxray::check(texts[i].text, ptxray::Options().set("language", texts[i].language))));
  auto work = [&](size_t first) {
    ptxray::Checker checker;
    for (size_t i = 0; i < alone.size(); ++i) {
      const size_t at = (first + i) % alone.size();
      const ptxray::Options options = std::move(ptxray::Options().set("language", texts[at].language));
      EXPECT_EQ(show(checker.check(texts[at].text, options)), alone[at]);
    }
  };
  std::thread one(work, 0), other(work, 17);
  one.join();
  other.join();
}

/// Each thread remembers only texts that it has read itself.
TEST(Checker, EachThreadItsOwnTexts) {
  auto work = [](size_t first) {
    ptxray::Checker checker;
    for (size_t i = 0; i < 400; ++i) {
      const std::string text = textOfNumber(first + i);
      EXPECT_EQ(show(checker.check(text)), show(ptxray::check(text)));
    }
  };
  std::thread one(work, 0), other(work, 200);
  one.join();
  other.join();
}

TEST(Checker, ResultsOutliveIt) {
  auto *checker = ptxray_checker_new();
  const std::string text = kernel("\tmov.b32 %r0, %x;\n");
  ptxray_result *result = ptxray_checker_check(checker, text.data(), text.size(), nullptr);
  ptxray_checker_free(checker);
  ASSERT_EQ(ptxray_result_count(result), 1u);
  EXPECT_STREQ(ptxray_result_diagnostic(result, 0)->rule, "undefined-symbol");
  EXPECT_STREQ(ptxray_result_target(result), "sm_80");
  ptxray_result_free(result);
}

} // namespace
