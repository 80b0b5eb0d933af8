#include "Flow/Analyses.h"
#include "Flow/Values.h"

namespace ptxray {

Analyses::Analyses(const Body &body, const ModuleState &module) : body(body), module(module) {}
Analyses::~Analyses() = default;

Values &Analyses::values() {
  if (!numbers)
    numbers = std::make_unique<Values>(body, *this);
  return *numbers;
}

} // namespace ptxray
