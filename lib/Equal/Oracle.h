#pragma once
// What decides whether terms are equal that no law makes the same.
#include "Equal/Terms.h"

namespace ptxray::equal {

class Oracle {
public:
  Oracle() = default;
  Oracle(const Oracle &) = delete;
  Oracle &operator=(const Oracle &) = delete;
  virtual ~Oracle() = default;
  /// Returns whether `bytes` bytes of two terms are proved to be the same.
  virtual bool areSame(const Terms &terms, const Ref &a, const Ref &b, unsigned bytes) = 0;
};

} // namespace ptxray::equal
