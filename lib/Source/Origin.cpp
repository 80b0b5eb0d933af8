#include "Source/Origin.h"
#include <algorithm>

namespace ptxray {

static llvm::StringRef takeQuoted(llvm::StringRef text) {
  return text.split('"').second.split('"').first;
}

void OriginTable::readLoc(llvm::StringRef line, uint32_t offset) {
  Mark mark{MarkKind::Loc, offset, 0, 0};
  if (!line.consumeInteger(10, mark.file) && !(line = line.ltrim()).consumeInteger(10, mark.line))
    marks.push_back(mark);
}

void OriginTable::readFile(llvm::StringRef line) {
  uint32_t number;
  if (!line.consumeInteger(10, number))
    files.emplace_back(number, takeQuoted(line).str());
}

void OriginTable::readLineMarker(llvm::StringRef line, uint32_t offset) {
  line.consume_front("line");
  line = line.ltrim();
  uint32_t number;
  if (line.consumeInteger(10, number))
    return;
  llvm::StringRef path = takeQuoted(line);
  if (!path.empty())
    markerPaths.push_back(path.str());
  if (!markerPaths.empty())
    marks.push_back(
        {MarkKind::LineMarker, offset, static_cast<uint32_t>(markerPaths.size() - 1), number});
}

OriginTable::OriginTable(const SourceBuffer &source) : source(source) {
  const llvm::StringRef text = source.text();
  const char *const end = text.end();
  int depth = 0;
  bool lineBegins = true;
  for (const char *p = text.begin(); p != end;) {
    const llvm::StringRef rest(p, end - p);
    const uint32_t offset = p - text.begin();
    const char c = *p;
    if (c == '\n') {
      lineBegins = true;
      ++p;
      continue;
    }
    if (c == ' ' || c == '\t' || c == '\r') {
      ++p;
      continue;
    }
    if (rest.starts_with("//")) {
      p += std::min(rest.find('\n'), rest.size());
      continue;
    }
    if (rest.starts_with("/*")) {
      const size_t close = rest.find("*/", 2);
      p += close == llvm::StringRef::npos ? rest.size() : close + 2;
      continue;
    }
    if (c == '"') {
      p += std::min(rest.find_first_of("\"\n", 1), rest.size() - 1) + 1;
      lineBegins = false;
      continue;
    }
    if (lineBegins && (c == '#' || c == '.')) {
      const llvm::StringRef line = rest.take_front(std::min(rest.find('\n'), rest.size()));
      if (c == '#')
        readLineMarker(line.drop_front().ltrim(), offset);
      else if (line.starts_with(".loc ") || line.starts_with(".loc\t"))
        readLoc(line.drop_front(5).ltrim(), offset);
      else if (line.starts_with(".file ") || line.starts_with(".file\t"))
        readFile(line.drop_front(6).ltrim());
      else {
        lineBegins = false;
        ++p;
        continue;
      }
      p = line.end();
      continue;
    }
    lineBegins = false;
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (c == '}' && depth == 0 && !marks.empty() && marks.back().kind == MarkKind::Loc)
      marks.push_back({MarkKind::FunctionEnd, offset + 1, 0, 0});
    ++p;
  }
}

std::optional<Origin> OriginTable::at(uint32_t offset) const {
  auto above = std::upper_bound(marks.begin(), marks.end(), offset,
                                [](uint32_t at, const Mark &mark) { return at < mark.offset; });
  if (above == marks.begin())
    return std::nullopt;
  const Mark &mark = above[-1];
  if (mark.kind == MarkKind::LineMarker) {
    // The marker names the line that follows it.
    const uint32_t behind = source.lineColumn(offset).line - source.lineColumn(mark.offset).line;
    if (behind == 0)
      return std::nullopt;
    return Origin{markerPaths[mark.file], mark.line + behind - 1};
  }
  if (mark.kind == MarkKind::Loc && mark.line != 0)
    for (const auto &[number, path] : files)
      if (number == mark.file)
        return Origin{path, mark.line};
  return std::nullopt;
}

} // namespace ptxray
