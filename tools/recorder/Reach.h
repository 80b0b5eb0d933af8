#pragma once
// Finds the memory that a kernel can access: memory to which its parameters and the module's variables point, and
// transitively memory to which words in that memory point.
#include "../launcher/Recording.h"
#include "Images.h"

namespace ptxray::recorder {

struct ReachLimits {
  uint64_t bytes = 0;        // maximum total size
  bool followsWords = false; // follows pointers in memory, not only those in parameters
};

/// Adds the current contents of memory, and the reasons for omissions.
void findMemory(launcher::Recording &to, const KernelText &text, const Image &image, const ReachLimits &limits);
/// Reads the same memory again. Returns whether that was possible.
bool readAgain(launcher::Recording &to);

} // namespace ptxray::recorder
