#include "Equal/AnswerWords.h"

namespace ptxray::equal {

const char *wordOf(Equality verdict) {
  switch (verdict) {
  case Equality::Bits: return "bits";
  case Equality::Real: return "real";
  case Equality::Different: return "different";
  default: return "unknown";
  }
}

const char *sentenceOf(Equality verdict) {
  switch (verdict) {
  case Equality::Bits: return "equal: the same bits for all contents";
  case Equality::Real: return "equal as real functions: only rounding differs";
  case Equality::Different: return "different";
  default: return "not decided";
  }
}

/// Returns a place: `a.ptx:12:3`, or `a:12:3` for a text without a file.
static std::string placeIn(const FileReport &report, const PlaceOf &place) {
  const LineColumn at = report.source->lineColumn(place.range.begin);
  const std::string name = !report.path.empty() ? report.path : place.side ? "b" : "a";
  return name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

static std::string wordsOf(const ContentName &name) {
  if (name.kind == Contents::given)
    return "as given";
  return "kind " + std::to_string(name.kind) + ", seed " + std::to_string(name.seed);
}

AnswerWords wordsOf(const Answer &answer, llvm::ArrayRef<const FileReport *> reports, llvm::ArrayRef<Buffer> buffers) {
  AnswerWords words;
  if (answer.at)
    words.at = placeIn(*reports[answer.at->side], *answer.at);
  if (!answer.schedule.empty())
    words.contents = "schedule " + answer.schedule;
  else if (answer.contents)
    words.contents = wordsOf(*answer.contents);
  if (const std::optional<ElementDifference> &one = answer.difference) {
    words.buffer = buffers[one->buffer].name;
    words.first = shown(one->type, one->first);
    words.second = shown(one->type, one->second);
  }
  return words;
}

Json jsonOf(const Answer &answer, llvm::ArrayRef<const FileReport *> reports, llvm::ArrayRef<Buffer> buffers) {
  const AnswerWords words = wordsOf(answer, reports, buffers);
  Json json = {{"verdict", wordOf(answer.verdict)}};
  if (!answer.why.empty())
    json["why"] = answer.why;
  if (!words.at.empty())
    json["at"] = words.at;
  if (answer.difference)
    json["difference"] = {
        {"buffer", words.buffer}, {"element", answer.difference->index}, {"a", words.first}, {"b", words.second}};
  if (!words.contents.empty())
    json["contents"] = words.contents;
  return json;
}

} // namespace ptxray::equal
