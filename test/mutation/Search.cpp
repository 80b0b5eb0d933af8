#include "Search.h"
#include "Match/Match.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace ptxray::test {

/// Most mutations show on these targets, with the newest version.
static constexpr llvm::StringLiteral usualTargets[] = {"sm_75", "sm_90a", "sm_100a", "sm_120a", "sm_107a"};
static constexpr unsigned samplesEach = 200;
/// The number of samples that contain the row and the word that the mutation changes.
static constexpr unsigned samplesInFocus = 40;
/// The number of lines that are tried under every version and target.
static constexpr unsigned triedEverywhere = 150;
static constexpr unsigned triedForIds = 30;
/// The number of lines that are tried under the usual targets.
static constexpr unsigned tried = 1000;

std::vector<std::string> dottedWords(llvm::StringRef text) {
  std::vector<std::string> words;
  for (size_t dot = text.find('.'); dot != llvm::StringRef::npos; dot = text.find('.', dot + 1)) {
    llvm::StringRef word =
        text.substr(dot).take_while([](char c) { return llvm::isAlnum(c) || llvm::StringRef("._:").contains(c); });
    words.push_back(word.str());
  }
  return words;
}

void Search::prepare(MadeTables &tables) {
  tables.use();
  for (uint16_t version : llvm::reverse(isa::versions()))
    for (const auto &[index, target] : llvm::enumerate(isa::targets())) {
      if (target.since > version || isa::versionMeaning(version) != version)
        continue;
      ModuleContext context;
      context.ptx = version;
      context.target = index;
      every.push_back(contexts.size());
      if (version == isa::versions().back() && llvm::is_contained(usualTargets, llvm::StringRef(target.name())))
        usual.push_back(contexts.size());
      contexts.push_back(context);
      headers.push_back("ptx " + isa::versionText(version) + ", " + std::string(target.name()));
    }
  ModuleContext independent = contexts[usual.back()];
  independent.independent = true;
  headers.push_back(headers[usual.back()] + ", texmode_independent");
  every.push_back(contexts.size());
  usual.push_back(contexts.size());
  contexts.push_back(independent);
}

/// Adds lines that read a special register whose gate is mutated.
void Search::readsOf(const std::string &reg, LineSet &into) const {
  std::string texts;
  for (const char *read : {"mov.u32 %r0, ", "mov.b32 %r0, ", "mov.b64 %rd0, ", "mov.pred %p0, "})
    for (const char *component : {"", ".x"})
      texts += read + reg + component + ";\n";
  const TestFile file = readSections("//@ " + headers[usual.back()] + "\n" + texts);
  for (const Module &section : file.modules)
    into.collect(file, section, Compared::Verdict);
}

static std::set<std::string> mnemonicsOf(const Mutant &mutant, const Group &group) {
  std::set<std::string> mnemonics;
  for (const isagen::Entry &entry : group.entries)
    if (!mutant.entry || entry.scope.get() == mutant.entry)
      mnemonics.insert(entry.mnemonics.begin(), entry.mnemonics.end());
  return mnemonics;
}

/// Draws texts from the tables in use.
void Search::sample(const Mutant &mutant, const Group &group, unsigned count, const SampleFocus &focus,
                    LineSet &into) const {
  std::set<std::string> seen;
  std::string texts;
  for (const std::string &mnemonic : mnemonicsOf(mutant, group))
    for (uint32_t context : usual)
      for (const Sample &sample : sampleInstruction(mnemonic, contexts[context], count, 1, focus))
        if (seen.insert(sample.text).second)
          texts += sample.text + "\n";
  // The newest target declares every name of the prelude, where samplers are independent.
  const TestFile file = readSections("//@ " + headers[usual.back()] + "\n" + texts);
  for (const Module &section : file.modules)
    into.collect(file, section, Compared::Verdict);
}

struct Search::Found {
  std::string difference(const ModuleContext &context, const Line &line);

  MadeTables &sound, &damaged;
  unsigned count;
  unsigned accepted = 0; // how often the line was accepted
  bool idsToo = false;
  std::map<std::string, std::vector<Candidate>> by = {}; // lines by what differs
};

static bool isAccepted(MadeTables &tables, const ModuleContext &context, const Line &line) {
  tables.use();
  std::vector<isa::ExprId> gates;
  return accepts({Opcode(line.opcode), line.shapes, tables.availability(context)}, gates);
}

static std::string idsBy(MadeTables &tables, const ModuleContext &context, const Line &line) {
  tables.use();
  std::string ids;
  for (const Finding &f : judge({Opcode(line.opcode), line.shapes, tables.availability(context)}).findings)
    if (f.severity != Severity::Pedantic)
      ids += info(f.id).id.str() + " ";
  return ids;
}

/// Returns what differs, or nothing. The ids of rejected lines are slow to find, so they are compared last.
std::string Search::Found::difference(const ModuleContext &context, const Line &line) {
  const bool taken = isAccepted(sound, context, line);
  accepted += taken;
  if (taken != isAccepted(damaged, context, line))
    return "verdict";
  if (!taken && !idsToo)
    return "";
  return idsBy(sound, context, line) == idsBy(damaged, context, line) ? "" : taken ? "warning" : "id";
}

