#include "Source/Origin.h"
#include <algorithm>

namespace ptxray {

static llvm::StringRef takeQuoted(llvm::StringRef text) { return text.split('"').second.split('"').first; }

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
    marks.push_back({MarkKind::LineMarker, offset, static_cast<uint32_t>(markerPaths.size() - 1), number});
}

/// Reads a mark at the beginning of a line. Returns the offset from which to continue.
size_t OriginTable::readLine(size_t at) {
  const llvm::StringRef text = source.text();
  at = std::min(text.find_first_not_of(" \t\r", at), text.size());
  if (at == text.size() || (text[at] != '#' && text[at] != '.'))
    return at;
  const size_t end = std::min(text.find('\n', at), text.size());
  const llvm::StringRef line = text.slice(at, end);
  const auto offset = static_cast<uint32_t>(at);
  if (line.starts_with("#"))
    readLineMarker(line.drop_front().ltrim(), offset);
  else if (line.starts_with(".loc ") || line.starts_with(".loc\t"))
    readLoc(line.drop_front(5).ltrim(), offset);
  else if (line.starts_with(".file ") || line.starts_with(".file\t"))
    readFile(line.drop_front(6).ltrim());
  else
    return at;
  return end;
}

OriginTable::OriginTable(const SourceBuffer &source) : source(source) {
  const llvm::StringRef text = source.text();
  if (!text.contains(".loc") && !text.contains('#'))
    return;
  int depth = 0;
  for (size_t at = readLine(0); (at = text.find_first_of("\n/\"{}", at)) != llvm::StringRef::npos;) {
    const llvm::StringRef rest = text.drop_front(at);
    auto behind = [&](size_t found, size_t length) { return at + std::min(found, rest.size() - length) + length; };
    if (rest.starts_with("\n"))
      at = readLine(at + 1);
    else if (rest.starts_with("//"))
      at = behind(rest.find('\n'), 0);
    else if (rest.starts_with("/*"))
      at = behind(rest.find("*/", 2), 2);
    else if (rest.starts_with("\""))
      at = behind(rest.find_first_of("\"\n", 1), 1);
    else {
      depth += rest.starts_with("{") ? 1 : rest.starts_with("}") ? -1 : 0;
      ++at;
      if (rest.starts_with("}") && depth == 0 && !marks.empty() && marks.back().kind == MarkKind::Loc)
        marks.push_back({MarkKind::FunctionEnd, static_cast<uint32_t>(at), 0, 0});
    }
  }
}

std::optional<Origin> OriginTable::at(uint32_t offset) const {
  auto above = std::upper_bound(marks.begin(), marks.end(), offset,
                                [](uint32_t at, const Mark &mark) { return at < mark.offset; });
  if (above == marks.begin())
    return std::nullopt;
  const Mark &mark = above[-1];
  if (mark.kind == MarkKind::LineMarker) {
    // A line marker refers to the line after it.
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
