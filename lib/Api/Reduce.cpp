// The part of the C interface that reduces texts.
#include "Api/Structs.h"
#include "Reduce/Reduction.h"
#include <new>

using namespace ptxray;

struct ptxray_reduction {
  std::optional<Reduction> reduction; // empty if memory was exhausted
  std::vector<std::string> offered;   // contains at most one text
};

ptxray_reduction *ptxray_reduction_new(const char *text, size_t length, const ptxray_options *options,
                                       const char *rule) {
  static const ptxray_options none;
  try {
    auto made = std::make_unique<ptxray_reduction>();
    made->reduction.emplace(std::string(text, length),
                            ReductionOptions{(options ? *options : none).options, rule ? rule : ""});
    return made.release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

const char *ptxray_reduction_problem(const ptxray_reduction *reduction) {
  const std::string &problem = reduction->reduction->problem();
  return problem.empty() ? nullptr : problem.c_str();
}

const char *ptxray_reduction_next(ptxray_reduction *reduction, size_t *length) {
  Reduction &working = *reduction->reduction;
  do
    reduction->offered = working.candidates(1);
  while (reduction->offered.empty() && !working.isDone());
  if (reduction->offered.empty())
    return nullptr;
  *length = reduction->offered.front().size();
  return reduction->offered.front().c_str();
}

void ptxray_reduction_tell(ptxray_reduction *reduction, int is_interesting) {
  reduction->reduction->tell(is_interesting ? std::optional<size_t>(0) : std::nullopt);
}

const char *ptxray_reduction_best(const ptxray_reduction *reduction, size_t *length) {
  const std::string &best = reduction->reduction->best();
  *length = best.size();
  return best.c_str();
}

void ptxray_reduction_free(ptxray_reduction *reduction) { delete reduction; }
