#pragma once
#include "llvm/ADT/IntrusiveRefCntPtr.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace ptxray {

/// A text that does not change and that many have: a copy shares it. It stays in one thread.
class SharedText {
public:
  SharedText() = default;
  SharedText(std::string text) : held(llvm::makeIntrusiveRefCnt<Held>(std::move(text))), text(held->text) {}
  explicit SharedText(llvm::StringRef text) : SharedText(text.str()) {}
  template <size_t Size> SharedText(const char (&literal)[Size]) : text(literal, Size - 1) {}

  operator llvm::StringRef() const { return text; }
  operator std::string_view() const { return text; }
  std::string str() const { return text.str(); }
  bool empty() const { return text.empty(); }

private:
  struct Held : llvm::RefCountedBase<Held> {
    explicit Held(std::string text) : text(std::move(text)) {}
    std::string text;
  };
  llvm::IntrusiveRefCntPtr<Held> held; // null: a literal
  llvm::StringRef text;
};

} // namespace ptxray
