#include "Pages/PageParts.h"
#include "Diagnostics/Manual.h"
#include "Targets/Needs.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

PageSection manualSection(isa::Text manual) {
  PageSection section{PageSection::Kind::Text, "Manual", {}};
  if (manual.empty()) {
    section.rows.push_back({{}, "in no manual", "", 0});
    return section;
  }
  std::string text = std::string(manual);
  if (const ManualSection *known = findManualSection(manual)) {
    text += " of PTX " + manualVersion.str() + ": " + known->title.str();
    section.rows.push_back({{}, std::move(text), "", 0});
    section.rows.push_back({{}, known->url(), "", 0});
  } else {
    section.rows.push_back({{}, text + " of a manual newer than PTX " + manualVersion.str(), "", 0});
  }
  return section;
}

PageSection needsSection(llvm::ArrayRef<isa::ExprId> gates) { return needsSection(Demands{gates.vec()}); }

PageSection needsSection(const Demands &demands) {
  PageSection section{PageSection::Kind::Text, "Needs", {}};
  const std::string needs = needsText(demands);
  section.rows.push_back({{}, needs.empty() ? "none: every PTX version and target supports it" : needs, "", 0});
  if (needsVariant(demands))
    section.rows.push_back({{}, "Targets without the suffix `a` or `f` do not support it.", "", 0});
  return section;
}

PageSection effectsSection(std::string title, const ReadExample &read) {
  PageSection section{PageSection::Kind::Text, std::move(title), {}};
  for (const std::string &effect : read.effects)
    section.rows.push_back({{}, effect, ""});
  return section;
}

std::string furtherNeeds(const Demands &known, llvm::ArrayRef<isa::ExprId> gates) {
  Demands all = known;
  all.all.insert(all.all.end(), gates.begin(), gates.end());
  const std::string needs = needsText(all);
  return needs.empty() || needs == needsText(known) ? "" : "needs " + needs;
}

void addFormula(std::string text, std::string condition, const std::vector<std::string> &functions,
                PageSection &section) {
  std::string note = std::move(condition);
  for (const std::string &function : functions)
    if (llvm::none_of(section.rows, [&](const PageRow &row) { return llvm::StringRef(row.note).contains(function); }))
      note += (note.empty() ? "" : "; ") + function;
  section.rows.push_back({{}, std::move(text), std::move(note)});
}

static std::string severityText(const ExampleReport &report) { return report.isError ? "error: " : "warning: "; }

void addExample(llvm::StringRef name, Page &page) {
  const isa::Example *example = isa::findExample(name);
  if (!example)
    return;
  const std::string right(example->right());
  const auto [ptx, target] = settingOfExample(name, right);
  const ExampleModule whole = exampleModule(name, right, ptx, target.empty() ? "sm_90" : target);
  page.add({PageSection::Kind::Code,
            "For example" + (ptx < isa::versions().back()          ? ", in PTX " + isa::versionText(ptx)
                             : target == "sm_90" || target.empty() ? ""
                                                                   : ", for `.target " + target.str() + "`"),
            {{{}, right, "", 0, whole.text}}});
  page.add(effectsSection("What it does", readExample(whole)));
  const bool isOfTarget = !example->refusedBy().empty();
  const std::string wrong(isOfTarget ? example->right() : example->wrong());
  if (wrong.empty())
    return;
  const std::string wrongTarget = isOfTarget ? std::string(example->refusedBy()) : target.str();
  PageSection mistake{PageSection::Kind::Code, "A typical mistake", {{{}, wrong, "", 0}}};
  if (isOfTarget)
    mistake.title += ": `.target " + wrongTarget + "`";
  const ExampleModule module = exampleModule(name, wrong, ptx, wrongTarget);
  mistake.rows.front().module = module.text;
  if (const auto report = reportOf(module)) {
    mistake.rows.front().note = severityText(*report) + report->message;
    for (const std::string &advice : report->advice)
      mistake.rows.front().note += "; " + advice;
  }
  page.add(std::move(mistake));
}

void addOrJoin(PageRow row, std::vector<PageRow> &rows) {
  const auto same =
      llvm::find_if(rows, [&](const PageRow &other) { return other.text == row.text && other.note == row.note; });
  if (same == rows.end())
    rows.push_back(std::move(row));
  else if (!llvm::is_contained(same->words, row.words.front()))
    same->words.push_back(std::move(row.words.front()));
}

} // namespace ptxray
