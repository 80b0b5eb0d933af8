#include "Editor/Excerpt.h"

namespace ptxray {

Excerpt::Excerpt(ExcerptText given)
    : mapped(std::move(given.text)), begin(given.bodyBegin), buffer(SourceBuffer::fromText("", mapped.text())),
      options(std::move(given.options)), check(parser.ast(), knowledge, *buffer, options, sink) {
  check.onlyRead();
  // The whole text is read first, so that the arrays a body refers to do not move.
  parser.read(*buffer, sink);
  for (const Statement item : parser.ast().module) {
    const Body *body = check.item(item);
    if (!body || !begin || body->function->range.end <= *begin)
      continue;
    lastBody = body->function->range.begin <= *begin ? body : nullptr;
    return;
  }
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
  excerpt.options.target.clear(); // the module says which
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
