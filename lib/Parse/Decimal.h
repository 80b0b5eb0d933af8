#pragma once
#include <string>

namespace ptxray {

/// Returns the shortest decimal number that parses to `value`; if there are several, the closest one. Uses an exponent
/// if it is shorter. `std::to_chars` would return the same, but its tables would add 0.13 MB to the program.
std::string decimalText(double value);

} // namespace ptxray
