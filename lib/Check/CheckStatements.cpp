#include "Check/CheckStatements.h"
#include "Check/FragmentLints.h"
#include "Check/JoinedLiterals.h"
#include "Check/Session.h"
#include "Inline/Readers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

namespace ptxray {

namespace {

/// Checks the statements of a source, in groups that open and close blocks together.
class SourceCheck {
public:
  SourceCheck(const InlineText &text, const CheckOptions &options, Session &session, DiagnosticSink &sink,
              std::vector<InlineSummary::Expansion> *expansions = nullptr)
      : text(text), session(session), targets(inlineTargets(options)), target(options.target), sink(sink),
        expansions(expansions) {
    size_t bytes = 0;
    for (const InlineStatement &statement : text.statements)
      bytes += statement.text.text().size();
    session.knowledge.budget.begin(bytes);
    trialsLeft = leastTrials + bytes / bytesOfTrial;
  }
  void run();
  /// Returns the statements that this check skipped.
  std::vector<InlineSummary::Skipped> takePassedOver() { return std::move(passedOver); }
  std::optional<InlineModule> moduleAt(uint32_t place);
  std::vector<InlineUnit> units(const SourceBuffer &source);

private:
  using Group = llvm::SmallVector<const InlineStatement *, 1>;
  static constexpr size_t leastTrials = 1500, bytesOfTrial = 8; // a trial takes as long as checking 8 bytes of PTX
  /// A path: one arm for each relevant choice.
  using Way = std::map<uint32_t, uint32_t>;
  void collectDeclared();
  std::vector<size_t> follow(size_t first, Way way, std::vector<Way> &ways) const;
  std::vector<Group> groupsFrom(size_t first);
  void passOver(const Group &group, llvm::StringRef reason);
  void begin();
  const JudgedFragment &judged(const Group &group, const Fragment &fragment, llvm::ArrayRef<InlineTarget> targets,
                               const char *kind = "");
  Fragment fragmentOf(const Group &group, DiagnosticSink &reports);
  std::optional<Fragment::Numbers> chosenNumbers(const Group &group, std::vector<Fragment::Numbers> choices);
  void judge(const Group &group);
  PieceContext contextOf(const Group &group, const Fragment &fragment) const;
  void report(const Diagnostic &finding, const MappedText &module, const Group &group);
  bool isRefused(const Group &group, const Fragment &fragment, const InlineTarget &target);
  bool isRefusedAnyway(uint32_t function, const InlineTarget &target);
  void lintGuard(const Group &group);
  bool isCopiedTwice(uint32_t function) const;
  bool isAmongAccesses(uint32_t function) const;
  void lintDeclarations();

