// The page of a PTX version: the toolkits and drivers that support it, and its new features.
#include "Gpus/CudaReleases.h"
#include "Match/Wording.h"
#include "Pages/FormNeeds.h"
#include "Pages/Pages.h"
#include "Source/Narrow.h"
#include "Targets/Needs.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

namespace ptxray {

using llvm::StringRef;

namespace {

/// Determines in which version a feature was introduced, for any target.
class Beginnings {
public:
  uint16_t of(const Demands &demands) {
    const auto [place, isNew] = known.try_emplace(demands, uint16_t(0));
    for (uint16_t target = 0; isNew && target < isa::targets().size(); ++target)
      if (const std::optional<uint16_t> version = leastVersion(demands, target))
        place->second = place->second ? std::min(place->second, *version) : *version;
    return place->second;
  }
  uint16_t ofGate(isa::ExprId gate) { return gate ? of({{gate}}) : isa::versions().front(); }

private:
  std::map<Demands, uint16_t> known; // 0 for never
};

} // namespace

/// Returns the version in a text such as `ptx 8.7`, `PTX ISA 8.7` or `8.7`, or nothing.
static std::optional<uint16_t> versionIn(StringRef written) {
  StringRef rest = written.trim();
  for (const StringRef word : {".version", "ptx", "isa", "version"})
    if (rest.consume_front_insensitive(word))
      rest = rest.ltrim(" _-");
  const auto [major, minor] = rest.split('.');
  unsigned first = 0, second = 0;
  if (major.getAsInteger(10, first) || minor.getAsInteger(10, second) || first > 99 || second > 99)
    return std::nullopt;
  const auto version = narrow<uint16_t>(first * 100 + second);
  return llvm::is_contained(isa::versions(), version) ? std::optional(version) : std::nullopt;
}

static PageSection listOf(const char *title, const std::vector<std::string> &names) {
  PageSection section{PageSection::Kind::Text, title, {}};
  if (!names.empty())
    section.rows.push_back({{}, listText(names, "and"), "", 0});
  return section;
}

static PageSection readers(uint16_t version) {
  PageSection section{PageSection::Kind::Text, "Who reads it", {}};
  const auto releases = cudaReleases();
  if (llvm::any_of(releases, [&](const CudaRelease &one) { return one.hasToolkit && one.ptx >= version; })) {
    const std::string toolkit = firstToolkitFor(version).name();
    section.rows.push_back({{}, "ptxas of CUDA " + toolkit + " and of later releases", "", 0});
  }
  if (const StringRef driver = firstDriverFor(version); !driver.empty())
    section.rows.push_back({{}, "drivers from R" + driver.str() + " on", "", 0});
  if (const uint16_t meaning = isa::versionMeaning(version); meaning != version)
    section.rows.push_back({{}, "ptxas reads it as " + isa::versionText(meaning), "", 0});
  return section;
}

static void addInstructions(uint16_t version, Beginnings &beginnings, Page &page) {
  std::vector<std::string> whole, inPart;
  for (const isa::Mnemonic &mnemonic : isa::mnemonics()) {
    bool isOld = false, isNew = false;
    for (const uint32_t form : isa::run(isa::tables().mnemonicForms, mnemonic.forms)) {
      const uint16_t begins = beginnings.of(demandsOf(isa::tables().forms[form]));
      isOld |= begins && begins < version;
      isNew |= begins == version;
    }
    if (isNew)
      (isOld ? inPart : whole).push_back(quote(mnemonic.text()));
  }
  page.add(listOf("New instructions", whole));
  page.add(listOf("New forms of", inPart));
}

std::optional<Page> versionPage(StringRef written) {
  const std::optional<uint16_t> version = versionIn(written);
  if (!version)
    return std::nullopt;
  Page page{"PTX " + isa::versionText(*version), "version", "a version of PTX", {}};
  page.add({PageSection::Kind::Code, "For example", {{{}, ".version " + isa::versionText(*version), "", 0}}});
  page.add(readers(*version));
  std::vector<std::string> targets;
  for (const isa::Target &target : isa::targets())
    if (target.since == *version)
      targets.push_back(quote(target.name()));
  page.add(listOf("New targets", targets));
  if (*version == isa::versions().front())
    return page; // the remaining features are as old
  Beginnings beginnings;
  addInstructions(*version, beginnings, page);
  std::vector<std::string> directives, registers;
  for (const isa::Directive &directive : isa::tables().directives)
    if (beginnings.ofGate(directive.gate) == *version)
      directives.push_back(quote(directive.name()));
  for (const isa::SpecialRegister &reg : isa::specialRegisters())
    if (beginnings.ofGate(reg.gate) == *version)
      registers.push_back(quote(reg.name()));
  page.add(listOf("New directives", directives));
  page.add(listOf("New special registers", registers));
  page.add({PageSection::Kind::Text,
            "Words of older forms",
            {{{}, "may also be new: the page of an instruction shows the version of each", "", 0}}});
  return page;
}

} // namespace ptxray
