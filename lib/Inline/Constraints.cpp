#include "Inline/Constraints.h"
#include "Source/Narrow.h"

namespace ptxray {

void readConstraints(const MappedText &list, InlineStatement &statement) {
  llvm::StringRef rest = list.text();
  while (!rest.trim().empty()) {
    const llvm::StringRef one = rest.split(',').first.trim();
    const auto begin = narrow<uint32_t>(one.data() - list.text().data());
    const Range place = list.placeOf(Range{begin, begin + narrow<uint32_t>(one.size())});
    rest = rest.split(',').second;
    if (one.starts_with("~")) {
      statement.clobbers.emplace_back(one.str(), place);
      continue;
    }
    InlineOperand operand;
    operand.constraint = one.str();
    operand.place = place;
    operand.isOutput = one.starts_with("=");
    statement.operands.push_back(std::move(operand));
  }
}

} // namespace ptxray