  const InlineText &text;
  Session &session;
  const std::vector<InlineTarget> targets;
  const std::string target; // the only target to check; empty for all
  DiagnosticSink &sink;
  std::vector<InlineSummary::Expansion> *const expansions; // null if not requested
  std::vector<bool> done;                                  // indexed by statement
  std::vector<InlineSummary::Skipped> passedOver;
  // Names that statements declare outside of blocks, keyed by function. Names of variables in memory are keyed by name
  // only, because functions are inlined into each other.
  std::map<std::pair<uint32_t, std::string>, llvm::SmallVector<const InlineStatement *, 1>> declared;
  llvm::StringSet<> deviceNames;
  std::vector<Group> unguarded, guarded; // groups that pass: always compiled, or excluded for some targets
  std::map<std::pair<uint32_t, std::string>, bool> refusedAnyway; // keyed by function and target
  DiagnosticSink unused;                                          // receives findings that are reported elsewhere
  size_t trialsLeft = 0; // remaining modules that may be checked to select numbers
  // Keyed by the fragment before the choice; none if no budget was left.
  llvm::StringMap<std::optional<Fragment::Numbers>> chosen;
};

void SourceCheck::collectDeclared() {
  for (const InlineStatement &statement : text.statements)
    for (DeclaredName &one : declaredNames(statement.text.text()))
      if (one.isVariable || statement.function)
        declared[{one.isVariable ? 0 : statement.function, std::move(one.name)}].push_back(&statement);
  for (const std::string &name : text.deviceNames)
    deviceNames.insert(name);
}

/// Finds the statements of the same function that close the blocks opened by a statement, on the path `way`. Adds
/// alternative paths to `ways`. Returns nothing if the blocks are never closed.
std::vector<size_t> SourceCheck::follow(size_t first, Way way, std::vector<Way> &ways) const {
  constexpr size_t mostTogether = 500, mostWays = 16;
  const Way given = way;
  const auto isOnWay = [&](const InlineStatement &statement) {
    for (const InlineBranch branch : statement.branches) {
      const auto [known, isNew] = way.try_emplace(branch.choice, branch.arm);
      if (isNew || known->second == branch.arm)
        continue;
      Way other = given;
      other[branch.choice] = branch.arm;
      if (!given.contains(branch.choice) && !llvm::is_contained(ways, other) && ways.size() < mostWays)
        ways.push_back(std::move(other));
      return false;
    }
    return true;
  };
  const InlineStatement &one = text.statements[first];
  int lowest = 0, depth = openBlocks(one.text.text(), lowest);
  std::vector<size_t> taken = {first};
  const size_t last = std::min(text.statements.size(), first + mostTogether);
  for (size_t i = first + 1; i < last && one.function; ++i) {
    const InlineStatement &next = text.statements[i];
    if (next.function != one.function || done[i] || !isOnWay(next))
      continue;
    if (depth <= 0) // all branches of the closing statements were visited
      break;
    depth += openBlocks(next.text.text(), lowest);
    taken.push_back(i);
  }
  return depth > 0 ? std::vector<size_t>() : taken;
}

/// Returns the groups that begin with the statement. A group contains the statement and those statements of its
/// function that close its blocks; there is one group for each branch that closes them.
std::vector<SourceCheck::Group> SourceCheck::groupsFrom(size_t first) {
  int lowest = 0;
  if (openBlocks(text.statements[first].text.text(), lowest) <= 0) {
    done[first] = true;
    return {Group{&text.statements[first]}};
  }
  std::vector<Way> ways(1);
  for (const InlineBranch branch : text.statements[first].branches)
    ways.front().emplace(branch.choice, branch.arm);
  std::vector<std::vector<size_t>> found;
  for (size_t i = 0; i < ways.size(); ++i) // `ways` grows in the loop
    if (std::vector<size_t> taken = follow(first, ways[i], ways); !taken.empty())
      found.push_back(std::move(taken));
  if (found.empty())
    found.push_back({first});
  std::vector<Group> groups;
  for (const std::vector<size_t> &taken : found) {
    Group &group = groups.emplace_back();
    for (const size_t i : taken) {
      done[i] = true;
      group.push_back(&text.statements[i]);
    }
  }
  return groups;
}

void SourceCheck::passOver(const Group &group, llvm::StringRef reason) {
  for (const InlineStatement *statement : group)
    if (!statement->text.text().trim().empty()) // an empty statement is a compiler barrier; nothing to check
      passedOver.push_back({statement->place, reason.str()});
}

/// Returns the context of a group: the names from other statements and from the source that the group uses.
PieceContext SourceCheck::contextOf(const Group &group, const Fragment &fragment) const {
  std::set<std::string> names(fragment.missing().begin(), fragment.missing().end());
  const uint32_t function = group.front()->function;
  auto isDeclaredElsewhere = [&](uint32_t scope, const std::string &name) {
    const auto found = declared.find({scope, name});
    return found != declared.end() &&
           llvm::any_of(found->second, [&](const InlineStatement *s) { return !llvm::is_contained(group, s); });
  };
  auto look = [&](std::string name) {
    if (isDeclaredElsewhere(function, name) || isDeclaredElsewhere(0, name))
      names.insert(std::move(name));
  };
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%'; };
  for (llvm::StringRef rest = fragment.body(); !rest.empty();) {
    rest = rest.drop_until(isWord);
    const llvm::StringRef word = rest.take_while(isWord);
    rest = rest.drop_front(word.size());
    look(word.str());
    look((word.rtrim("0123456789") + "<").str());
    if (deviceNames.contains(word))
      names.insert(word.str());
  }
  return {fragment.constants(), {names.begin(), names.end()}, /*wideAddresses=*/true};
}

/// Reports a finding at its location in the source.
void SourceCheck::report(const Diagnostic &finding, const MappedText &module, const Group &group) {
  const Range place = module.placeOf(finding.range);
  Diagnostic &d = sink.add(finding.id, place);
  d.args = finding.args;
  d.severity = finding.severity;
  d.kind = finding.kind;
  d.spec = finding.spec;
  for (const Note &note : finding.notes) {
    d.notes.push_back(note);
    if (note.range)
      d.notes.back().range = module.placeOf(*note.range);
  }
  if (llvm::none_of(
          group, [&](const InlineStatement *s) { return s->place.begin <= place.begin && place.end <= s->place.end; }))
    d.notes.push_back({"it is used here", group.front()->place});
  if (!finding.fix)
    return;
  Fix fix = *finding.fix;
  for (Edit &edit : fix.edits) {
    const llvm::StringRef replacement = edit.text;
    if (!module.isExact(edit.range) || replacement.find_first_of("\"\\\n%$") != llvm::StringRef::npos)
      return;
    edit.range = module.placeOf(edit.range);
  }
  d.fix = std::move(fix);
}

/// Returns whether the group is valid except for features that the target lacks.
bool SourceCheck::isRefused(const Group &group, const Fragment &fragment, const InlineTarget &target) {
  const JudgedFragment &answer = judged(group, fragment, target);
  return !answer.passes && llvm::all_of(answer.findings, [](const Diagnostic &d) {
    return d.severity != Severity::Error || isGate(d.id);
  });
}

/// Returns whether a statement of the same function that is always compiled excludes the target.
bool SourceCheck::isRefusedAnyway(uint32_t function, const InlineTarget &target) {
  auto [answer, isNew] = refusedAnyway.try_emplace({function, target.target}, false);
  if (isNew)
    answer->second = llvm::any_of(unguarded, [&](const Group &group) {
      return group.front()->function == function && isRefused(group, fragmentOf(group, unused), target);
    });
  return answer->second;
}

/// Reports a guard that permits targets for which the statement is not available.
void SourceCheck::lintGuard(const Group &group) {
  const uint32_t guard = group.front()->guard;
  const Fragment fragment = fragmentOf(group, unused);
  if (fragment.choosesNumbers())
    return;
  for (const isa::Target &one : targetsLetThrough(text.guards, guard)) {
    const InlineTarget wanted = inlineTarget(one.name());
    if (!isRefused(group, fragment, wanted) || isRefusedAnyway(group.front()->function, wanted))
      continue;
    const JudgedFragment &refused = judged(group, fragment, wanted);
    const auto first =
        llvm::find_if(refused.findings, [](const Diagnostic &d) { return d.severity == Severity::Error; });
    const MappedText module = fragment.module(wanted.ptx, wanted.target, wanted.hasFloats);
    Diagnostic &d =
        sink.report(DiagId::GuardTooWide, module.placeOf(first->range), llvm::StringRef(one.name()), first->message());
    if (!first->notes.empty()) // the note already lists where it is available
      d.notes.push_back(first->notes.front());
    d.notes.push_back({"this lets it through", text.guards[guard - 1].place});
    return;
  }
}

const JudgedFragment &SourceCheck::judged(const Group &group, const Fragment &fragment,
                                          llvm::ArrayRef<InlineTarget> targets, const char *kind) {
  const PieceContext context = contextOf(group, fragment);
  // The first target and the number of targets identify the permitted ones.
  std::string key = fragment.key() + '\0' + targets.front().ptx + targets.front().target + '\0' +
                    std::to_string(targets.size()) + kind + '\0' + llvm::join(context.declared, ",");
  std::unique_ptr<JudgedFragment> &judged = session.fragments[key];
  AdviceBudget &budget = session.knowledge.budget;
  if (judged && judged->text == budget.text)
    return *judged;
  if (judged && judged->advice <= budget.left && judged->isBare == !budget.left) {
    budget.left -= judged->advice;
  } else {
    const uint64_t before = budget.left;
    judged = std::make_unique<JudgedFragment>(judgeFragment(fragment, targets, context, session));
    judged->advice = before - budget.left;
    judged->isBare = !budget.left;
  }
  judged->text = budget.text;
  return *judged;
}

static Fragment fragmentWith(Fragment::Numbers numbers, llvm::ArrayRef<const InlineStatement *> group,
                             DiagnosticSink &reports) {
  Fragment fragment(std::move(numbers));
  for (const InlineStatement *statement : group)
    fragment.add(*statement, reports);
  return fragment;
}

/// Selects numbers within words such that the words are valid, or otherwise such that the first error is as late as
/// possible. Returns nothing if the source's budget of trials is exhausted.
std::optional<Fragment::Numbers> SourceCheck::chosenNumbers(const Group &group,
                                                            std::vector<Fragment::Numbers> choices) {
  const AdviceBudget::Paused pause(session.knowledge.budget); // trials need no advice
  size_t best = 0;
  uint32_t latest = 0;
  for (size_t i = 0; i < choices.size(); ++i) {
    const Fragment fragment = fragmentWith(choices[i], group, unused);
    const JudgedFragment &answer = judged(group, fragment, targets, " trial");
    const size_t trials = answer.passes ? 1 : targets.size();
    if (trials > trialsLeft)
      return std::nullopt;
    trialsLeft -= trials;
    if (answer.passes)
      return std::move(choices[i]);
    const auto first =
        llvm::find_if(answer.findings, [](const Diagnostic &d) { return d.severity == Severity::Error; });
    if (first->range.begin > latest) {
      latest = first->range.begin;
      best = i;
    }
  }
  return std::move(choices[best]);
}

/// Builds the fragment of a group. Selects numbers that appear within words.
Fragment SourceCheck::fragmentOf(const Group &group, DiagnosticSink &reports) {
  Fragment any = fragmentWith({}, group, reports);
  const auto [known, isNew] = chosen.try_emplace(any.key(), Fragment::Numbers());
  if (isNew)
    if (std::vector<Fragment::Numbers> choices = any.choices(); !choices.empty())
      known->second = chosenNumbers(group, std::move(choices));
  return known->second && !known->second->empty() ? fragmentWith(*known->second, group, unused) : any;
}

/// Returns whether the statement has constraints of another architecture, and is not PTX.
static bool isForOthers(const InlineStatement &statement, const JudgedFragment &judged) {
  return !judged.passes && hasOtherConstraints(statement) &&
         llvm::any_of(judged.findings, [](const Diagnostic &d) { return d.id == DiagId::SyntaxError; });
}

void SourceCheck::judge(const Group &group) {
  if (llvm::none_of(group, [](const InlineStatement *s) { return looksLikePtx(*s); })) {
    const size_t before = sink.diagnostics().size();
    for (const InlineStatement *statement : group)
      if (statement->isDevice) // all of its instructions may be in a comment
        lintComment(*statement, sink);
    return sink.diagnostics().size() > before ? void() : passOver(group, forOtherMachine);
  }
  DiagnosticSink reports;
  const Fragment fragment = fragmentOf(group, reports);
  if (const auto known = chosen.find(fragment.key()); known != chosen.end() && !known->second)
    return passOver(group, "with too many possible numbers");
  const JudgedFragment &judged = this->judged(group, fragment, targets);
  if (group.size() == 1 && isForOthers(*group.front(), judged))
    return passOver(group, forOtherMachine);
  sink.append(reports.take());
  const MappedText module = fragment.module(judged.target.ptx, judged.target.target, judged.target.hasFloats);
  if (expansions)
    expansions->push_back({group.front()->place, module.text().str()});
  // Another guard may exclude the target.
  const bool mayBeLeftOut =
      !target.empty() && isCompiled(text.guards, group.front()->guard, target) == GuardAnswer::Unknown;
  const std::optional<JoinedLiterals> joined = judged.passes ? std::nullopt : findJoinedLiterals(group);
  bool isJoined = false; // its faults are one: the missing `;`
  for (const Diagnostic &finding : judged.findings) {
    const Range place = joined ? module.placeOf(finding.range) : Range();
    const bool isOfJoined = joined && finding.severity == Severity::Error && place.begin <= joined->whole.end &&
                            place.end >= joined->whole.begin;
    isJoined |= isOfJoined;
    if (!isOfJoined && (!mayBeLeftOut || !isGate(finding.id)))
      report(finding, module, group);
  }
  if (isJoined)
    reportJoined(*joined, sink);
  if (!judged.passes)
    return;
  lint({group, fragment, judged, module, isAmongAccesses(group.front()->function)}, sink);
  if (const uint32_t guard = group.front()->guard; !mayLeaveOut(text.guards, guard))
    unguarded.push_back(group);
  else if (target.empty() && !targetsLetThrough(text.guards, guard).empty())
    guarded.push_back(group);
}

void SourceCheck::begin() {
  collectDeclared();
  done.resize(text.statements.size());
  for (size_t i = 0; i < text.statements.size(); ++i) {
    const uint32_t guard = text.statements[i].guard;
    done[i] = isCompiled(text.guards, guard, target) == GuardAnswer::No;
    if (done[i])
      passOver({&text.statements[i]}, isCompiled(text.guards, guard, "") == GuardAnswer::No
                                          ? "in code that is never compiled"
                                          : "in code that is not compiled for the target");
  }
}

std::optional<InlineModule> SourceCheck::moduleAt(uint32_t place) {
  begin();
  for (size_t i = 0; i < text.statements.size(); ++i) {
    if (done[i])
      continue;
    for (const Group &group : groupsFrom(i)) {
      const auto wanted = llvm::find_if(group, [&](const InlineStatement *s) {
        return s->place.begin <= place && place <= s->place.end && s->text.offsetOf(place);
      });
      if (wanted == group.end())
        continue;
      if (!looksLikePtx(**wanted))
        return std::nullopt;
      const Fragment fragment = fragmentOf(group, sink);
      const InlineTarget &chosen = judged(group, fragment, targets).target;
      return InlineModule{fragment.module(chosen.ptx, chosen.target, chosen.hasFloats), (*wanted)->place};
    }
  }
  return std::nullopt;
}

/// Returns whether a guard around the statement is not an include guard (`#ifndef`).
static bool hasGuard(const InlineText &text, uint32_t guard, const SourceBuffer &source) {
  for (; guard; guard = text.guards[guard - 1].outer)
    if (!source.text(text.guards[guard - 1].place).starts_with("ifndef"))
      return true;
  return false;
}

std::vector<InlineUnit> SourceCheck::units(const SourceBuffer &source) {
  std::vector<InlineUnit> units;
  begin();
  for (size_t i = 0; i < text.statements.size(); ++i) {
    if (done[i])
      continue;
    for (const Group &group : groupsFrom(i)) {
      if (llvm::none_of(group, [](const InlineStatement *s) { return looksLikePtx(*s); })) {
        passOver(group, forOtherMachine);
        continue;
      }
      const Fragment fragment = fragmentOf(group, sink);
      const InlineTarget any = inlineTarget("sm_90");
      units.push_back({fragment.module(any.ptx, any.target, true), fragment.module(any.ptx, any.target, false),
                       contextOf(group, fragment), group.front()->place, hasGuard(text, group.front()->guard, source)});
    }
  }
  return units;
}

/// Returns whether some function certainly contains two copies of this one.
bool SourceCheck::isCopiedTwice(uint32_t function) const {
  constexpr unsigned deepest = 8;
  for (unsigned depth = 0; function && function <= text.functions.size() && depth < deepest; ++depth) {
    const InlineFunction &one = text.functions[function - 1];
    const auto hasName = [&](const InlineFunction &other) { return other.name == one.name; };
    if (one.isKernel || one.isKept || one.name.empty() || llvm::count_if(text.functions, hasName) != 1)
      return false;
    std::vector<const InlineCall *> calls;
    for (const InlineCall &call : text.calls)
      if (call.name == one.name && call.caller != function)
        calls.push_back(&call);
    for (size_t i = 0; i < calls.size(); ++i)
      if (llvm::any_of(llvm::ArrayRef(calls).drop_front(i + 1), [&](const InlineCall *other) {
            return other->scope == calls[i]->scope && other->guard == calls[i]->guard;
          }))
        return true;
    function = calls.size() == 1 ? calls.front()->caller : 0;
  }
  return false;
}

/// Returns whether the function, or one of its direct or indirect callers within a few calls, accesses memory. The
/// result is unknown for languages other than C++.
bool SourceCheck::isAmongAccesses(uint32_t function) const {
  if (text.functions.empty())
    return true;
  if (!function || function > text.functions.size())
    return false;
  constexpr size_t mostFollowed = 16;
  llvm::SmallVector<uint32_t, mostFollowed> followed = {function};
  for (size_t i = 0; i < followed.size(); ++i) {
    const InlineFunction &one = text.functions[followed[i] - 1];
    if (one.accessesMemory)
      return true;
    for (const InlineCall &call : text.calls)
      if (call.name == one.name && followed.size() < mostFollowed && !llvm::is_contained(followed, call.caller))
        followed.push_back(call.caller);
  }
  return false;
}

/// Reports names that statements declare outside of braces, if a function contains the declaration twice.
void SourceCheck::lintDeclarations() {
  for (const auto &[key, statements] : declared) {
    const llvm::StringRef name = key.second;
    if (!key.first || name.contains("%=") || statements.front()->style != TemplateStyle::Gcc)
      continue;
    const auto isAlike = [&](const InlineStatement *other) {
      return other != statements.front() && other->scope && other->scope == statements.front()->scope &&
             other->guard == statements.front()->guard;
    };
    const auto second = llvm::find_if(statements, isAlike);
    if (second != statements.end())
      sink.report(DiagId::RepeatedDeclaration, (*second)->place, name.rtrim('<'), "")
          .notes.push_back({"the first declaration is here", statements.front()->place});
    else if (isCopiedTwice(key.first))
      sink.report(DiagId::RepeatedDeclaration, statements.front()->place, name.rtrim('<'),
                  ": it contains this function twice");
  }
}

void SourceCheck::run() {
  begin();
  lintDeclarations();
  for (size_t i = 0; i < text.statements.size(); ++i)
    if (!done[i])
      for (const Group &group : groupsFrom(i))
        judge(group);
  for (const Group &group : guarded)
    lintGuard(group);
}

} // namespace

/// Counts the statements, and those that are skipped.
static InlineSummary summaryOf(const InlineText &text) {
  InlineSummary summary;
  summary.statements = static_cast<unsigned>(text.statements.size() + text.skipped.size());
  for (const SkippedStatement &skipped : text.skipped)
    summary.skipped.push_back({skipped.place, skipped.reason});
  return summary;
}

/// Adds statements that were not checked to the skipped ones.
static void addPassedOver(std::vector<InlineSummary::Skipped> passedOver, InlineSummary &summary) {
  llvm::append_range(summary.skipped, std::move(passedOver));
  llvm::stable_sort(summary.skipped, [](const InlineSummary::Skipped &a, const InlineSummary::Skipped &b) {
    return a.range.begin < b.range.begin;
  });
}

InlineUnits inlineUnits(const SourceBuffer &source, Language language, llvm::StringRef path) {
  const InlineText text = readSource(source, language, path);
  Session session;
  DiagnosticSink unused;
  SourceCheck check(text, CheckOptions(), session, unused);
  InlineUnits units = {check.units(source), summaryOf(text)};
  addPassedOver(check.takePassedOver(), units.summary);
  return units;
}

std::optional<InlineModule> moduleAt(uint32_t place, const InlineText &text, const CheckOptions &options,
                                     Session &session) {
  DiagnosticSink unused;
  return SourceCheck(text, options, session, unused).moduleAt(place);
}

CheckedText checkStatements(const InlineText &text, const CheckOptions &options, Session &session,
                            Expansions expansions) {
  CheckedText checked;
  InlineSummary &summary = checked.inlined.emplace(summaryOf(text));
  session.limitFragments();
  DiagnosticSink sink;
  SourceCheck check(text, options, session, sink, expansions == Expansions::Told ? &summary.expansions : nullptr);
  check.run();
  addPassedOver(check.takePassedOver(), summary);
  // All uses of a macro share its body.
  llvm::StringSet<> told;
  sink.eraseIf([&](Diagnostic &d) {
    return !told.insert(std::to_string(d.range.begin) + ':' + std::to_string(d.range.end) + ruleText(d.id, d.kind) +
                        d.message())
                .second;
  });
  checked.diagnostics = sink.take();
  checked.comments = text.comments;
  checked.header = {options.ptx, options.target};
  return checked;
}

} // namespace ptxray
