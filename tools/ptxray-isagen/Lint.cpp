// What is written but cannot be meant.
#include "Resolve.h"
#include <iostream>

namespace ptxray::isagen {

void Errors::print() const {
  for (const auto &[place, message] : messages) {
    if (place.second)
      std::cerr << model.files[place.first] << ':' << place.second << ": ";
    std::cerr << "error: " << message << '\n';
  }
}

void lint(const Model &, const Output &, const Usage &, Errors &) {}

} // namespace ptxray::isagen
