#include "Pages/Explain.h"
#include "Check/Checker.h"
#include "Command.h"
#include "Diagnostics/RuleGroups.h"
#include "Diagnostics/RuleLevels.h"
#include "Gpus/CudaReleases.h"
#include "Isa/Isa.h"
#include "Pages/Pages.h"
#include "Pages/PtxasMessages.h"
#include "Pages/Search.h"
#include "Pages/Sources.h"
#include "PagesJson.h"
#include "Render/Render.h"
#include "RulePages/RulePages.h"
#include "Source/Escape.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxray {

using llvm::StringRef;

/// Returns a page under another heading, without its own and the parts for tests.
static std::string shownPage(std::string heading, StringRef page) {
  std::string text = std::move(heading) + "\n\n";
  StringRef rest = page.drop_front(page.find('\n')).ltrim();
  for (StringRef line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    if (!line.starts_with("//@") && !line.starts_with("```"))
      text += line.str() + "\n";
  }
  return text;
}

/// Returns the page of a rule in docs/diagnostics, under its level and group.
static std::string shownRulePage(DiagId id) {
  return shownPage((info(id).id + " - a rule of the group " + groupOf(id).name + ": " + severityName(info(id).level) +
                    (mayHaveFix(id) ? ", with a fix" : ""))
                       .str(),
                   rulePage(info(id).id));
}

static std::string shownConcept(const RulePage &page) {
  constexpr size_t mostNames = 32; // the page has a table of more names, such as functions of CUDA
  const auto names = namesOfConcept(page);
  const StringRef text = page.text;
  return shownPage(names.front().str() + " - a concept",
                   names.size() > mostNames ? text.drop_front(text.find("\n\n", text.find("Also: "))) : text);
}

/// Returns the opcode of a whole instruction, or any other text unchanged.
static StringRef opcodeIn(StringRef text) {
  StringRef rest = text.trim();
  if (rest.starts_with("@") && rest.contains(' '))
    rest = rest.drop_until([](char c) { return c == ' ' || c == '\t'; }).ltrim();
  rest = rest.take_until([](char c) { return c == ' ' || c == '\t' || c == ';'; });
  const bool isStatement = text.contains('%') || text.ends_with(";"); // two words such as `xor pattern` are a concept
  return isStatement && !findMnemonics(rest).empty() ? rest : text;
}

/// Prints the page of the instruction or directive in a line of PTX.
static bool explainStatement(StringRef text, llvm::raw_ostream &out) {
  const StringRef opcode = opcodeIn(text).take_until([](char c) { return c == ' ' || c == '\t' || c == ';'; });
  const auto mnemonics = findMnemonics(opcode);
  std::optional<Page> page = isa::findMnemonic(opcode) ? std::nullopt : formPage(opcode);
  if (!page)
    page = mnemonics.empty() ? pageOf(opcode) : std::optional(instructionPage(*mnemonics.front()));
  if (page)
    printPage(*page, out);
  return page.has_value();
}

/// Explains `kernel.ptx:12`: the findings in that line, their rules, and the statement.
static std::optional<int> explainLine(StringRef written, llvm::raw_ostream &out) {
  const auto [path, number] = written.rsplit(':');
  unsigned line = 0;
  if (path == written || number.getAsInteger(10, line))
    return std::nullopt;
  const auto opened = SourceBuffer::open(path);
  if (!opened)
    return usageError("cannot read `" + path.str() + "`: " + opened.problem());
  const std::unique_ptr<SourceBuffer> &source = *opened;
  const StringRef text = source->lineText(line).trim();
  out << text << '\n';
  bool anything = false;
  for (const Diagnostic &d : findingsIn(*source)) {
    if (source->lineColumn(d.range.begin).line != line)
      continue;
    anything = true;
    out << '\n' << severityName(d.severity) << ": " << d.message() << "\n\n" << shownRulePage(d.id);
  }
  out << '\n';
  if (!explainStatement(text, out) && !anything)
    out << "nothing is reported in this line\n";
  return Clean;
}

static std::string didYouMeanAny(StringRef wanted) {
  const std::string name = likelyName(wanted);
  return name.empty() ? "" : "; did you mean `" + name + "`?";
}

