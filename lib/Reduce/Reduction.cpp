#include "Reduce/Reduction.h"
#include "Format/Format.h"
#include "Reduce/Passes.h"
#include "Reduce/Validity.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/xxhash.h"
#include <unordered_set>

namespace ptxray {
/// The possible changes of a pass, and those that have been applied.
struct ReductionAttempt {
  std::string text;
  Changes changes;
  llvm::BitVector made;
  // The next range of changes to try ends at `end`.
  uint32_t size = 0, end = 0;

  bool isOver() const { return size == 0; }
  /// Advances to the next range of changes.
  void advance() {
    end -= std::min(size, end);
    if (end == 0) {
      size /= 2;
      end = static_cast<uint32_t>(changes.size());
    }
  }
};

/// A candidate that was returned to the caller.
struct PendingCandidate {
  Candidate judged;
  llvm::BitVector made;
  uint32_t size, end; // current range of the attempt
  size_t tries;       // number of candidates since the last answer
};

namespace {

/// Returns whether one text is simpler than another: its weight is lower, or equal and it is lexically smaller.
bool isSimpler(llvm::StringRef text, llvm::StringRef other) {
  const size_t weight = weightOf(text), weightOfOther = weightOf(other);
  return weight != weightOfOther ? weight < weightOfOther : text < other;
}

/// Returns the fingerprint of a text, for recognising texts that were tried.
uint64_t printOf(llvm::StringRef text) { return llvm::xxHash64(text); }

} // namespace

struct Reduction::State {
  State(const ReductionOptions &options, std::optional<DiagId> keptRule, Kind keptKind)
      : validity(options.check, keptRule, keptKind) {}

  void beginPass();
  void nextPass();
  void findCandidate();
  void finish();
  llvm::ArrayRef<ReductionPass> passes() const { return isFine ? finePasses() : coarsePasses(); }

  Validity validity;
  std::string problem;
  Candidate best;
  std::unordered_set<uint64_t> tried;
  std::vector<uint64_t> tries; // since the last answer

  bool isFine = false, isLaidOut = false, isDone = false;
  size_t pass = 0;
  bool hasChanged = false; // since the first pass
  ReductionAttempt attempt;
  std::vector<PendingCandidate> pending;
};

void Reduction::State::beginPass() {
  attempt = {};
  attempt.text = best.text;
  const std::optional<ReadModule> &module = best.read->module;
  const auto find = passes()[pass].find;
  attempt.changes = module ? find(*module) : find(readModule(*best.read->report.source));
  attempt.made.resize(static_cast<unsigned>(attempt.changes.size()));
  attempt.size = attempt.end = static_cast<uint32_t>(attempt.changes.size());
}

/// Advances to the next pass. Passes that changed something are repeated. The fine passes follow the coarse ones, and
/// vice versa as long as there are changes.
void Reduction::State::nextPass() {
  if (++pass == passes().size()) {
    pass = 0;
    if (isFine && !hasChanged)
      return finish();
    isFine = !isFine && !hasChanged;
    hasChanged = false;
  }
  beginPass();
}

/// Proposes the formatted text as the last candidate.
void Reduction::State::finish() {
  attempt = {};
  isDone = isLaidOut;
  isLaidOut = true;
  if (isDone)
    return;
  std::optional<Candidate> laidOut = validity.accept(formatted(best.text, {.indent = 2}), best.rules);
  isDone = !laidOut || laidOut->text == best.text;
  if (!isDone)
    pending.push_back({std::move(*laidOut), {}, 0, 0, 0});
}

/// Adds the next candidate to the pending ones, if it is valid.
void Reduction::State::findCandidate() {
  llvm::BitVector made = attempt.made;
  made.set(attempt.end - std::min(attempt.size, attempt.end), attempt.end);
  attempt.advance();
  made = usable(attempt.changes, std::move(made));
  if (made == attempt.made)
    return;
  std::string text = changed(attempt.text, attempt.changes, made);
  if (!tried.insert(printOf(text)).second)
    return;
  tries.push_back(printOf(text));
  if (!isSimpler(text, best.text))
    return;
  std::optional<Candidate> judged = validity.accept(std::move(text), best.rules);
  if (judged && isSimpler(judged->text, best.text))
    pending.push_back({std::move(*judged), std::move(made), attempt.size, attempt.end, tries.size()});
}

Reduction::Reduction(std::string text, const ReductionOptions &options) {
  const auto [name, kindName] = llvm::StringRef(options.keptRule).split(':');
  const std::optional<DiagId> keptRule = findDiag(name);
  const Kind keptKind = findKind(kindName);
  state = std::make_unique<State>(options, keptRule, keptKind);
  if (!name.empty() && (!keptRule || (!kindName.empty() && keptKind == Kind::None))) {
    state->problem = "there is no rule `" + options.keptRule + "`";
  } else if (text.size() > SourceBuffer::largest) {
    state->problem = "the file is larger than 4 GiB";
  } else {
    state->best = state->validity.judge(std::move(text));
    if (!state->validity.keepsRule())
      state->problem = "the file does not violate the rule `" + options.keptRule + "`";
  }
  state->isDone = !state->problem.empty();
  if (!state->isDone)
    state->beginPass();
}

Reduction::~Reduction() = default;

const std::string &Reduction::problem() const { return state->problem; }
const std::string &Reduction::best() const { return state->best.text; }
bool Reduction::isDone() const { return state->isDone; }
llvm::StringRef Reduction::pass() const {
  return state->isLaidOut ? llvm::StringRef("layout") : llvm::StringRef(state->passes()[state->pass].name);
}

std::vector<std::string> Reduction::candidates(size_t most) {
  constexpr unsigned attempts = 32; // returns regularly, because the caller may want to stop
  State &s = *state;
  for (unsigned i = 0; i < attempts && !s.isDone && !s.isLaidOut && s.pending.size() < most; ++i) {
    if (!s.attempt.isOver())
      s.findCandidate();
    else if (s.pending.empty())
      s.nextPass();
    else
      break;
  }
  std::vector<std::string> texts;
  for (const PendingCandidate &one : s.pending)
    texts.push_back(one.judged.text);
  return texts;
}

void Reduction::tell(std::optional<size_t> interesting) {
  State &s = *state;
  if (interesting && *interesting < s.pending.size()) {
    PendingCandidate &found = s.pending[*interesting];
    for (const uint64_t later : llvm::ArrayRef(s.tries).drop_front(found.tries))
      s.tried.erase(later);
    s.best = std::move(found.judged);
    s.attempt.made = std::move(found.made);
    s.attempt.size = found.size;
    s.attempt.end = found.end;
    s.hasChanged = true;
  }
  s.pending.clear();
  s.tries.clear();
  s.isDone |= s.isLaidOut;
}

} // namespace ptxray
