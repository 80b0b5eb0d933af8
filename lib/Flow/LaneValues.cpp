#include "Flow/LaneValues.h"
#include "Flow/Numbers.h"
#include "llvm/ADT/STLExtras.h"

namespace ptxray {

static bool isPredicate(const Computation &computation) {
  return computation.operation == isa::Operation::Setp || computation.resultKind == isa::TypeKind::Predicate;
}

LaneValue LaneArithmetic::add(const LanePattern &pattern) {
  const auto known = llvm::find(patterns, pattern);
  const auto index = static_cast<uint32_t>(known - patterns.begin());
  if (known == patterns.end()) {
    if (!budget.allows(Limit::Patterns, patterns.size() + 1))
      return LaneValue::of(LaneValue::Unknown);
    patterns.push_back(pattern);
  }
  return {false, LaneValue::Lanes, false, index, 0};
}

LaneValue LaneArithmetic::enumerated(uint64_t step) {
  LanePattern pattern;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    pattern.lanes[lane] = lane;
  pattern.step = step;
  return add(pattern);
}

LaneValue LaneArithmetic::placed(unsigned dimension) {
  const auto numberOf = [&](uint64_t thread) { return static_cast<uint64_t>(shape.placeOf(thread)[dimension]); };
  LanePattern pattern;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    pattern.lanes[lane] = numberOf(lane < shape.threads ? lane : 0);
  pattern.step = shape.threads > warpSize ? numberOf(warpSize) - pattern.lanes[0] : 0;
  bool areUniform = true, areAlike = true;
  for (uint64_t thread = 0; thread < shape.threads; ++thread) {
    const uint64_t lane = thread % warpSize, warp = thread / warpSize;
    areUniform &= numberOf(thread) == numberOf(warp * warpSize);
    areAlike &= numberOf(thread) == pattern.lanes[lane] + warp * pattern.step;
  }
  if (areUniform && !pattern.step && areAlike)
    return LaneValue::ofNumber(pattern.lanes[0]);
  return areAlike ? add(pattern) : LaneValue::of(areUniform ? LaneValue::Same : LaneValue::Unknown);
}

LaneValue LaneArithmetic::join(const LaneValue &a, const LaneValue &b) {
  if (a.isUnset || a == b)
    return b;
  if (b.isUnset)
    return a;
  const auto hasPattern = [](const LaneValue &value) {
    return value.kind == LaneValue::Lanes || value.kind == LaneValue::Spread;
  };
  if (findsSpreads && hasPattern(a) && hasPattern(b)) {
    const LaneValue one = spread(patternOf(a), 64);
    return one == spread(patternOf(b), 64) ? one : LaneValue::of(LaneValue::Unknown);
  }
  const bool areSame = a.kind == LaneValue::Same && b.kind == LaneValue::Same;
  return LaneValue::of(areSame ? LaneValue::Same : LaneValue::Unknown);
}

/// Returns a few warps that represent all of them, if their values differ only by a constant step. A comparison may
/// change at a number in between.
llvm::SmallVector<uint64_t, 8> LaneArithmetic::warpsFor(const Computation &c, Sources sources) const {
  llvm::SmallVector<uint64_t, 8> warps = {0};
  const uint64_t count = (shape.threads + warpSize - 1) / warpSize;
  const auto add = [&](uint64_t warp) {
    if (warp < count && !llvm::is_contained(warps, warp))
      warps.push_back(warp);
  };
  for (const LaneValue &source : sources) {
    const uint64_t step = source.kind == LaneValue::Lanes ? patterns[source.pattern].step : 0;
    if (!step)
      continue;
    for (const uint64_t warp : {uint64_t(1), uint64_t(2), uint64_t(3), count - 1})
      add(warp);
    for (const LaneValue &limit : sources)
      if (c.operation == isa::Operation::Setp && limit.isNumber) {
        const uint64_t near = (limit.number - patterns[source.pattern].lanes[0]) / step;
        for (const uint64_t warp : {near - 1, near, near + 1})
          add(warp);
      }
  }
  return warps;
}

std::optional<LanePattern> LaneArithmetic::inWarp(const Computation &c, Sources sources, uint64_t warp) const {
  LanePattern result;
  llvm::SmallVector<uint64_t, 4> numbers(sources.size());
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    for (size_t i = 0; i < sources.size(); ++i) {
      const LaneValue &source = sources[i];
      const bool hasPattern = source.kind != LaneValue::Same;
      numbers[i] = hasPattern ? patternOf(source).lanes[lane] + warp * patternOf(source).step : source.number;
    }
    const std::optional<uint64_t> number = constantResult(c, numbers);
    if (!number)
      return std::nullopt;
    result.lanes[lane] = *number;
  }
  // Lanes without a thread have the value of the first lane.
  const uint64_t rest = shape.threads > warp * warpSize ? shape.threads - warp * warpSize : warpSize;
  for (uint64_t lane = rest; lane < warpSize; ++lane)
    result.lanes[lane] = result.lanes[0];
  return result;
}

static bool isUniform(const LanePattern &pattern) {
  return llvm::all_of(pattern.lanes, [&](uint64_t lane) { return lane == pattern.lanes[0]; });
}

