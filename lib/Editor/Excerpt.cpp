#include "Editor/Excerpt.h"

namespace ptxray {

Excerpt::Excerpt(ExcerptText given)
    : mapped(std::move(given.text)), begin(given.bodyBegin), buffer(SourceBuffer::fromText("", mapped.text())),
      whole(readModule(*buffer, given.options)) {
  for (const Body &body : whole.bodies())
    if (begin && body.function->range.begin <= *begin && *begin < body.function->range.end)
      around = &body;
}

ExcerptText excerptOfPtx(llvm::StringRef text, llvm::ArrayRef<Range> bodies, std::optional<uint32_t> place,
                         const CheckOptions &options) {
  ExcerptText excerpt;
  excerpt.options = options;
  uint32_t at = 0;
  for (const Range body : bodies) {
    excerpt.text.copy(text.slice(at, body.begin), at);
    at = body.end;
    if (place && *place > body.begin && *place < body.end) {
      excerpt.bodyBegin = excerpt.text.size();
      excerpt.text.copy(text.slice(body.begin, body.end), body.begin);
      excerpt.place = {body.begin + 1, body.end - 1};
      return excerpt;
    }
    excerpt.text.replace(";", body);
  }
  excerpt.text.copy(text.drop_front(at), at);
  return excerpt;
}

ExcerptText excerptOfStatement(InlineModule module, const CheckOptions &options) {
  ExcerptText excerpt;
  excerpt.bodyBegin = static_cast<uint32_t>(module.text.text().find('{'));
  excerpt.text = std::move(module.text);
  excerpt.options = options;
  excerpt.options.target.clear(); // the module specifies its target
  excerpt.options.ptx.clear();
  excerpt.options.isFragment = excerpt.options.wideAddresses = true;
  excerpt.place = module.place;
  return excerpt;
}

ExcerptText without(const ExcerptText &text, Range part) {
  ExcerptText rest;
  rest.bodyBegin = text.bodyBegin;
  rest.options = text.options;
  rest.place = text.place;
  rest.text.append(text.text, {0, part.begin});
  rest.text.append(text.text, {part.end, text.text.size()});
  return rest;
}

} // namespace ptxray
