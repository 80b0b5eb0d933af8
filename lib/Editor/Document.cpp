#include "Editor/Document.h"
#include "Editor/Excerpt.h"
#include "Editor/Functions.h"
#include "Source/Foreign.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

Document::Document(std::string path, Language language, std::string text) : whichLanguage(language) {
  report.path = std::move(path);
  report.source = SourceBuffer::fromOwned(report.path, std::move(text));
}

Document::~Document() = default;

void Document::changed() {
  excerpt.reset();
  module.reset();
  isChecked = false;
  foundBodies.reset();
  ++changes;
}

void Document::edit(Range part, llvm::StringRef replacement) {
  std::string text = SourceBuffer::textOf(std::move(report.source));
  text.replace(part.begin, part.size(), replacement);
  report.source = SourceBuffer::fromOwned(report.path, std::move(text));
  changed();
}

void Document::replaceAll(std::string text) {
  report.source = SourceBuffer::fromOwned(report.path, std::move(text));
  changed();
}

void Document::setOptions(std::shared_ptr<const CheckOptions> options) {
  checkOptions = std::move(options);
  checker.reset(); // it remembers what it judged with the options before
  changed();
}

const FileReport &Document::checked() {
  if (isChecked)
    return report;
  constexpr unsigned mostChecks = 100; // it remembers statements that are long gone
  if (!checker || checks++ == mostChecks) {
    checker.emplace();
    checks = 0;
  }
  report.inlined.reset();
  checker->check(report, whichLanguage, report.path, *checkOptions);
  isChecked = true;
  return report;
}

bool Document::isPtx() const { return whichLanguage == Language::Ptx && !recogniseForeign(text()); }

llvm::ArrayRef<Range> Document::bodies() {
  if (!foundBodies)
    foundBodies = findBodies(text());
  return *foundBodies;
}

const Excerpt *Document::outside() {
  if (!isPtx())
    return nullptr;
  if (!module)
    module = excerptOf(text(), bodies(), std::nullopt, *checkOptions);
  return module.get();
}

/// Null: there is none.
const Range *Document::bodyAround(uint32_t place) {
  const auto around = llvm::find_if(bodies(), [&](Range body) { return body.begin < place && place < body.end; });
  return around == bodies().end() ? nullptr : &*around;
}

bool Document::isInBody(uint32_t place) { return bodyAround(place) != nullptr; }

uint32_t Document::statementsBefore(uint32_t place) {
  uint32_t from = 0;
  for (const Range body : bodies())
    if (body.begin < place)
      from = place < body.end ? body.begin + 1 : body.end;
  return from;
}

std::unique_ptr<Excerpt> Document::excerptWithout(Range part, uint32_t place) {
  return excerptOf(text(), bodies(), place, *checkOptions, part);
}

const Excerpt *Document::excerptAt(uint32_t place) {
  if (excerpt && excerptPlace.begin < place && place < excerptPlace.end)
    return excerpt.get();
  if (!isPtx())
    return nullptr;
  const Range *around = bodyAround(place);
  if (!around)
    return outside();
  excerptPlace = *around;
  excerpt = excerptOf(text(), bodies(), place, *checkOptions);
  return excerpt.get();
}

} // namespace ptxray