/// Returns the pages of one name, or none.
static std::vector<Page> pagesOf(StringRef name) {
  constexpr size_t mostLonger = 3; // if there are more, the names are enough
  std::vector<Page> pages;
  if (!isa::findMnemonic(name))
    if (std::optional<Page> form = formPage(name))
      return {std::move(*form)};
  const auto mnemonics = findMnemonics(name);
  const bool isExact = !mnemonics.empty() && !StringRef(mnemonics.front()->text()).starts_with((name + ".").str());
  if (mnemonics.size() <= mostLonger + isExact || isExact)
    for (const isa::Mnemonic *mnemonic :
         llvm::ArrayRef(mnemonics).take_front(mnemonics.size() <= mostLonger + isExact ? mnemonics.size() : 1))
      pages.push_back(instructionPage(*mnemonic));
  if (PageSection why = notAForm(name); !pages.empty() && !why.rows.empty())
    pages.front().sections.insert(pages.front().sections.begin(), std::move(why));
  if (pages.empty())
    if (std::optional<Page> page = mnemonics.empty() ? pageOf(name) : std::nullopt)
      pages.push_back(std::move(*page));
  if (pages.empty())
    if (std::optional<Page> page = versionPage(name))
      pages.push_back(std::move(*page));
  return pages;
}

static void printSource(StringRef name, llvm::raw_ostream &out) {
  const isa::Tables &tables = isa::tables();
  llvm::SmallSetVector<uint16_t, 8> entries;
  if (const auto mnemonics = findMnemonics(name); !mnemonics.empty())
    for (const uint32_t form : isa::run(tables.mnemonicForms, mnemonics.front()->forms))
      entries.insert(tables.forms[form].entry);
  for (const uint16_t entry : entries)
    out << "\ngrammar/isa/" << tables.entries[entry].file() << ':' << tables.entries[entry].line << '\n'
        << StringRef(sourceOf(tables.entries[entry])).rtrim() << '\n';
}

/// Lists instructions that begin with a text, with their titles.
static void listMnemonics(StringRef written, llvm::raw_ostream &out) {
  out << "many instructions begin with `" << escaped(written) << "`:\n";
  for (const isa::Mnemonic *mnemonic : findMnemonics(written))
    out << "  " << llvm::left_justify(mnemonic->text(), 40) << ' ' << instructionPage(*mnemonic).title << '\n';
}

static int explainAsJson(const Arguments &arguments) {
  std::vector<Page> pages;
  for (const StringRef name : arguments.operands) {
    std::vector<Page> some = pagesOf(name);
    if (some.empty())
      return usageError("no page of `" + name.str() + "`" + didYouMeanAny(name));
    std::ranges::move(some, std::back_inserter(pages));
  }
  llvm::outs() << dump(pagesJson(arguments.operands.empty() ? allPages() : pages), 1) << '\n';
  return Clean;
}

static int overview() {
  llvm::outs() << "explain NAME, where NAME is\n"
               << "  one of " << isa::mnemonics().size()
               << " instructions, or how some of them begin: add, tcgen05 (ptxray isa --list)\n"
               << "  one of " << allDiagInfos().size() << " rules: operand-type (ptxray rules)\n"
               << "  a qualifier, a type, a state space: .rn, .bf16, .shared::cta\n"
               << "  a concept:";
  llvm::interleave(
      conceptPages(), llvm::outs(), [](const RulePage &page) { llvm::outs() << ' ' << namesOfConcept(page).front(); },
      ",");
  llvm::outs() << '\n';
  llvm::outs() << "  a directive:";
  for (const isa::Directive &directive : isa::tables().directives)
    llvm::outs() << ' ' << directive.name();
  llvm::outs() << "\n  a pragma:";
  for (const isa::Directive &pragma : isa::tables().pragmas)
    llvm::outs() << ' ' << pragma.name();
  llvm::outs() << "\n  a target: sm_90a, sm_100f; a special register: %tid, %clock64\n"
               << "  a version of PTX: 8.7; a release of CUDA or the driver: \"CUDA 12.4\", \"driver 550\"\n"
               << "  two of these: \"ld.ca vs ld.cg\"; an error of the driver: 700, CUDA_ERROR_INVALID_PTX\n"
               << "  a message of ptxas: \"Arguments mismatch for instruction 'mov'\"\n"
               << "  FILE:LINE: what is reported there, and what is written there\n"
               << "other words are looked for on all pages\n";
  return Clean;
}

