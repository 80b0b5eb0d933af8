#pragma once
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// An immutable text that is shared by its copies. Not thread-safe.
class SharedText {
public:
  SharedText() = default;
  SharedText(std::string text) {
    if (!text.empty())
      held = llvm::makeIntrusiveRefCnt<Held>(std::move(text));
  }
  explicit SharedText(llvm::StringRef text) : SharedText(text.str()) {}
  SharedText(const char *text) : SharedText(std::string(text)) {}

  operator llvm::StringRef() const { return held ? llvm::StringRef(held->text) : llvm::StringRef(); }
  operator std::string_view() const { return llvm::StringRef(*this); }
  std::string str() const { return llvm::StringRef(*this).str(); }
  bool empty() const { return !held; }
  bool operator==(const SharedText &other) const { return llvm::StringRef(*this) == llvm::StringRef(other); }

private:
  struct Held : llvm::RefCountedBase<Held> {
    explicit Held(std::string text) : text(std::move(text)) {}
    std::string text;
  };
  llvm::IntrusiveRefCntPtr<Held> held; // null if empty
};

} // namespace ptxray
