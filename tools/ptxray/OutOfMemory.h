#pragma once

namespace ptxray {

/// Makes the program end with one line and the status of an unusable input where memory or threads run out and nothing
/// handles that.
void endWhereMemoryEnds();

} // namespace ptxray
