#include "Editor/Statements.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

std::optional<FoundInstruction> instructionAt(const Excerpt &excerpt, uint32_t offset) {
  const Body *body = excerpt.body();
  if (!body)
    return std::nullopt;
  const llvm::ArrayRef<Instruction> all =
      llvm::ArrayRef(excerpt.ast().instructions).slice(body->firstInstruction, body->size());
  const auto behind = llvm::partition_point(all, [&](const Instruction &one) { return one.range.begin <= offset; });
  if (behind == all.begin() || behind[-1].range.end < offset)
    return std::nullopt;
  return FoundInstruction{&behind[-1], static_cast<uint32_t>(behind - 1 - all.begin())};
}

llvm::SmallVector<Range, 16> wordsOf(StringRef text, Range opcode) {
  llvm::SmallVector<Range, 16> words;
  for (uint32_t i = opcode.begin; i < opcode.end; ++i)
    if (i == opcode.begin || text[i] == '.') {
      words.push_back({i, opcode.end});
      if (words.size() > 1)
        words[words.size() - 2].end = i;
    }
  for (Range &word : words)
    word.end = word.begin + static_cast<uint32_t>(text.slice(word.begin, word.end).rtrim().size());
  return words;
}

llvm::SmallVector<const Operand *, 8> topOperands(const Ast &ast, const Instruction &instruction) {
  llvm::SmallVector<const Operand *, 8> operands;
  const llvm::ArrayRef<Operand> nodes = ast.operandsOf(instruction.operands);
  for (size_t i = 0; i < nodes.size(); i += nodes[i].extent)
    operands.push_back(&nodes[i]);
  return operands;
}

static bool isOfWord(char c) { return llvm::isAlnum(c) || StringRef("_$%.:").contains(c); }

Range wordAt(StringRef text, uint32_t offset) {
  Range word{offset, offset};
  while (word.begin > 0 && isOfWord(text[word.begin - 1]))
    --word.begin;
  while (word.end < text.size() && isOfWord(text[word.end]))
    ++word.end;
  while (word.end > word.begin && text[word.end - 1] == ':') // colon of a label
    --word.end;
  word.end = std::max(word.end, offset);
  return word;
}

bool isHidden(StringRef text, uint32_t from, uint32_t offset) {
  while (from < offset) {
    const StringRef rest = text.drop_front(from);
    size_t end = from + 1;
    if (rest.starts_with("//"))
      end = text.find('\n', from);
    else if (rest.starts_with("/*"))
      end = std::min(text.find("*/", from + 2), text.size() - 2) + 2;
    else if (rest.starts_with("\""))
      end = std::min(text.find('"', from + 1), text.size() - 1) + 1;
    if (end > offset || (rest.starts_with("//") && end >= offset))
      return true;
    from = static_cast<uint32_t>(end);
  }
  return false;
}

} // namespace ptxray
