// The pages of all names except instructions: directives, pragmas, special registers, targets, qualifiers.
#include "Match/Wording.h"
#include "Pages/ConditionText.h"
#include "Pages/Examples.h"
#include "Pages/Explain.h"
#include "Pages/PageParts.h"
#include "Pages/Pages.h"
#include "Source/Narrow.h"
#include "Targets/Needs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

static PageRow paragraph(std::string text) { return {{}, std::move(text), "", 0}; }

/// Returns the meanings of a qualifier, and the instructions to which each applies.
static PageSection meaningsOf(const isa::Word &word) {
  const isa::WordId id = isa::findWord(word.text());
  std::vector<std::pair<std::string, std::vector<std::string>>> texts;
  for (const isa::Mnemonic &mnemonic : isa::tables().mnemonics) {
    const bool has = llvm::any_of(isa::run(isa::tables().mnemonicForms, mnemonic.forms), [&](uint32_t form) {
      return llvm::any_of(isa::run(isa::tables().slots, isa::tables().forms[form].slots), [&](const isa::Slot &slot) {
        return llvm::any_of(isa::run(isa::tables().slotValues, slot.values),
                            [&](const isa::SlotValue &value) { return value.word == id; });
      });
    });
    if (!has)
      continue;
    const std::string text = describeWord(word, mnemonic.text());
    const auto known = llvm::find_if(texts, [&](const auto &one) { return one.first == text; });
    if (known == texts.end())
      texts.push_back({text, {quote(mnemonic.text())}});
    else
      known->second.push_back(quote(mnemonic.text()));
  }
  PageSection section{PageSection::Kind::Text, "Where it is written", {}};
  for (const auto &[text, mnemonics] : texts)
    section.rows.push_back(
        paragraph((texts.size() > 1 && !text.empty() ? text + ": " : "in ") + llvm::join(mnemonics, ", ")));
  return section;
}

// ------------------------------------------------------------------------- directives and pragmas

static std::string argumentText(const isa::DirectiveArgument &argument) {
  static constexpr StringRef kinds[] = {"",
                                        "a number of 32 bits",
                                        "a number of 64 bits",
                                        "a text in quotes",
                                        "a name",
                                        "a word with a dot",
                                        "a number",
                                        "text",
                                        "a type: `.u32`, `.f16x2`",
                                        "a state space: `.param`, `.reg`",
                                        "a number, an address, or a list of them in braces"};
  std::string text = kinds[static_cast<size_t>(argument.kind)].str();
  if (const auto ranges = isa::run(isa::tables().ranges, argument.ranges); !ranges.empty())
    text +=
        ranges.front().high >= UINT32_MAX ? ", from " + std::to_string(ranges.front().low) : ": " + rangesText(ranges);
  llvm::SmallVector<std::string, 8> texts;
  for (const isa::StoredText one : isa::run(isa::tables().directiveTexts, argument.texts))
    texts.push_back("\"" + std::string(one()) + "\"");
  if (!texts.empty())
    text += ", or " + listText(texts, "or");
  if (argument.depth)
    text += "; may be left out";
  if (argument.repeats)
    text += "; more may follow after commas";
  return text;
}

static PageSection argumentSection(const isa::Directive &directive) {
  PageSection section{PageSection::Kind::List, "Arguments", {}};
  for (const isa::DirectiveArgument &argument : isa::run(isa::tables().arguments, directive.arguments)) {
    if (argument.kind == isa::ArgumentKind::Literal)
      continue;
    addOrJoin({{std::string(argument.name())}, argumentText(argument), "", 0}, section.rows);
  }
  return section;
}

static std::string directivesText(isa::Span list, const char *conjunction) {
  llvm::SmallVector<std::string, 4> names;
  for (const uint16_t index : isa::run(isa::tables().directiveLists, list))
    names.push_back(quote(isa::tables().directives[index].name()));
  return listText(names, conjunction);
}