/// Returns the first of the contexts between which no gate of both tables distinguishes.
std::vector<uint32_t> Search::distinct(MadeTables &sound, MadeTables &damaged) const {
  std::map<std::vector<bool>, uint32_t> seen;
  std::vector<std::vector<bool>> signatures(contexts.size());
  for (MadeTables *tables : {&sound, &damaged}) {
    tables->use();
    for (uint32_t context : every) {
      const Availability &availability = tables->availability(contexts[context]);
      for (isa::ExprId id = 0; id < isa::tables().exprs.size(); ++id)
        if (isa::tables().exprs[id].gateOnly)
          signatures[context].push_back(availability.holds(id));
        else if (isa::tables().exprs[id].op == isa::ExprOp::Independent)
          signatures[context].push_back(contexts[context].independent);
    }
  }
  std::vector<uint32_t> out;
  for (uint32_t context : every)
    if (seen.emplace(std::move(signatures[context]), context).second)
      out.push_back(context);
  return out;
}

/// Returns whether enough has been found.
bool Search::tryLine(const Line &line, llvm::ArrayRef<uint32_t> where, Found &found) const {
  unsigned ofLine = 0;
  for (uint32_t context : where) {
    const std::string by = found.difference(contexts[context], line);
    std::vector<Candidate> &candidates = found.by[by];
    if (by.empty() || candidates.size() >= found.count || ofLine >= 2 ||
        llvm::any_of(candidates, [&](const Candidate &c) { return c.header == headers[context]; }))
      continue;
    // The text is read in the same way as the test will read it: names may be missing under that version.
    const std::string text = llvm::StringRef(line.text).split("//").first.trim().str();
    const TestFile file = readSections("//@ " + headers[context] + "\n" + text);
    LineSet alone;
    alone.collect(file, file.modules.front(), Compared::Verdict);
    if (alone.lines.size() != 1 || found.difference(contexts[context], alone.lines[0]) != by)
      continue;
    candidates.push_back({headers[context], text, by});
    ++ofLine;
  }
  return found.by["verdict"].size() >= found.count;
}

std::vector<Candidate> Search::run(const Mutant &mutant, const Group &group, MadeTables &sound, MadeTables &damaged,
                                   unsigned count) {
  if (contexts.empty())
    prepare(sound);
  const std::vector<std::string> words = dottedWords(mutant.text);
  const std::set<std::string> mnemonics = mnemonicsOf(mutant, group);
  std::set<std::string> seen;
  Found found{sound, damaged, count};
  std::vector<const Line *> promising; // lines that some section accepts
  auto isTakenByTest = [&](const Line *line) {
    return line >= tests.lines.data() && line < tests.lines.data() + tests.lines.size() && line->outcome.empty();
  };
  auto tryAll = [&](llvm::ArrayRef<const Line *> lines) {
    std::vector<std::pair<int, const Line *>> order;
    for (const Line *line : lines) {
      if (!seen.insert(llvm::StringRef(line->text).split("//").first.trim().str()).second)
        continue;
      int common = 3 * llvm::any_of(mnemonics, [&](const std::string &mnemonic) {
                     return llvm::StringRef(line->opcode).starts_with(mnemonic);
                   });
      for (const std::string &word : words)
        common += llvm::StringRef(line->text).contains(word);
      order.push_back({-common, line});
    }
    llvm::stable_sort(order, [](auto &a, auto &b) { return a.first < b.first; });
    promising.clear();
    for (auto [common, line] : llvm::ArrayRef(order).take_front(tried)) {
      const unsigned before = found.accepted;
      if (tryLine(*line, usual, found))
        return true;
      if (found.accepted > before || isTakenByTest(line))
        promising.push_back(line);
    }
    return !found.by["verdict"].empty();
  };
  auto tryEverywhere = [&](llvm::ArrayRef<uint32_t> everywhere, unsigned lines) {
    for (const Line *line : llvm::ArrayRef(promising).take_front(lines))
      if (tryLine(*line, everywhere, found))
        break;
    return !found.by["verdict"].empty();
  };
  auto pointers = [](const LineSet &set) {
    std::vector<const Line *> lines;
    for (const Line &line : set.lines)
      lines.push_back(&line);
    return lines;
  };

  const bool ofRegister = llvm::StringRef(mutant.text).starts_with("%");
  LineSet focused, others;
  if (const SampleFocus focus{mutant.place.line, mutant.word}; mutant.kind == "row" || !focus.word.empty()) {
    for (MadeTables *tables : {&sound, &damaged}) {
      tables->use();
      sample(mutant, group, samplesInFocus, focus, focused);
    }
    if (tryAll(pointers(focused)))
      return found.by["verdict"];
  }
  LineSet &sampled = samples[mutant.entry ? static_cast<const void *>(mutant.entry) : &group];
  if (sampled.lines.empty() && !ofRegister) {
    sound.use();
    sample(mutant, group, samplesEach, {}, sampled);
  }
  std::vector<const Line *> lines = pointers(sampled);
  for (size_t index : group.lines)
    lines.push_back(&tests.lines[index]);
  const std::vector<uint32_t> everywhere = distinct(sound, damaged);
  if (tryAll(lines) || tryEverywhere(everywhere, triedEverywhere))
    return found.by["verdict"];
  const std::vector<const Line *> accepted = promising;
  // The lines that only the mutated tables accept are made last, and only if no other line shows the mutation, since
  // that takes long.
  damaged.use();
  if (ofRegister)
    readsOf(llvm::StringRef(mutant.text).take_until([](char c) { return c == ':'; }).str(), others);
  else
    sample(mutant, group, samplesInFocus, {}, others);
  if (!tryAll(pointers(others)) && !tryEverywhere(everywhere, triedEverywhere) && found.by["warning"].empty()) {
    found.idsToo = true;
    promising.insert(promising.begin(), accepted.begin(), accepted.end());
    tryEverywhere(everywhere, triedForIds);
  }
  for (const char *by : {"verdict", "warning", "id"})
    if (!found.by[by].empty())
      return found.by[by];
  return {};
}

} // namespace ptxray::test
