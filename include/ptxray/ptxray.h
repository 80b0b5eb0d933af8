#pragma once
// The C++ interface of ptxray (C++17), for programs that hold PTX in a buffer, such as compilers.
//
//   ptxray::Result result = ptxray::check(text, ptxray::Options().set("target", "sm_90a"));
//   for (const ptxray::Diagnostic &d : result.diagnostics)
//     std::cerr << d.begin.line << ": " << d.message << " [" << d.rule << "]\n";
//
// Programs that check many modules use one checker per thread, which caches what the modules share.
//
//   ptxray::Checker checker;
//   for (const std::string &text : texts)
//     if (checker.check(text, options).hasErrors()) ...
//
// The library prints nothing, keeps no state outside of checkers, and is thread-safe. Its own symbols are hidden, so it
// does not clash with another copy of LLVM in the process. It is built on the C interface, so the caller may use any
// compiler and any standard library.
#include "ptxray/ptxray-c.h"
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ptxray {
inline namespace v0 {

/// `0.1.0`
inline std::string_view version() { return ptxray_version(); }

/// Options of a check: target, severities of rules, and so on.
class Options {
public:
  Options() : options(ptxray_options_new()) {
    if (!options)
      throw std::bad_alloc();
  }

  /// Sets an option by its name in a `.ptxray` file: target, ptx, arch, link, pedantic (yes or no), werror, on, off,
  /// warning, error (rules separated by commas). For source that is not a PTX module, the options language (cuda,
  /// python, llvm, rust) and constraints exist as well. The constraints `=r,r,~{memory}` mean that the text is the
  /// template of one statement. Throws std::invalid_argument if a name or a value is unknown.
  Options &set(const std::string &name, const std::string &value) {
    if (const char *problem = ptxray_options_set(options.get(), name.c_str(), value.c_str()))
      throw std::invalid_argument(problem);
    return *this;
  }
  const ptxray_options *get() const { return options.get(); }

private:
  struct Free {
    void operator()(ptxray_options *options) const { ptxray_options_free(options); }
  };
  std::unique_ptr<ptxray_options, Free> options;
};

/// Lines and columns count from 1; columns and offsets are in bytes.
using Place = ptxray_place;

enum class Severity {
  Error = PTXRAY_ERROR,       // ptxas rejects it
  Warning = PTXRAY_WARNING,   // ptxas accepts it, but the manual forbids it
  Pedantic = PTXRAY_PEDANTIC, // bad style; reported on request only
};

struct Note {
  std::string message;
  std::optional<std::pair<Place, Place>> range;
};

/// Replaces the text from `begin` to `end`, which may be equal.
struct Edit {
  Place begin, end;
  std::string text;
};

struct Fix {
  std::string title;
  bool safe = false;       // the intention is unambiguous, or the meaning stays the same
  std::vector<Edit> edits; // apply all of them together
};

/// The line of the CUDA or Python source from which the PTX was compiled.
struct Origin {
  std::string path;
  uint32_t line = 0;
};

struct Diagnostic {
  std::string rule; // `vector-length`
  Severity severity = Severity::Error;
  std::string message;
  Place begin{}, end{};
  std::vector<Note> notes;
  std::optional<Fix> fix;
  std::optional<Origin> origin;
  std::string manual; // section of the PTX manual, or empty
  std::string kind;   // `rounding` for one kind of `missing-qualifier`; empty if the rule has no kinds
};

struct Result {
  std::string ptx, target;             // the version and target of the check; empty if unknown
  std::vector<Diagnostic> diagnostics; // sorted by location

  bool hasErrors() const {
    for (const Diagnostic &d : diagnostics)
      if (d.severity == Severity::Error)
        return true;
    return false;
  }
};

inline Diagnostic readDiagnostic(const ptxray_diagnostic &from) {
  Diagnostic d{from.rule,
               static_cast<Severity>(from.severity),
               from.message,
               from.begin,
               from.end,
               {},
               std::nullopt,
               std::nullopt,
               from.manual ? from.manual : "",
               from.kind ? from.kind : ""};
  for (size_t i = 0; i < from.note_count; ++i) {
    const ptxray_note &note = *from.notes[i];
    Note &to = d.notes.emplace_back();
    to.message = note.message;
    if (note.has_range)
      to.range.emplace(note.begin, note.end);
  }
  if (from.fix_title) {
    d.fix.emplace();
    d.fix->title = from.fix_title;
    d.fix->safe = from.fix_is_safe != 0;
    for (size_t i = 0; i < from.edit_count; ++i)
      d.fix->edits.push_back({from.edits[i]->begin, from.edits[i]->end, from.edits[i]->text});
  }
  if (from.origin_path)
    d.origin = Origin{from.origin_path, from.origin_line};
  return d;
}

struct FreeResult {
  void operator()(ptxray_result *result) const { ptxray_result_free(result); }
};
using GivenResult = std::unique_ptr<ptxray_result, FreeResult>;

inline Result copyResult(const ptxray_result *given) {
  Result result{ptxray_result_ptx(given), ptxray_result_target(given), {}};
  for (size_t i = 0; i < ptxray_result_count(given); ++i)
    result.diagnostics.push_back(readDiagnostic(*ptxray_result_diagnostic(given, i)));
  return result;
}

/// Converts a result of the C interface and frees it. Throws std::bad_alloc if `given` is null.
inline Result readResult(ptxray_result *given) {
  const GivenResult found(given);
  if (!found)
    throw std::bad_alloc();
  return copyResult(found.get());
}

/// Checks a PTX module. Throws std::bad_alloc if memory is exhausted or the text is longer than 4 GiB.
inline Result check(std::string_view text, const Options &options = {}) {
  return readResult(ptxray_check(text.data(), text.size(), options.get()));
}

/// Checks many modules faster than repeated calls of `check`. One object serves one thread at a time.
class Checker {
public:
  Checker() : checker(ptxray_checker_new()) {
    if (!checker)
      throw std::bad_alloc();
  }
  Result check(std::string_view text) { return check(text, nullptr); }
  Result check(std::string_view text, const Options &options) { return check(text, options.get()); }

private:
  struct Free {
    void operator()(ptxray_checker *checker) const { ptxray_checker_free(checker); }
  };
  Result check(std::string_view text, const ptxray_options *options) {
    return readResult(ptxray_checker_check(checker.get(), text.data(), text.size(), options));
  }
  std::unique_ptr<ptxray_checker, Free> checker;
};

/// The kernel, the grid and the arguments of a launch.
class Launch {
public:
  Launch() : launch(ptxray_launch_new()) {
    if (!launch)
      throw std::bad_alloc();
  }

  /// Sets an option of `ptxray run` by its name: kernel, grid, block, cluster (`X,Y,Z`), shared, cooperative,
  /// time-limit (seconds), checks, schedule, trap-nan and cores (0: all). The values of cooperative, checks and
  /// trap-nan are yes or no. `checks` enables race detection. Throws std::invalid_argument if a name or a value is
  /// unknown.
  Launch &set(const std::string &name, const std::string &value) {
    if (const char *problem = ptxray_launch_set(launch.get(), name.c_str(), value.c_str()))
      throw std::invalid_argument(problem);
    return *this;
  }
  /// Adds the next argument: a number of the parameter's size, an address on the emulated GPU, or a structure.
  template <typename T> Launch &argument(const T &value) {
    static_assert(std::is_trivially_copyable<T>::value, "an argument is handed over by its bytes");
    ptxray_launch_argument(launch.get(), &value, sizeof value);
    return *this;
  }
  const ptxray_launch *get() const { return launch.get(); }

private:
  struct Free {
    void operator()(ptxray_launch *launch) const { ptxray_launch_free(launch); }
  };
  std::unique_ptr<ptxray_launch, Free> launch;
};

/// The result of a launch.
struct Launched {
  Result result;                      // faults of the kernel
  std::string printed;                // output of `printf` in the kernel
  std::optional<std::string> refusal; // why the launch did not complete; empty if it completed
  // JSON with the counts of a launch that has the option `counters`; empty for other launches
  std::optional<std::string> counters, fidelity;
  // The certificate of a launch with `certify`, as JSON; empty for other launches.
  std::optional<std::string> certificate;
};

/// An emulated GPU with a module loaded. Its memory persists between launches. One object serves one thread at a time.
///
///   ptxray::Machine machine(text);
///   std::vector<float> data(64);
///   machine.run(ptxray::Launch().set("block", "64").argument(machine.add(data.data(), data.size() * sizeof(float))));
class Machine {
public:
  /// Loads a module. The option `arch` names the GPU. Throws std::bad_alloc if memory is exhausted or the text is
  /// longer than 4 GiB.
  explicit Machine(std::string_view text, const Options &options = {})
      : machine(ptxray_machine_new(text.data(), text.size(), options.get())) {
    if (!machine)
      throw std::bad_alloc();
  }

  /// Returns the diagnostics of the module. A module with errors cannot be launched.
  Result checked() const { return copyResult(ptxray_machine_checked(machine.get())); }
  /// Makes memory of the caller accessible as a buffer until it is removed, without a copy. Returns its address on the
  /// GPU.
  uint64_t add(void *bytes, size_t size, const char *name = nullptr) {
    return ptxray_machine_add(machine.get(), bytes, size, name);
  }
  /// Adds a texture, a surface or a sampler, or binds it to a variable of the module. Returns its handle, which can be
  /// an argument of a launch or of `remove`. Throws std::invalid_argument.
  uint64_t add(const ptxray_image &image, const char *name = nullptr) {
    const char *problem = nullptr;
    const uint64_t handle = ptxray_machine_add_image(machine.get(), &image, name, &problem);
    if (!handle)
      throw std::invalid_argument(problem);
    return handle;
  }
  void remove(uint64_t address) { ptxray_machine_remove(machine.get(), address); }
  /// Returns the memory of a variable of the module, or null if no variable has this name.
  void *variable(const std::string &name, size_t &size) const {
    return ptxray_machine_variable(machine.get(), name.c_str(), &size);
  }
  /// Runs a kernel until it ends or faults.
  Launched run(const Launch &launch) {
    const GivenResult given(ptxray_machine_run(machine.get(), launch.get()));
    if (!given)
      throw std::bad_alloc();
    auto textOf = [](const char *text) { return text ? std::optional<std::string>(text) : std::nullopt; };
    return {copyResult(given.get()),
            ptxray_result_printed(given.get()),
            textOf(ptxray_result_refusal(given.get())),
            textOf(ptxray_result_counters(given.get())),
            textOf(ptxray_result_fidelity(given.get())),
            textOf(ptxray_result_certificate(given.get()))};
  }
  /// Returns whether a launch leaves the same in the memory that was added as a launch of another machine, for all
  /// contents: JSON as of `ptxray equal`. `types` has the types of the elements of each memory: `f32,f32,s32`. Throws
  /// std::invalid_argument if a launch is impossible.
  std::string equal(const Launch &launch, Machine &other, const Launch &otherLaunch, const std::string &types = "") {
    const GivenResult given(
        ptxray_machine_equal(machine.get(), launch.get(), other.machine.get(), otherLaunch.get(), types.c_str()));
    if (!given)
      throw std::bad_alloc();
    if (const char *const answer = ptxray_result_equality(given.get()))
      return answer;
    throw std::invalid_argument(ptxray_result_refusal(given.get()));
  }

private:
  struct Free {
    void operator()(ptxray_machine *machine) const { ptxray_machine_free(machine); }
  };
  std::unique_ptr<ptxray_machine, Free> machine;
};

/// Returns the smallest text that it finds for which `isInteresting(std::string_view)` is true. If `rule` is set, a
/// text is interesting if ptxray reports this rule (docs/reduce.md). The condition must hold for `text`. Throws
/// std::invalid_argument.
template <typename Test>
std::string reduce(std::string_view text, Test isInteresting, const Options &options = {},
                   const std::string &rule = "") {
  struct Free {
    void operator()(ptxray_reduction *reduction) const { ptxray_reduction_free(reduction); }
  };
  const std::unique_ptr<ptxray_reduction, Free> reduction(
      ptxray_reduction_new(text.data(), text.size(), options.get(), rule.empty() ? nullptr : rule.c_str()));
  if (!reduction)
    throw std::bad_alloc();
  if (const char *problem = ptxray_reduction_problem(reduction.get()))
    throw std::invalid_argument(problem);
  size_t size = 0;
  while (const char *next = ptxray_reduction_next(reduction.get(), &size))
    ptxray_reduction_tell(reduction.get(), isInteresting(std::string_view(next, size)));
  const char *best = ptxray_reduction_best(reduction.get(), &size);
  return {best, size};
}

/// Returns the page about a rule, in Markdown; empty if there is no such rule.
inline std::optional<std::string_view> explain(const std::string &rule) {
  const char *page = ptxray_explain(rule.c_str());
  return page ? std::optional<std::string_view>(page) : std::nullopt;
}

} // namespace v0
} // namespace ptxray
