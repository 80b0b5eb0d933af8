// Measures, in one run, what reading and checking PTX costs: docs/performance.md says how to repeat it.
//
//   bench PTXRAY PTXAS FILE...     PTXAS may be `-`
//
// CPU time, not wall-clock time, and the best of several rounds: other work on the machine disturbs both
// less. The files of one row are read one after the other.
#include "Check/CheckModule.h"
#include "Parse/Parse.h"
#include "Parse/Scanner.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

using namespace ptxray;

static double cpuNow() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

/// The least CPU time of one call, over half a second of calls but at least five.
static double best(llvm::function_ref<void()> work) {
  double least = 1e9, total = 0;
  for (int round = 0; round < 5 || (total < 0.5 && round < 500); ++round) {
    const double begin = cpuNow();
    work();
    const double spent = cpuNow() - begin;
    least = std::min(least, spent);
    total += spent;
  }
  return least;
}

struct Run {
  double cpu = 0, wall = 0; // seconds
  long peak = 0;            // KiB
};

static Run runOnce(std::vector<std::string> words) {
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child;
  Run run;
  rusage usage{};
  if (posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ) == 0)
    wait4(child, nullptr, 0, &usage);
  run.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  run.cpu = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
            (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  run.peak = usage.ru_maxrss;
  posix_spawn_file_actions_destroy(&actions);
  return run;
}

/// The least of each over some runs.
static Run runBest(const std::vector<std::string> &words, int rounds) {
  Run least{1e9, 1e9, 1L << 40};
  for (int round = 0; round < rounds; ++round) {
    const Run run = runOnce(words);
    least = {std::min(least.cpu, run.cpu), std::min(least.wall, run.wall),
             std::min(least.peak, run.peak)};
  }
  return least;
}

/// `sm_90a` as `compute_90a`: with that ptxas reads and checks, and compiles nothing.
static std::string archOf(llvm::StringRef text) {
  llvm::StringRef behind = text.split(".target").second.ltrim();
  return "-arch=compute_" +
         behind.drop_front(3).take_while([](char c) { return isalnum(static_cast<unsigned char>(c)) != 0; }).str();
}

int main(int argc, char **argv) {
  if (argc < 4) {
    llvm::errs() << "usage: bench PTXRAY PTXAS|- FILE...\n";
    return 2;
  }
  const std::string tool = argv[1], ptxas = argv[2];
  char folder[] = "/tmp/ptxray-bench-XXXXXX";
  if (!mkdtemp(folder))
    return 1;
  auto write = [&](const char *name, llvm::StringRef text) {
    const std::string path = std::string(folder) + "/" + name;
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    return path;
  };
  const std::string empty = write("empty.ptx", ".version 9.0\n.target sm_90\n.address_size 64\n");
  std::string kilobyte = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
                         ".reg .b32 %r<4>;\n.reg .b64 %rd<4>;\nld.param.u64 %rd1, [p];\n";
  while (kilobyte.size() < 1000)
    kilobyte += "ld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 7;\n";
  const std::string small = write("small.ptx", kilobyte + "ret;\n}\n");

  // Processes first: the peak of a child begins with what its parent holds.
  const Run smallRun = runBest({tool, "check", small}, 200);
  const long startup = runBest({tool, "check", empty}, 5).peak;
  std::vector<Run> whole;
  std::vector<double> witness;
  for (int i = 3; i < argc; ++i) {
    whole.push_back(runBest({tool, "check", argv[i]}, 10));
    std::string arch;
    {
      std::string problem;
      const std::unique_ptr<SourceBuffer> source = SourceBuffer::open(argv[i], problem);
      if (!source) {
        llvm::errs() << argv[i] << ": " << problem << '\n';
        return 1;
      }
      arch = archOf(source->text());
    }
    witness.push_back(ptxas == "-" ? 0 : runBest({ptxas, arch, argv[i], "-o", "/dev/null"}, 3).cpu);
  }
  llvm::outs() << "a file of 1 KB, start to finish: "
               << llvm::format("%.2f ms (%.2f ms CPU)", smallRun.wall * 1e3, smallRun.cpu * 1e3)
               << "; memory at start-up: " << startup << " KiB\n\n"
               << "   MB  scan MB/s  parse MB/s  check MB/s  process s  ptxas s  ratio  memory/file  file\n";
  for (int i = 3; i < argc; ++i) {
    std::string problem;
    const std::unique_ptr<SourceBuffer> source = SourceBuffer::open(argv[i], problem);
    const double megabytes = source->text().size() / 1e6;
    const double scan = best([&] {
      Interner names, spellings;
      Scanner scanner(names, spellings);
      scanner.start(source->text());
      Token token;
      do
        scanner.next(token);
      while (token.kind != TokenKind::EndOfFile);
    });
    const double parse = best([&] {
      Parser parser;
      DiagnosticSink sink;
      parser.parse(*source, sink, /*keepBodies=*/false, [](const Ast &, Statement) {});
    });
    const double check = best([&] {
      DiagnosticSink sink;
      checkSource(*source, CheckOptions(), sink);
    });
    const Run &run = whole[i - 3];
    llvm::outs() << llvm::format("%5.2f  %9.0f  %10.0f  %10.0f  %9.4f  %7.3f  %5.1f  %11.2f  ", megabytes,
                                 megabytes / scan, megabytes / parse, megabytes / check, run.cpu,
                                 witness[i - 3], witness[i - 3] / run.cpu,
                                 (run.peak - startup) * 1024.0 / source->text().size())
                 << argv[i] << '\n';
  }
  unlink(empty.c_str());
  unlink(small.c_str());
  rmdir(folder);
}
