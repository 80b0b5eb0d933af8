#include "Format/Space.h"

namespace ptxray {

static bool hasCarriageReturns(llvm::StringRef text) {
  size_t lines = 0, withReturn = 0;
  for (size_t at = 0; (at = text.find('\n', at)) != llvm::StringRef::npos; ++at) {
    ++lines;
    withReturn += at && text[at - 1] == '\r';
  }
  return withReturn * 2 > lines;
}

SpaceWriter::SpaceWriter(llvm::StringRef text, const FormatOptions &options)
    : unit(options.indent ? std::string(options.indent, ' ') : "\t"),
      newline(hasCarriageReturns(text) ? llvm::StringLiteral("\r\n") : llvm::StringLiteral("\n")),
      keepsColumns(options.keepsColumns) {}

bool SpaceWriter::isWritten(llvm::StringRef text, Space space) const {
  if (space.newlines == 0 && space.blank && keepsColumns)
    return !text.empty() && text.find_first_not_of(" \t") == llvm::StringRef::npos;
  if (space.newlines == 0)
    return space.blank ? text == " " : text.empty();
  for (uint32_t i = 0; i < space.newlines; ++i)
    if (!text.consume_front(newline))
      return false;
  return text.size() == space.indent * unit.size() && text.count(unit.front()) == text.size();
}

void SpaceWriter::append(std::string &out, Space space) const {
  if (space.newlines == 0) {
    out.append(space.blank, ' ');
    return;
  }
  for (uint32_t i = 0; i < space.newlines; ++i)
    out += newline;
  out.append(space.indent * unit.size(), unit.front());
}

uint32_t SpaceWriter::columns(uint32_t indent) const {
  constexpr uint32_t tabWidth = 8;
  return indent * (unit == "\t" ? tabWidth : uint32_t(unit.size()));
}

} // namespace ptxray
