#pragma once

namespace ptxray {

/// Makes the program exit with one line and the status for an unusable input if memory or threads are exhausted and
/// nothing handles it.
void endWhereMemoryEnds();

} // namespace ptxray