/// Explains a name, if it is one.
static std::optional<int> explainName(StringRef wanted, bool withSource) {
  const RulePage *subject = findConcept(wanted);
  if (const auto [rule, problem] = findRule(wanted); rule) {
    llvm::outs() << shownRulePage(rule->id);
    if (subject)
      llvm::outs() << '\n' << shownConcept(*subject);
    return Clean;
  } else if (findDiag(wanted.split(':').first)) {
    return usageError(problem);
  }
  const bool isOnlyConcept = subject && !isa::findMnemonic(wanted) && !pageOf(wanted);
  if (isOnlyConcept) {
    llvm::outs() << shownConcept(*subject);
    return Clean;
  }
  if (const std::vector<Page> pages = pagesOf(wanted); !pages.empty()) {
    const bool isAnswer = subject && isa::findMnemonic(wanted); // with an example: before the forms
    if (isAnswer)
      llvm::outs() << shownConcept(*subject) << '\n';
    llvm::interleave(pages, llvm::outs(), [](const Page &page) { printPage(page, llvm::outs()); }, "\n");
    if (withSource)
      printSource(wanted, llvm::outs());
    if (subject && !isAnswer)
      llvm::outs() << '\n' << shownConcept(*subject);
    return Clean;
  }
  if (findMnemonics(wanted).empty())
    return std::nullopt;
  listMnemonics(wanted, llvm::outs());
  return Clean;
}

static void listPages(std::string title, llvm::ArrayRef<FoundPage> pages) {
  PageSection section{PageSection::Kind::List, std::move(title), {}};
  for (const FoundPage &page : pages)
    section.rows.push_back({{page.name}, page.about, "", 0});
  printSection(section, llvm::outs());
}

/// Explains a message of ptxas, or a part of one.
static bool explainMessage(StringRef printed) {
  const std::vector<PtxasMessage> messages = ptxasMessagesLike(printed);
  if (messages.empty())
    return false;
  std::vector<FoundPage> rules;
  for (const PtxasMessage &message : messages)
    rules.push_back({message.text.str(), message.rule.empty() ? "no rule" : message.rule.str()});
  const bool isOneRule = llvm::all_equal(llvm::map_range(messages, [](const auto &one) { return one.rule; }));
  if (!isOneRule || messages.front().rule.empty()) {
    listPages("messages of ptxas, and the corresponding rules of ptxray:", rules);
    return true;
  }
  llvm::outs() << "ptxas: " << messages.front().text << "\n`ptxray check` reports such a fault at its place, often as "
               << messages.front().rule << ":\n\n"
               << shownRulePage(*findDiag(messages.front().rule.split(':').first));
  return true;
}

/// Explains a text that is no name as it stands: a name without its punctuation, a message of ptxas, or words that
/// occur on pages.
static std::optional<int> explainText(StringRef wanted, bool withSource) {
  const std::vector<std::string> names = namesLike(wanted);
  if (names.size() == 1)
    return explainName(names.front(), withSource);
  std::vector<FoundPage> pages;
  for (const std::string &name : names)
    if (const std::optional<Page> page = pageOf(name))
      pages.push_back({name, page->title});
  if (pages.empty() && explainMessage(wanted))
    return Clean;
  constexpr size_t mostShown = 12;
  if (pages.empty())
    pages = pagesAbout(wanted, mostShown);
  if (pages.empty())
    return std::nullopt;
  listPages("nothing is called `" + escaped(wanted) + "`; these pages are about it:", pages);
  return Clean;
}

