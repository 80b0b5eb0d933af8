#pragma once
// The memory that a kernel can reach: what its parameters and the module's variables lead to, and what the words in
// that lead to in turn.
#include "../launcher/Recording.h"
#include "Images.h"

namespace ptxray::recorder {

struct ReachLimits {
  uint64_t bytes = 0;        // of all of it
  bool followsWords = false; // words in memory lead on, not those of parameters alone
};

/// Fills in memory, as it is now, and says what was left out.
void findMemory(launcher::Recording &to, const KernelText &text, const Image &image, const ReachLimits &limits);
/// Reads the same memory again. Returns whether that was possible.
bool readAgain(launcher::Recording &to);

} // namespace ptxray::recorder
