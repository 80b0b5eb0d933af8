#include "Editor/Document.h"
#include "Editor/Excerpt.h"
#include "Editor/Functions.h"
#include "Source/Foreign.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

/// Reserves capacity for typing, because a string doubles its capacity when it grows.
static void reserveFor(std::string &text, size_t size) {
  constexpr size_t typed = 1 << 16;
  if (text.capacity() < size + typed / 2)
    text.reserve(size + typed);
}

Document::Document(std::string path, Language language, std::string text) : whichLanguage(language) {
  report.path = std::move(path);
  reserveFor(text, text.size());
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

/// Makes the next check read the whole document.
void Document::forget() {
  known.clear();
  edits.clear();
}

void Document::edit(Range part, llvm::StringRef replacement) {
  std::string text = SourceBuffer::textOf(std::move(report.source));
  reserveFor(text, text.size() + replacement.size());
  text.replace(part.begin, part.size(), replacement);
  if (!known.empty())
    edits.push_back({part, static_cast<uint32_t>(replacement.size())});
  report.source = SourceBuffer::fromOwned(report.path, std::move(text));
  changed();
}

void Document::replaceAll(std::string text) {
  forget();
  reserveFor(text, text.size());
  report.source = SourceBuffer::fromOwned(report.path, std::move(text));
  changed();
}

void Document::setOptions(std::shared_ptr<const CheckOptions> options) {
  checkOptions = std::move(options);
  checker.reset(); // its cached verdicts depend on the previous options
  forget();
  changed();
}

Checker &Document::freshEnough() {
  constexpr unsigned mostUses = 100; // limits the memory for cached statements that no longer exist
  if (!checker || uses++ == mostUses) {
    checker.emplace();
    uses = 0;
  }
  return *checker;
}

const FileReport &Document::checked() {
  if (isChecked)
    return report;
  Checker &checker = freshEnough();
  if (whichLanguage == Language::Ptx) {
    const Reuse plan = planReuse(std::move(known), std::exchange(edits, {}));
    Rechecked checked = checker.recheck(std::move(report), *checkOptions, plan);
    report = std::move(checked.report);
    known = std::move(checked.items);
  } else {
    report = checker.check(std::move(report), whichLanguage, *checkOptions);
  }
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
    module = std::make_unique<Excerpt>(excerptOfPtx(text(), bodies(), std::nullopt, *checkOptions));
  return module.get();
}

std::optional<ExcerptText> Document::textAround(uint32_t place) {
  if (isPtx())
    return excerptOfPtx(text(), bodies(), place, *checkOptions);
  if (whichLanguage == Language::Ptx)
    return std::nullopt;
  std::optional<InlineModule> found = freshEnough().moduleAt(place, report, whichLanguage, *checkOptions);
  return found ? std::optional(excerptOfStatement(std::move(*found), *checkOptions)) : std::nullopt;
}

const Excerpt *Document::excerptAt(uint32_t place) {
  if (excerpt && excerptPlace.begin <= place && place <= excerptPlace.end)
    return excerpt.get();
  const bool isOutside =
      isPtx() && llvm::none_of(bodies(), [&](Range body) { return body.begin < place && place < body.end; });
  if (isOutside)
    return outside();
  std::optional<ExcerptText> around = textAround(place);
  if (!around)
    return nullptr;
  excerptPlace = around->place;
  excerpt = std::make_unique<Excerpt>(std::move(*around));
  return excerpt.get();
}

} // namespace ptxray