/// Returns the words of a question that may be names, in lower case: without punctuation and common words.
static llvm::SmallVector<StringRef> wordsOfQuestion(StringRef text) {
  constexpr StringRef common[] = {"what",  "is",    "are",         "the",        "a",      "an",  "of",   "in",
                                  "how",   "do",    "does",        "i",          "to",     "ptx", "cuda", "why",
                                  "which", "when",  "instruction", "mean",       "can",    "use", "for",  "with",
                                  "my",    "error", "code",        "difference", "between"};
  llvm::SmallVector<StringRef> words, kept;
  text.split(words, ' ', -1, false);
  for (const StringRef word : words)
    if (const StringRef plain = word.trim("?,`'\"()"); !plain.empty() && !llvm::is_contained(common, plain.lower()))
      kept.push_back(plain);
  return kept;
}

/// Returns whether `explainName` has a page about a name.
static bool isExplained(StringRef name) {
  return findConcept(name) || findRule(name).rule || findDiag(name) || !pagesOf(name).empty() || pageOf(name) ||
         !findMnemonics(name).empty();
}

/// Returns the name that is meant, perhaps without its dot; empty if there is none.
static std::string resolved(StringRef name) {
  name = name.trim(" ?,`");
  for (const std::string &one : {name.str(), name.lower(), "." + name.str(), "%" + name.str()})
    if (isExplained(one))
      return one;
  const std::vector<std::string> names = namesLike(name);
  return names.size() == 1 ? names.front() : "";
}

/// Explains `A vs B`, `A against B`, or `difference of A and B`: both, one after the other.
static bool explainBoth(StringRef wanted, bool withSource) {
  const bool isDifference = wanted.contains_insensitive("difference");
  for (const StringRef divider : {" vs. ", " vs ", " versus ", " against ", " or ", " compared to ", " and "}) {
    const size_t at = wanted.find_insensitive(divider);
    if (at == StringRef::npos || (divider == " and " && !isDifference))
      continue;
    const llvm::SmallVector<StringRef> before = wordsOfQuestion(wanted.take_front(at)),
                                       after = wordsOfQuestion(wanted.drop_front(at + divider.size()));
    if (before.empty() || after.empty())
      continue;
    const std::string first = resolved(llvm::join(before, " ")), second = resolved(llvm::join(after, " "));
    if (first.empty() || second.empty())
      continue;
    explainName(first, withSource);
    llvm::outs() << '\n';
    explainName(second, withSource);
    return true;
  }
  return false;
}

/// Explains words that are parts of one opcode, in any order: `trans ldmatrix`, `ldmatrix .trans`.
static bool explainParts(StringRef wanted, bool withSource) {
  constexpr size_t most = 3; // more is a message, or a sentence
  llvm::SmallVector<StringRef> words = wordsOfQuestion(wanted);
  if (words.empty() || words.size() > most)
    return false;
  if (words.size() == 1)
    return words.front() != wanted && isExplained(words.front()) && explainName(words.front(), withSource).has_value();
  if (const std::string whole = llvm::join(words, " "); whole != wanted && findConcept(whole))
    return explainName(whole, withSource).has_value();
  llvm::stable_sort(words, [](StringRef a, StringRef b) { return isa::findMnemonic(a) && !isa::findMnemonic(b); });
  std::string joined;
  for (const StringRef word : words)
    joined += (joined.empty() || word.starts_with(".") ? "" : ".") + word.str();
  if (isa::findMnemonic(joined) || formPage(joined))
    return explainName(joined, withSource).has_value();
  const isa::Mnemonic *mnemonic = isa::findMnemonic(words.front());
  const std::string qualifier = "." + words[1].ltrim('.').str();
  const std::optional<isa::Meaning> meaning =
      mnemonic ? isa::findMeaning(qualifier, mnemonic->text()) : std::optional<isa::Meaning>();
  if (!meaning)
    return false;
  llvm::outs() << '`' << qualifier << "` in `" << mnemonic->text() << "`: " << meaning->text << "\n\n";
  return explainName(words.front(), withSource).has_value();
}