static PageSection placeSection(const isa::Directive &directive) {
  PageSection section{PageSection::Kind::Text, "Where it is written", {}};
  std::string where = placesOf(directive);
  if (directive.places & isa::InDirective)
    where = "in the braces of " + quote(isa::tables().directives[directive.owner].name());
  section.rows.push_back(paragraph(where));
  if (directive.once)
    section.rows.push_back(paragraph("once"));
  if (directive.needs.count)
    section.rows.push_back(paragraph("only with " + directivesText(directive.needs, "and")));
  if (directive.excludes.count)
    section.rows.push_back(paragraph("not with " + directivesText(directive.excludes, "or")));
  if (directive.idleWithout.count)
    section.rows.push_back(paragraph("without " + directivesText(directive.idleWithout, "or") + " it has no effect"));
  if (directive.idleSince)
    section.rows.push_back(paragraph("since PTX " + isa::versionText(directive.idleSince) + " it has no effect"));
  return section;
}

static Page pageOfDirective(const isa::Directive &directive, const char *kind, std::string form) {
  Page page{std::string(directive.name()), kind, std::string(directive.title()), {}};
  addExample(directive.name(), page);
  page.add({PageSection::Kind::Code, "Form", {paragraph(std::move(form))}});
  page.add(argumentSection(directive));
  page.add(placeSection(directive));
  llvm::SmallVector<isa::ExprId, 1> gates;
  if (directive.gate)
    gates.push_back(directive.gate);
  page.add(needsSection(gates));
  page.add(manualSection(directive.manual()));
  return page;
}

Page directivePage(const isa::Directive &directive) {
  std::string form(directive.syntax());
  std::erase(form, '"');
  Page page = pageOfDirective(directive, "directive", std::move(form));
  if (const isa::WordId word = isa::findWord(directive.name())) {
    PageSection uses = meaningsOf(isa::word(word));
    uses.title = "As a qualifier";
    page.add(std::move(uses));
  }
  return page;
}

Page pragmaPage(const isa::Directive &pragma) {
  std::string inside(StringRef(pragma.syntax()).trim());
  std::erase(inside, '"');
  return pageOfDirective(pragma, "pragma", ".pragma \"" + inside + "\";");
}

// ---------------------------------------------------------------------------------------- registers

/// Returns an example: a `mov` from the register, or to it.
static std::string movOf(const isa::SpecialRegister &reg, bool isWritten) {
  const std::string type(isa::word(reg.type).text());
  const StringRef bits = StringRef(type).ltrim(".ubs");
  const std::string other = type == ".pred" ? "%p1" : bits == "64" ? "%rd1" : "%r1";
  const std::string name = std::string(reg.name()) + (reg.vector ? ".x" : "");
  const std::string shown = type == ".pred" ? ".pred" : bits == "64" ? ".u64" : ".u32";
  return "mov" + shown + " " + (isWritten ? name + ", " + other : other + ", " + name) + ";";
}

static void addMoves(const isa::SpecialRegister &reg, Page &page) {
  const std::string right = movOf(reg, false);
  page.add({PageSection::Kind::Code, "For example", {paragraph(right)}});
  const StringRef target = settingOfExample("mov", right).target;
  std::string wrong = movOf(reg, true);
  if (reg.vector)
    wrong = StringRef(right).drop_back(3).str() + ";";
  else if (StringRef(isa::word(reg.type).text()).ends_with("64") && !reg.narrow)
    wrong = "mov.u32 %r1, " + std::string(reg.name()) + ";";
  PageSection mistake{PageSection::Kind::Code, "A typical mistake", {paragraph(wrong)}};
  const std::string chosen = target.empty() ? "sm_90" : target.str();
  if (const auto report = reportOf(exampleModule("mov", wrong, isa::versions().back(), chosen)))
    mistake.rows.front().note = (report->isError ? "error: " : "warning: ") + report->message;
  page.add(std::move(mistake));
}

