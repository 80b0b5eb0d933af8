#include "Search.h"
#include "Check/Judge.h"
#include "Check/Sample.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

namespace ptxray::test {

/// Where, with the newest version, most damages show.
static constexpr llvm::StringLiteral usualTargets[] = {"sm_75", "sm_90a", "sm_100a", "sm_120a", "sm_107a"};
static constexpr unsigned samplesEach = 400;
/// Lines tried under every version and target.
static constexpr unsigned triedEverywhere = 120;
/// Lines tried under the usual targets.
static constexpr unsigned tried = 3000;

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
      if (version == isa::versions().back() && llvm::is_contained(usualTargets, llvm::StringRef(target.name)))
        usual.push_back(contexts.size());
      contexts.push_back(context);
      headers.push_back("ptx " + isa::versionText(version) + ", " + std::string(target.name));
    }
}

/// Reads of a special register, whose gate is damaged.
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

/// Texts of the tables in use.
void Search::sample(const Mutant &mutant, const Group &group, LineSet &into) const {
  std::set<std::string> seen;
  std::string texts;
  for (const std::string &mnemonic : mnemonicsOf(mutant, group))
    for (uint32_t context : usual)
      for (const Sample &sample : sampleInstruction(mnemonic, contexts[context], samplesEach, 1))
        if (seen.insert(sample.text).second)
          texts += sample.text + "\n";
  // The newest target declares every name of the prelude.
  const TestFile file = readSections("//@ " + headers[usual.back()] + "\n" + texts);
  for (const Module &section : file.modules)
    into.collect(file, section, Compared::Verdict);
}

namespace {

struct Judged {
  bool refused = false;
  std::string ids;
};

} // namespace

static Judged judgedBy(MadeTables &tables, const ModuleContext &context, const Line &line) {
  tables.use();
  Judged judged;
  for (const Finding &f : findingsOf(tables.availability(context), Opcode(line.opcode), line.shapes))
    if (f.severity != Severity::Pedantic) {
      judged.refused |= f.severity == Severity::Error;
      judged.ids += info(f.id).id.str() + " ";
    }
  return judged;
}

/// What differs, or nothing.
static std::string difference(const Judged &a, const Judged &b) {
  return a.refused != b.refused ? "verdict" : a.ids == b.ids ? "" : a.refused ? "id" : "warning";
}

/// Of contexts that all gates of both tables judge alike, the first.
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
    }
  }
  std::vector<uint32_t> out;
  for (uint32_t context : every)
    if (seen.emplace(std::move(signatures[context]), context).second)
      out.push_back(context);
  return out;
}

struct Search::Found {
  MadeTables &sound, &damaged;
  unsigned count;
  std::map<std::string, std::vector<Candidate>> by; // what differs
};

/// Whether enough has been found.
bool Search::tryLine(const Line &line, llvm::ArrayRef<uint32_t> where, Found &found) const {
  unsigned ofLine = 0;
  for (uint32_t context : where) {
    const std::string by = difference(judgedBy(found.sound, contexts[context], line),
                                      judgedBy(found.damaged, contexts[context], line));
    std::vector<Candidate> &candidates = found.by[by];
    if (by.empty() || candidates.size() >= found.count || ofLine >= 2 ||
        llvm::any_of(candidates, [&](const Candidate &c) { return c.header == headers[context]; }))
      continue;
    // As the test will read it: names may be missing under that version.
    const std::string text = llvm::StringRef(line.text).split("//").first.trim().str();
    const TestFile file = readSections("//@ " + headers[context] + "\n" + text);
    LineSet alone;
    alone.collect(file, file.modules.front(), Compared::Verdict);
    if (alone.lines.size() != 1 ||
        difference(judgedBy(found.sound, contexts[context], alone.lines[0]),
                   judgedBy(found.damaged, contexts[context], alone.lines[0])) != by)
      continue;
    candidates.push_back({headers[context], text, by});
    ++ofLine;
  }
  return found.by["verdict"].size() >= found.count;
}

std::vector<Candidate> Search::run(const Mutant &mutant, const Group &group, MadeTables &sound,
                                   MadeTables &damaged, unsigned count) {
  if (contexts.empty())
    prepare(sound);
  const auto [sampled, isNew] =
      samples.try_emplace(mutant.entry ? static_cast<const void *>(mutant.entry) : &group);
  const bool ofRegister = llvm::StringRef(mutant.text).starts_with("%");
  if (isNew && !ofRegister) {
    sound.use();
    sample(mutant, group, sampled->second);
  }
  const std::vector<std::string> words = dottedWords(mutant.text);
  const std::set<std::string> mnemonics = mnemonicsOf(mutant, group);
  std::set<std::string> seen;
  Found found{sound, damaged, count, {}};
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
    for (auto [common, line] : llvm::ArrayRef(order).take_front(tried))
      if (tryLine(*line, usual, found))
        return;
    if (!found.by["verdict"].empty())
      return;
    const std::vector<uint32_t> everywhere = distinct(sound, damaged);
    for (auto [common, line] : llvm::ArrayRef(order).take_front(triedEverywhere))
      if (tryLine(*line, everywhere, found))
        return;
  };
  std::vector<const Line *> lines;
  for (size_t index : group.lines)
    lines.push_back(&tests.lines[index]);
  for (const Line &line : sampled->second.lines)
    lines.push_back(&line);
  tryAll(lines);
  // What the damaged tables accept is made only where nothing else tells: that takes long.
  if (found.by["verdict"].empty()) {
    LineSet others;
    damaged.use();
    if (ofRegister)
      readsOf(llvm::StringRef(mutant.text).take_until([](char c) { return c == ':'; }).str(), others);
    else
      sample(mutant, group, others);
    lines.clear();
    for (const Line &line : others.lines)
      lines.push_back(&line);
    tryAll(lines);
  }
  for (const char *by : {"verdict", "warning", "id"})
    if (!found.by[by].empty())
      return found.by[by];
  return {};
}

} // namespace ptxray::test
