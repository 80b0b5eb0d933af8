#include "PagesJson.h"
#include "Pages/Pages.h"
#include <set>

namespace ptxray {

std::vector<Page> allPages() {
  std::vector<Page> pages;
  const isa::Tables &tables = isa::tables();
  for (const isa::Mnemonic &mnemonic : tables.mnemonics)
    pages.push_back(instructionPage(mnemonic));
  for (const isa::Directive &directive : tables.directives)
    pages.push_back(directivePage(directive));
  for (const isa::Directive &pragma : tables.pragmas)
    pages.push_back(pragmaPage(pragma));
  for (const isa::SpecialRegister &reg : tables.specialRegisters)
    pages.push_back(registerPage(reg));
  for (const isa::Target &target : tables.targets)
    pages.push_back(targetPage(target));
  std::set<isa::WordId> selectors; // selectors follow operands; there are thousands
  for (const isa::Slot &slot : tables.slots)
    if (slot.suffix)
      for (const isa::SlotValue &value : isa::run(tables.slotValues, slot.values))
        selectors.insert(value.word);
  for (const isa::Word &word : tables.words.drop_front())
    if (!selectors.contains(static_cast<isa::WordId>(&word - tables.words.data())) &&
        (word.wordClass == isa::WordClass::Type || isa::findMeaning(word.text())))
      pages.push_back(wordPage(word));
  return pages;
}

static Json rowJson(const PageRow &row) {
  Json json = Json::object();
  if (!row.words.empty())
    json["words"] = row.words;
  if (!row.text.empty())
    json["text"] = row.text;
  if (!row.note.empty())
    json["note"] = row.note;
  if (row.depth)
    json["depth"] = row.depth;
  if (!row.module.empty())
    json["module"] = row.module;
  return json;
}

Json pagesJson(const std::vector<Page> &pages) {
  static constexpr const char *kinds[] = {"part", "text", "code", "list", "table", "picture"};
  Json list = Json::array();
  for (const Page &page : pages) {
    Json sections = Json::array();
    for (const PageSection &section : page.sections) {
      Json rows = Json::array();
      for (const PageRow &row : section.rows)
        rows.push_back(rowJson(row));
      sections.push_back(
          {{"kind", kinds[static_cast<size_t>(section.kind)]}, {"title", section.title}, {"rows", rows}});
    }
    list.push_back(
        {{"name", page.name}, {"kind", page.kind}, {"title", page.title}, {"sections", std::move(sections)}});
  }
  return list;
}

} // namespace ptxray