Page registerPage(const isa::SpecialRegister &reg) {
  const std::optional<isa::Meaning> meaning = isa::findMeaning(reg.name());
  Page page{
      std::string(reg.name()), "special register", meaning ? std::string(meaning->text) : "a special register", {}};
  addMoves(reg, page);
  PageSection type{PageSection::Kind::Text, "Type", {}};
  type.rows.push_back(paragraph("`" + std::string(isa::word(reg.type).text()) + "`" +
                                (reg.vector ? ", a vector: `.x`, `.y`, and `.z` are its components" : "")));
  if (reg.narrow)
    type.rows.push_back(paragraph("it had fewer bits in older versions, and can still be read at that size"));
  page.add(std::move(type));
  static constexpr StringRef scopes[] = {
      "each thread has its own value",           "the same for all threads of a warp",
      "the same for all threads of a warpgroup", "the same for all threads of a block",
      "the same for all threads of a cluster",   "the same for all threads of the launch"};
  page.add({PageSection::Kind::Text, "For whom", {paragraph(scopes[static_cast<size_t>(reg.scope)].str())}});
  llvm::SmallVector<isa::ExprId, 1> gates;
  if (reg.gate)
    gates.push_back(reg.gate);
  PageSection needs = needsSection(gates);
  if (reg.needs >= 0)
    needs.rows.push_back(
        paragraph("an entry with " + quote(isa::tables().directives[static_cast<size_t>(reg.needs)].name())));
  page.add(std::move(needs));
  page.add(manualSection(reg.manual()));
  return page;
}

// ------------------------------------------------------------------------------------------ targets

static std::string grouped(uint64_t value) {
  std::string text = std::to_string(value);
  for (size_t at = text.size(); at > 3;)
    text.insert(at -= 3, ",");
  return text;
}

/// Returns the instructions that only a target with that letter supports.
static std::string onlyWithLetter(const isa::Target &target) {
  if (!target.variant)
    return "";
  const uint16_t own = narrow<uint16_t>(&target - isa::targets().data());
  const int plain = isa::findTarget("sm_" + std::to_string(target.number));
  llvm::SmallVector<std::string, 16> names;
  for (const isa::Mnemonic &mnemonic : isa::tables().mnemonics) {
    bool has = false, plainHas = false;
    for (const uint32_t form : isa::run(isa::tables().mnemonicForms, mnemonic.forms)) {
      const auto gates = gatesOf(isa::tables().forms[form]);
      has |= leastVersion(gates, own).has_value();
      plainHas |= plain >= 0 && leastVersion(gates, narrow<uint16_t>(plain)).has_value();
    }
    if (has && !plainHas)
      names.push_back(quote(mnemonic.text()));
  }
  return listText(names, "and");
}

static PageSection capacity(const isa::Target &target) {
  PageSection section{PageSection::Kind::List, "What it holds", {}};
  section.rows.push_back({{"shared memory"}, grouped(target.sharedBytes) + " bytes that a kernel may declare", "", 0});
  if (target.threads)
    section.rows.push_back({{"threads"}, grouped(target.threads) + " on a multiprocessor", "", 0});
  if (target.blocks)
    section.rows.push_back({{"blocks"}, grouped(target.blocks) + " on a multiprocessor", "", 0});
  return section;
}

