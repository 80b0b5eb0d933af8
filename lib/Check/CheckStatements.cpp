#include "Check/CheckStatements.h"
#include "Check/FragmentLints.h"
#include "Check/Session.h"
#include "Inline/Readers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <set>

namespace ptxray {

namespace {

/// Judges the statements of a source, in groups that open and close blocks together.
class SourceCheck {
public:
  SourceCheck(const InlineText &text, const CheckOptions &options, Session &session, DiagnosticSink &sink,
              std::vector<InlineSummary::Expansion> *expansions = nullptr)
      : text(text), session(session), targets(inlineTargets(options)), target(options.target), sink(sink),
        expansions(expansions) {}
  void run();
  std::optional<InlineModule> moduleAt(uint32_t place);
  std::vector<InlineUnit> units(const SourceBuffer &source);

private:
  using Group = llvm::SmallVector<const InlineStatement *, 1>;
  void collectDeclared();
  Group groupFrom(size_t first);
  void begin();
  const JudgedFragment &judged(const Group &group, const Fragment &fragment, llvm::ArrayRef<InlineTarget> targets);
  Fragment fragmentOf(const Group &group, DiagnosticSink &reports);
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
  const std::string target; // the only one that is asked for; empty: there is no such
  DiagnosticSink &sink;
  std::vector<InlineSummary::Expansion> *const expansions; // null: they are not requested
  std::vector<bool> done;                                  // by statement
  // The names that statements declare outside of blocks, by function; those of memory by name alone, since functions
  // are inlined into one.
  std::map<std::pair<uint32_t, std::string>, llvm::SmallVector<const InlineStatement *, 1>> declared;
  llvm::StringSet<> deviceNames;
  std::vector<Group> unguarded, guarded; // groups that pass: always compiled, and kept from some targets
  std::map<std::pair<uint32_t, std::string>, bool> refusedAnyway; // by function and target
  DiagnosticSink unused;                                          // for findings that are reported elsewhere
};

void SourceCheck::collectDeclared() {
  for (const InlineStatement &statement : text.statements)
    for (DeclaredName &one : declaredNames(statement.text.text()))
      if (one.isVariable || statement.function)
        declared[{one.isVariable ? 0 : statement.function, std::move(one.name)}].push_back(&statement);
  for (const std::string &name : text.deviceNames)
    deviceNames.insert(name);
}

/// The statement with those of the same function that close the blocks it opens, if there are any.
SourceCheck::Group SourceCheck::groupFrom(size_t first) {
  constexpr size_t mostTogether = 500;
  const InlineStatement &one = text.statements[first];
  Group group{&one};
  int lowest = 0, depth = openBlocks(one.text.text(), lowest);
  std::vector<size_t> taken{first};
  const size_t last = std::min(text.statements.size(), first + mostTogether);
  for (size_t i = first + 1; depth > 0 && i < last && one.function; ++i) {
    if (text.statements[i].function != one.function || done[i])
      continue;
    depth += openBlocks(text.statements[i].text.text(), lowest);
    taken.push_back(i);
  }
  if (depth > 0) // it is never closed
    taken.resize(1);
  group.clear();
  for (size_t i : taken) {
    done[i] = true;
    group.push_back(&text.statements[i]);
  }
  return group;
}

/// The context of a group: those names of other statements and of the source that its text mentions.
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

/// Reports a finding at the place in the source that it is about.
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

/// Is true when the group is right except that the target lacks something.
bool SourceCheck::isRefused(const Group &group, const Fragment &fragment, const InlineTarget &target) {
  const JudgedFragment &answer = judged(group, fragment, target);
  return !answer.passes && llvm::all_of(answer.findings, [](const Diagnostic &d) {
    return d.severity != Severity::Error || isGate(d.id);
  });
}

/// Is true when a statement of the same function that is always compiled excludes the target.
bool SourceCheck::isRefusedAnyway(uint32_t function, const InlineTarget &target) {
  auto [answer, isNew] = refusedAnyway.try_emplace({function, target.target}, false);
  if (isNew)
    answer->second = llvm::any_of(unguarded, [&](const Group &group) {
      return group.front()->function == function && isRefused(group, fragmentOf(group, unused), target);
    });
  return answer->second;
}

/// Reports a guard that lets through targets for which the statement is not available.
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
    if (!first->notes.empty()) // the note says where it is available
      d.notes.push_back(first->notes.front());
    d.notes.push_back({"this lets it through", text.guards[guard - 1].place});
    return;
  }
}

