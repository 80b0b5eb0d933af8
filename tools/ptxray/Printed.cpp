#include "Printed.h"
#include "llvm/ADT/StringRef.h"

namespace ptxray {

static PrintedText *collector = nullptr;

llvm::raw_ostream &printed() {
  if (collector)
    return collector->stream;
  return llvm::outs();
}

llvm::raw_ostream &complained() {
  if (collector)
    return collector->stream;
  return llvm::errs();
}

PrintedText::PrintedText() : previous(collector) { collector = this; }
PrintedText::~PrintedText() { collector = previous; }
std::string PrintedText::text() const { return llvm::StringRef(collected).trim().str(); }

} // namespace ptxray
