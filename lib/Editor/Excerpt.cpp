#include "Editor/Excerpt.h"

namespace ptxray {

Excerpt::Excerpt(MappedText text, std::optional<uint32_t> bodyBegin, const CheckOptions &options)
    : mapped(std::move(text)), begin(bodyBegin), buffer(SourceBuffer::fromText("", mapped.text())), options(options),
      check(parser.ast(), *buffer, this->options, sink) {
  parser.parse(*buffer, sink, /*keepBodies=*/true, [&](const Ast &, Statement item) {
    const Body *body = check.item(item);
    if (body && begin && body->function->range.begin <= *begin && *begin < body->function->range.end)
      lastBody = body;
    else if (lastBody && body) // it is the reader's, and now of another function
      lastBody = nullptr;
  });
}

std::unique_ptr<Excerpt> excerptOf(llvm::StringRef text, llvm::ArrayRef<Range> bodies, std::optional<uint32_t> place,
                                   const CheckOptions &options, Range leftOut) {
  MappedText excerpt;
  auto copy = [&](Range part) {
    const bool isWhole = leftOut.size() == 0 || leftOut.end <= part.begin || part.end <= leftOut.begin;
    const Range before = isWhole ? part : Range{part.begin, std::max(part.begin, leftOut.begin)};
    excerpt.copy(text.slice(before.begin, before.end), before.begin);
    if (!isWhole && leftOut.end < part.end)
      excerpt.copy(text.slice(leftOut.end, part.end), leftOut.end);
  };
  uint32_t at = 0;
  for (const Range body : bodies) {
    copy({at, body.begin});
    at = body.end;
    if (place && *place > body.begin && *place < body.end) {
      const uint32_t begin = excerpt.size();
      copy(body);
      return std::make_unique<Excerpt>(std::move(excerpt), begin, options);
    }
    excerpt.replace(";", body);
  }
  copy({at, static_cast<uint32_t>(text.size())});
  return std::make_unique<Excerpt>(std::move(excerpt), std::nullopt, options);
}

} // namespace ptxray