const JudgedFragment &SourceCheck::judged(const Group &group, const Fragment &fragment,
                                          llvm::ArrayRef<InlineTarget> targets) {
  const PieceContext context = contextOf(group, fragment);
  // The first target and the number of targets identify those that the options allow.
  std::string key = fragment.key() + '\0' + targets.front().ptx + targets.front().target + '\0' +
                    std::to_string(targets.size()) + '\0' + llvm::join(context.declared, ",");
  std::unique_ptr<JudgedFragment> &judged = session.fragments[key];
  if (!judged)
    judged = std::make_unique<JudgedFragment>(judgeFragment(fragment, targets, context, session));
  return *judged;
}

/// Makes the fragment of a group. Numbers within words are chosen so that the words pass, or get furthest.
Fragment SourceCheck::fragmentOf(const Group &group, DiagnosticSink &reports) {
  auto make = [&](Fragment::Numbers numbers, DiagnosticSink &into) {
    Fragment fragment(std::move(numbers));
    for (const InlineStatement *statement : group)
      fragment.add(*statement, into);
    return fragment;
  };
  Fragment any = make({}, reports);
  std::vector<Fragment::Numbers> choices = any.choices();
  if (choices.empty())
    return any;
  size_t best = 0;
  uint32_t latest = 0; // the place of the first error: the words before it fit, so it is about what is wrong
  for (size_t i = 0; i < choices.size(); ++i) {
    Fragment fragment = make(choices[i], unused);
    const JudgedFragment &answer = judged(group, fragment, targets);
    if (answer.passes)
      return fragment;
    const auto first =
        llvm::find_if(answer.findings, [](const Diagnostic &d) { return d.severity == Severity::Error; });
    if (first->range.begin > latest) {
      latest = first->range.begin;
      best = i;
    }
  }
  return make(std::move(choices[best]), unused);
}

void SourceCheck::judge(const Group &group) {
  if (llvm::none_of(group, [](const InlineStatement *s) { return looksLikePtx(*s); }))
    return;
  const Fragment fragment = fragmentOf(group, sink);
  const JudgedFragment &judged = this->judged(group, fragment, targets);
  const MappedText module = fragment.module(judged.target.ptx, judged.target.target, judged.target.hasFloats);
  if (expansions)
    expansions->push_back({group.front()->place, module.text().str()});
  // Another guard may exclude the target.
  const bool mayBeLeftOut =
      !target.empty() && isCompiled(text.guards, group.front()->guard, target) == GuardAnswer::Unknown;
  for (const Diagnostic &finding : judged.findings)
    if (!mayBeLeftOut || !isGate(finding.id))
      report(finding, module, group);
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
  for (size_t i = 0; i < text.statements.size(); ++i)
    done[i] = isCompiled(text.guards, text.statements[i].guard, target) == GuardAnswer::No;
}

std::optional<InlineModule> SourceCheck::moduleAt(uint32_t place) {
  begin();
  for (size_t i = 0; i < text.statements.size(); ++i) {
    if (done[i])
      continue;
    const Group group = groupFrom(i);
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
  return std::nullopt;
}

/// Is true when some guard around the statement is not an `#ifndef`, which may just prevent a header from being
/// included twice.
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
    const Group group = groupFrom(i);
    if (llvm::none_of(group, [](const InlineStatement *s) { return looksLikePtx(*s); }))
      continue;
    const Fragment fragment = fragmentOf(group, sink);
    const InlineTarget any = inlineTarget("sm_90");
    units.push_back({fragment.module(any.ptx, any.target, true), fragment.module(any.ptx, any.target, false),
                     contextOf(group, fragment), group.front()->place, hasGuard(text, group.front()->guard, source)});
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

/// Returns whether the function accesses memory, or one that calls it, over a few calls. Of other languages than C++ it
/// is not known.
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

/// Reports names that statements declare outside of braces, where a function contains the declaration twice.
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
      judge(groupFrom(i));
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

InlineUnits inlineUnits(const SourceBuffer &source, Language language, llvm::StringRef path) {
  const InlineText text = readSource(source, language, path);
  Session session;
  DiagnosticSink unused;
  return {SourceCheck(text, CheckOptions(), session, unused).units(source), summaryOf(text)};
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
  SourceCheck(text, options, session, sink, expansions == Expansions::Told ? &summary.expansions : nullptr).run();
  // The uses of a macro share its body.
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