/// Adds an example of a header with too low a version, or with a wrong letter.
static void addHeader(const isa::Target &target, Page &page) {
  const std::string name(target.name()), directive = ".target " + name;
  page.add({PageSection::Kind::Code,
            "For example",
            {paragraph(".version " + isa::versionText(target.since) + "\n" + directive)}});
  const uint16_t *since = llvm::find(isa::versions(), target.since);
  while (since != isa::versions().begin() && isa::versionMeaning(*std::prev(since)) >= target.since)
    --since;
  PageSection mistake{PageSection::Kind::Code, "A typical mistake", {}};
  const bool hasOlder = since != isa::versions().begin();
  const uint16_t ptx = hasOlder ? *std::prev(since) : target.since;
  const std::string wrong = hasOlder ? directive : directive + "x";
  mistake.rows.push_back(paragraph(".version " + isa::versionText(ptx) + "\n" + wrong));
  if (const auto report = reportOf(exampleModule(".target", wrong, ptx, name)))
    mistake.rows.front().note = (report->isError ? "error: " : "warning: ") + report->message;
  page.add(std::move(mistake));
}

Page targetPage(const isa::Target &target) {
  Page page{
      std::string(target.name()), "target", "a GPU architecture, since PTX " + isa::versionText(target.since), {}};
  addHeader(target, page);
  PageSection runs{PageSection::Kind::Text, "Where the code runs", {}};
  const std::string number = std::to_string(target.number);
  runs.rows.push_back(paragraph(target.variant == 'a' ? "on GPUs of architecture " + number + " alone"
                                : target.variant == 'f'
                                    ? "on GPUs of architecture " + number + " and of later ones of its family"
                                    : "on GPUs of architecture " + number + " and of all later ones"));
  if (target.variant == 'f') {
    llvm::SmallVector<std::string, 4> family;
    for (const isa::Target &other : isa::targets())
      if (other.family == target.family && target.family && other.number >= target.number && !other.variant &&
          !isOldName(other))
        family.push_back(std::to_string(other.number));
    runs.rows.push_back(paragraph("these are " + listText(family, "and")));
  }
  if (isOldName(target))
    runs.rows.push_back(
        paragraph("an old name of `sm_" + number + (target.variant ? std::string(1, target.variant) : "") + "`"));
  if (!target.documented)
    runs.rows.push_back(paragraph("ptxas accepts it, but no manual describes it"));
  page.add(std::move(runs));
  if (const std::string only = onlyWithLetter(target); !only.empty())
    page.add({PageSection::Kind::Text, "Only with its letter", {paragraph(only)}});
  page.add(capacity(target));
  page.add({PageSection::Kind::Text, "Needs", {paragraph("PTX " + isa::versionText(target.since))}});
  page.add(manualSection("11.1.2"));
  llvm::SmallVector<std::string, 4> alike;
  for (const isa::Target &other : isa::targets())
    if (other.number == target.number && other.name() != target.name())
      alike.push_back(quote(other.name()));
  if (!alike.empty())
    page.add({PageSection::Kind::Text, "See also", {paragraph(listText(alike, "and"))}});
  return page;
}

// ------------------------------------------------------------------------------------------- words

Page wordPage(const isa::Word &word) {
  Page page{std::string(word.text()), "qualifier", describeWord(word), {}};
  page.add(meaningsOf(word));
  if (page.title.empty() && !page.sections.empty() && page.sections.front().rows.size() == 1)
    page.title = "part of an instruction's name";
  if (page.title.empty())
    page.title = "a qualifier";
  if (word.gate && isa::tables().exprs[word.gate].gateOnly)
    page.add(needsSection(word.gate));
  return page;
}

std::optional<Page> pageOf(StringRef name) {
  if (const isa::Directive *directive = isa::findDirective(name))
    return directivePage(*directive);
  if (const isa::Directive *pragma = isa::findPragma(name.trim('"')))
    return pragmaPage(*pragma);
  if (const isa::SpecialRegister *reg = isa::findSpecialRegister(name.split('.').first))
    return registerPage(*reg);
  const auto *target =
      llvm::find_if(isa::targets(), [&](const isa::Target &one) { return StringRef(one.name()) == name; });
  if (target != isa::targets().end())
    return targetPage(*target);
  if (const isa::WordId id = isa::findWord(name))
    return wordPage(isa::word(id));
  return std::nullopt;
}

} // namespace ptxray