/// Explains a release of CUDA or of the driver: `CUDA 12.4`, `12.4`, `driver 550`.
static bool explainRelease(StringRef wanted) {
  const bool isOfDriver = wanted.contains_insensitive("driver");
  const size_t at = wanted.find_first_of("0123456789");
  if (at == StringRef::npos || (at > 0 && !isOfDriver && !wanted.contains_insensitive("cuda") &&
                                !wanted.contains_insensitive("toolkit") && !wanted.contains_insensitive("nvcc")))
    return false;
  const auto [major, rest] = wanted.drop_front(at).split('.');
  unsigned first = 0, second = 0;
  if (major.trim().getAsInteger(10, first))
    return false;
  const StringRef minor = rest.take_while(llvm::isDigit);
  const bool hasMinor = !minor.getAsInteger(10, second);
  constexpr unsigned firstDriver = 300; // releases of CUDA have smaller numbers
  const CudaRelease *found = nullptr;
  for (const CudaRelease &release : cudaReleases()) {
    unsigned branch = 0;
    const bool hasBranch = !release.driver.empty() && !release.driver.getAsInteger(10, branch);
    if (first >= firstDriver ? hasBranch && branch <= first
                             : release.major == first && (!hasMinor || release.minor == second))
      found = &release;
  }
  if (!found)
    return false;
  const std::string ptx = isa::versionText(found->ptx);
  if (first >= firstDriver)
    llvm::outs() << "driver " << first << ": loads PTX up to " << ptx << ", the version of CUDA " << found->name();
  else
    llvm::outs() << "CUDA " << found->name() << ": its ptxas reads PTX up to " << ptx
                 << (found->driver.empty() ? "" : "; drivers load that from R" + found->driver.str() + " on");
  llvm::outs() << "\n`ptxray explain " << ptx
               << "` shows what is new in that version, `ptxray targets FILE` what a file "
               << "needs\n";
  return true;
}

/// Explains a number as the truth table of a function of three bits: `0xE8`.
static bool explainTable(StringRef wanted) {
  unsigned table = 0;
  constexpr unsigned bits = 8;
  StringRef digits = wanted;
  if (!digits.consume_front_insensitive("0x") || digits.getAsInteger(16, table) || table >> bits)
    return false;
  llvm::outs() << "`" << wanted
               << "` as a truth table of three bits, `immLut` of `lop3`: the result is 1 for (a, b, c) =";
  for (unsigned i = 0; i < bits; ++i)
    if (table >> i & 1)
      llvm::outs() << " (" << (i >> 2) << ", " << (i >> 1 & 1) << ", " << (i & 1) << ')';
  llvm::outs() << "\n\n";
  if (const RulePage *page = findConcept("truth table"))
    llvm::outs() << shownConcept(*page);
  return true;
}

static int runExplain(const Arguments &arguments) {
  if (arguments.value("--format"))
    return explainAsJson(arguments);
  if (arguments.operands.empty())
    return overview();
  const StringRef wanted = opcodeIn(arguments.operands.front());
  if (arguments.operands.size() > 1)
    return usageError("only `--format=json` accepts several names");
  if (const std::optional<int> status = explainName(wanted, arguments.has("--source")))
    return *status;
  if (const std::optional<int> status = explainLine(wanted, llvm::outs()))
    return *status;
  if (wanted == ".sreg")
    return usageError(
        "`.sreg` is what the manual calls the state space of special registers; it is not written in PTX: "
        "`ptxray explain %tid` explains one of them");
  const bool withSource = arguments.has("--source");
  if (explainBoth(wanted, withSource) || explainTable(wanted) || explainRelease(wanted) ||
      explainParts(wanted, withSource))
    return Clean;
  if (const std::optional<int> status = explainText(wanted, arguments.has("--source")))
    return *status;
  return usageError("no rule, concept, instruction, directive, special register, or target `" + wanted.str() + "`" +
                    didYouMeanAny(wanted));
}

int unknownInstruction(StringRef written) {
  llvm::SmallVector<StringRef> known;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics())
    known.push_back(mnemonic.text());
  return usageError("no instruction `" + written.str() + "`" + didYouMean(written, known));
}

Command explainCommand() {
  return {.name = "explain",
          .summary = "explain a rule, concept, instruction, qualifier, directive, register, target, or line of a file",
          .syntax = {.operands = "[RULE|NAME|FILE:LINE]...",
                     .most = anyNumber,
                     .options = {{"--format", "json", "print the pages of the names, or of all names, as data"},
                                 {"--source", "", "also show the entry of the instruction in grammar/isa"}}},
          .run = runExplain};
}

} // namespace ptxray
