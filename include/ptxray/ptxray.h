#pragma once
// The C++ interface of ptxray (C++17): a compiler holds a buffer and gets diagnostics back.
//
//   ptxray::Result result = ptxray::check(text, ptxray::Options().set("target", "sm_90a"));
//   for (const ptxray::Diagnostic &d : result.diagnostics)
//     std::cerr << d.begin.line << ": " << d.message << " [" << d.rule << "]\n";
//
// Who checks many texts makes a checker, one for each thread: it remembers what texts have in common.
//
//   ptxray::Checker checker;
//   for (const std::string &text : texts)
//     if (checker.check(text, options).hasErrors()) ...
//
// It prints nothing, keeps no state but in checkers and may be called from several threads at once. Its own
// names are hidden, so it does not meet the LLVM of the program it is loaded into. It is built on the C
// interface, so it does not matter with which compiler or standard library the caller is built.
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

/// Options say how a text is checked: its target, levels of rules, and so on.
class Options {
public:
  Options() : options(ptxray_options_new()) {
    if (!options)
      throw std::bad_alloc();
  }

  /// The names are those of a `.ptxray` file: target, ptx, arch, link, pedantic (yes or no), werror, on, off,
  /// warning, error (rules with commas between them). Of a text that is not a PTX module also language (cuda, python,
  /// llvm, rust) or constraints (`=r,r,~{memory}`: it is the template of one statement). Throws std::invalid_argument
  /// for what is unknown.
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

/// Lines and columns count from 1, columns and offsets in bytes.
using Place = ptxray_place;

enum class Severity {
  Error = PTXRAY_ERROR,       // ptxas refuses it
  Warning = PTXRAY_WARNING,   // ptxas accepts it, the manual does not
  Pedantic = PTXRAY_PEDANTIC, // bad style; only reported when asked for
};

struct Note {
  std::string message;
  std::optional<std::pair<Place, Place>> range;
};

/// Replaces the text from `begin` to `end`, which may be the same place.
struct Edit {
  Place begin, end;
  std::string text;
};

struct Fix {
  std::string title;
  bool safe = false;       // there is no other reading, or the meaning stays
  std::vector<Edit> edits; // all of them together are the fix
};

/// The line of the CUDA or Python source that the PTX was made from.
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
  std::string kind;   // of a rule that has kinds, `rounding` of `missing-qualifier`, or empty
};

struct Result {
  std::string ptx, target;             // what the text was checked as; empty: it says nothing
  std::vector<Diagnostic> diagnostics; // in the order of the text

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

/// Takes over what a function of the C interface gave. Throws std::bad_alloc if that is nothing.
inline Result readResult(ptxray_result *given) {
  const GivenResult found(given);
  if (!found)
    throw std::bad_alloc();
  return copyResult(found.get());
}

/// Checks a whole PTX text. Throws std::bad_alloc when memory ends or the text is longer than 4 GiB.
inline Result check(std::string_view text, const Options &options = {}) {
  return readResult(ptxray_check(text.data(), text.size(), options.get()));
}

/// Checks one text after another and says of each what `check` does, sooner. It serves one thread at a time.
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

/// A launch names a kernel, its grid and its arguments.
class Launch {
public:
  Launch() : launch(ptxray_launch_new()) {
    if (!launch)
      throw std::bad_alloc();
  }

  /// The names are those of `ptxray run`: kernel, grid, block, cluster (`X,Y,Z`), shared, cooperative (yes or no),
  /// time-limit (seconds), checks (yes or no: look for races), schedule, trap-nan (yes or no) and cores (0: all).
  /// Throws std::invalid_argument.
  Launch &set(const std::string &name, const std::string &value) {
    if (const char *problem = ptxray_launch_set(launch.get(), name.c_str(), value.c_str()))
      throw std::invalid_argument(problem);
    return *this;
  }
  /// The next argument: a number of the parameter's size, an address of the machine, a structure.
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

/// This is the result of a launch.
struct Launched {
  Result result;                      // faults of the kernel
  std::string printed;                // what the kernel printed
  std::optional<std::string> refusal; // why it did not come to its end without a fault; nothing: it did
  // Counts of a launch with `counters`, as JSON; nothing without.
  std::optional<std::string> counters, fidelity;
  // The certificate of a launch with `certify`, as JSON; nothing without.
  std::optional<std::string> certificate;
};

/// A module on an emulated GPU, with memory that keeps what launches leave in it. It serves one thread at a time.
///
///   ptxray::Machine machine(text);
///   std::vector<float> data(64);
///   machine.run(ptxray::Launch().set("block", "64").argument(machine.add(data.data(), data.size() * sizeof(float))));
class Machine {
public:
  /// `arch` of the options names the GPU. Throws std::bad_alloc when memory ends or the text is longer than 4 GiB.
  explicit Machine(std::string_view text, const Options &options = {})
      : machine(ptxray_machine_new(text.data(), text.size(), options.get())) {
    if (!machine)
      throw std::bad_alloc();
  }

  /// Returns what a check of the text finds. With an error in it nothing can be launched.
  Result checked() const { return copyResult(ptxray_machine_checked(machine.get())); }
  /// Makes memory of the caller a buffer, in place, until it is removed. Returns its address on the GPU.
  uint64_t add(void *bytes, size_t size, const char *name = nullptr) {
    return ptxray_machine_add(machine.get(), bytes, size, name);
  }
  /// Makes a texture, a surface or a sampler known, or binds it to a variable of the module. Returns its handle, for an
  /// argument or for `remove`. Throws std::invalid_argument.
  uint64_t add(const ptxray_image &image, const char *name = nullptr) {
    const char *problem = nullptr;
    const uint64_t handle = ptxray_machine_add_image(machine.get(), &image, name, &problem);
    if (!handle)
      throw std::invalid_argument(problem);
    return handle;
  }
  void remove(uint64_t address) { ptxray_machine_remove(machine.get(), address); }
  /// The memory of a variable of the module; null: there is none of that name.
  void *variable(const std::string &name, size_t &size) const {
    return ptxray_machine_variable(machine.get(), name.c_str(), &size);
  }
  /// Runs a kernel to its end or its first faults.
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

private:
  struct Free {
    void operator()(ptxray_machine *machine) const { ptxray_machine_free(machine); }
  };
  std::unique_ptr<ptxray_machine, Free> machine;
};

/// The smallest text that can be found for which `isInteresting(std::string_view)` is true, as it must be for `text`;
/// or of which ptxray reports the rule, if one is named (docs/reduce.md). Throws std::invalid_argument.
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

/// The page about a rule, in Markdown; nothing when there is no such rule.
inline std::optional<std::string_view> explain(const std::string &rule) {
  const char *page = ptxray_explain(rule.c_str());
  return page ? std::optional<std::string_view>(page) : std::nullopt;
}

} // namespace v0
} // namespace ptxray
