#pragma once
#include <string>

namespace ptxray {

/// Returns the shortest decimal number that is read as this one, the nearest of those; with an exponent where that is
/// shorter. It is what `std::to_chars` writes, whose tables would be 0.13 MB of the program.
std::string decimalText(double value);

} // namespace ptxray