LaneValue LaneArithmetic::lanewise(const Computation &c, Sources sources) {
  const llvm::SmallVector<uint64_t, 8> warps = warpsFor(c, sources);
  llvm::SmallVector<LanePattern, 8> results;
  for (const uint64_t warp : warps) {
    const std::optional<LanePattern> result = inWarp(c, sources, warp);
    if (!result)
      return LaneValue::of(LaneValue::Unknown);
    results.push_back(*result);
  }
  if (llvm::all_of(results, isUniform)) {
    if (warps.size() == 1)
      return LaneValue::ofNumber(results[0].lanes[0]);
    return LaneValue::of(shape.areWarpsRows() ? LaneValue::Same : LaneValue::Unknown);
  }
  if (warps.size() == 1)
    return add(results[0]);
  if (isPredicate(c))
    return LaneValue::of(LaneValue::Splits);
  LanePattern fitted = results[0];
  fitted.step = results[1].lanes[0] - results[0].lanes[0];
  for (const auto &[warp, result] : llvm::zip(warps, results))
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (result.lanes[lane] != fitted.lanes[lane] + warp * fitted.step)
        return LaneValue::of(LaneValue::Unknown);
  return add(fitted);
}

/// Returns whether the operation preserves distances: it adds numbers, or multiplies an unknown number by a known one.
static bool keepsDistances(const Computation &c, llvm::ArrayRef<LaneValue> sources) {
  const auto isKnown = [&](size_t i) { return sources[i].isNumber || sources[i].kind == LaneValue::Lanes; };
  switch (c.operation) {
  case isa::Operation::Mov:
  case isa::Operation::Cvt:
  case isa::Operation::ToGeneric:
  case isa::Operation::FromGeneric: return sources.size() == 1;
  case isa::Operation::Add:
  case isa::Operation::Sub: return sources.size() == 2;
  case isa::Operation::Mul: return sources.size() == 2 && (sources[0].isNumber || sources[1].isNumber);
  case isa::Operation::Shl: return sources.size() == 2 && sources[1].isNumber;
  case isa::Operation::Mad:
    return sources.size() == 3 && (sources[0].isNumber || sources[1].isNumber || (isKnown(0) && isKnown(1)));
  default: return false;
  }
}

/// Returns the distances of the lanes in a pattern of numbers with `bits` bits.
LaneValue LaneArithmetic::spread(LanePattern pattern, unsigned bits) {
  const unsigned unused = bits < 64 ? 64 - bits : 0;
  int64_t least = 0;
  std::array<int64_t, warpSize> distances{};
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    distances[lane] = static_cast<int64_t>((pattern.lanes[lane] - pattern.lanes[0]) << unused) >> unused;
    least = std::min(least, distances[lane]);
  }
  for (unsigned lane = 0; lane < warpSize; ++lane)
    pattern.lanes[lane] = static_cast<uint64_t>(distances[lane] - least);
  pattern.step = 0;
  if (isUniform(pattern))
    return LaneValue::of(LaneValue::Same);
  LaneValue value = add(pattern);
  if (value.kind == LaneValue::Lanes)
    value.kind = LaneValue::Spread;
  return value;
}

LaneValue LaneArithmetic::spreadResult(const Computation &c, Sources sources) {
  if (!keepsDistances(c, sources))
    return LaneValue::of(LaneValue::Unknown);
  Computation computation = c;
  if (c.operation == isa::Operation::ToGeneric || c.operation == isa::Operation::FromGeneric)
    computation.operation = isa::Operation::Mov;
  const std::optional<LanePattern> result = inWarp(computation, sources, 0);
  return result ? spread(*result, c.resultBits) : LaneValue::of(LaneValue::Unknown);
}

LaneValue LaneArithmetic::result(const Computation &c, Sources sources) {
  const auto any = [&](LaneValue::Kind kind) {
    return llvm::any_of(sources, [&](const LaneValue &source) { return source.kind == kind; });
  };
  if (any(LaneValue::Unknown)) // the result is unknown regardless of other sources
    return LaneValue::of(LaneValue::Unknown);
  if (llvm::any_of(sources, [](const LaneValue &source) { return source.isUnset; }))
    return {};
  if (any(LaneValue::Splits)) {
    const bool keeps = c.operation == isa::Operation::Not || c.operation == isa::Operation::Mov;
    return LaneValue::of(keeps && sources.size() == 1 ? LaneValue::Splits : LaneValue::Unknown);
  }
  const bool areNumbers =
      llvm::all_of(sources, [](const LaneValue &source) { return source.kind == LaneValue::Lanes || source.isNumber; });
  if (any(LaneValue::Lanes) && areNumbers && c.operation != isa::Operation::ToGeneric)
    return lanewise(c, sources);
  if (any(LaneValue::Lanes) || any(LaneValue::Spread))
    return findsSpreads ? spreadResult(c, sources) : LaneValue::of(LaneValue::Unknown);
  if (!areNumbers)
    return LaneValue::of(LaneValue::Same);
  llvm::SmallVector<uint64_t, 4> numbers;
  for (const LaneValue &source : sources)
    numbers.push_back(source.number);
  const std::optional<uint64_t> number = constantResult(c, numbers);
  return number ? LaneValue::ofNumber(*number) : LaneValue::of(LaneValue::Same);
}

} // namespace ptxray
