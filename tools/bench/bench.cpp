// Takes the measurements that tools/bench/bench.py judges:
//
//   bench stages FILE...                      the steps of a check, inside this process
//   bench run ROUNDS COMMAND [++ COMMAND]...  whole processes
//
// The program measures CPU time rather than wall-clock time. In each round, the compared programs take turns, so that
// other work on the machine disturbs all of them alike. The result is the least of several rounds. Times are seconds;
// each line is a JSON object.
#include "Check/Checker.h"
#include "Parse/Parse.h"
#include "Parse/Scanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
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

static double cpuOf(llvm::function_ref<void()> work) {
  const double begin = cpuNow();
  work();
  return cpuNow() - begin;
}

static bool stages(const char *path) {
  const auto opened = SourceBuffer::open(path);
  if (!opened) {
    llvm::errs() << path << ": " << opened.problem() << '\n';
    return false;
  }
  const std::unique_ptr<SourceBuffer> &source = *opened;
  size_t instructions = 0;
  auto scanAll = [&] {
    Interner names, spellings;
    Scanner scanner(names, spellings);
    scanner.start(source->text());
    Token token;
    do
      scanner.next(token);
    while (token.kind != TokenKind::EndOfFile);
  };
  auto parseAll = [&] {
    Parser parser;
    DiagnosticSink sink;
    instructions = 0;
    parser.stream(*source, sink, [&](const Ast &ast, Statement statement) {
      if (statement.kind == StatementKind::Function && ast.functions[statement.index].hasBody)
        instructions += ast.instructions.size();
    });
  };
  auto checkAll = [&] { findingsIn(*source); };
  double scan = 1e9, parse = 1e9, check = 1e9, total = 0;
  for (int round = 0; round < 5 || (total < 2 && round < 500); ++round) {
    const double scanned = cpuOf(scanAll), parsed = cpuOf(parseAll), checked = cpuOf(checkAll);
    scan = std::min(scan, scanned);
    parse = std::min(parse, parsed);
    check = std::min(check, checked);
    total += scanned + parsed + checked;
  }
  llvm::outs() << llvm::format(
      "{\"bytes\": %zu, \"instructions\": %zu, \"scan\": %.6f, \"parse\": %.6f, \"check\": %.6f}\n",
      source->text().size(), instructions, scan, parse, check);
  return true;
}

struct Process {
  std::vector<char *> words;
  double cpu = 1e9, wall = 1e9; // the least times of all rounds
  long peak = 1L << 40;         // KiB
  int status = 0;
};

static void runOnce(Process &process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const auto begin = std::chrono::steady_clock::now();
  pid_t child;
  rusage usage{};
  process.status = -1;
  if (posix_spawnp(&child, process.words[0], &actions, nullptr, process.words.data(), environ) == 0)
    wait4(child, &process.status, 0, &usage);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const double cpu =
      usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
  process.wall = std::min(process.wall, wall);
  process.cpu = std::min(process.cpu, cpu);
  process.peak = std::min(process.peak, usage.ru_maxrss);
  posix_spawn_file_actions_destroy(&actions);
}

static void runAll(int rounds, llvm::ArrayRef<char *> words) {
  std::vector<Process> processes(1);
  for (char *word : words)
    if (llvm::StringRef(word) == "++")
      processes.emplace_back();
    else
      processes.back().words.push_back(word);
  for (Process &process : processes)
    process.words.push_back(nullptr);
  for (int round = 0; round < rounds; ++round)
    llvm::for_each(processes, runOnce);
  for (const Process &process : processes)
    llvm::outs() << llvm::format("{\"cpu\": %.6f, \"wall\": %.6f, \"peak\": %ld, \"status\": %d}\n", process.cpu,
                                 process.wall, process.peak,
                                 WIFEXITED(process.status) ? WEXITSTATUS(process.status) : -1);
}

int main(int argc, char **argv) {
  const llvm::ArrayRef<char *> words(argv + 1, argc - 1);
  int rounds = 0;
  if (words.size() > 1 && llvm::StringRef(words[0]) == "stages")
    return llvm::all_of(words.drop_front(), stages) ? 0 : 1;
  if (words.size() > 2 && llvm::StringRef(words[0]) == "run" && !llvm::StringRef(words[1]).getAsInteger(10, rounds)) {
    runAll(rounds, words.drop_front(2));
    return 0;
  }
  llvm::errs() << "usage: bench stages FILE...\n       bench run ROUNDS COMMAND [++ COMMAND]...\n";
  return 2;
}
