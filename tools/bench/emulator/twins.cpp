// The computations of kernels.ptx in C++, which a compiler vectorises. `twins NAME` prints the shortest time of several
// runs in microseconds, and the sum of the results.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

namespace {

constexpr size_t elements = 1 << 20, hashed = 1 << 18, numbers = 1 << 16, side = 256, block = 256;

std::vector<float> floats(size_t count) {
  std::vector<float> all(count);
  for (size_t i = 0; i < count; ++i)
    all[i] = static_cast<float>(i % 256);
  return all;
}

void saxpy(const std::vector<float> &x, std::vector<float> &y) {
  for (size_t i = 0; i < elements; ++i)
    y[i] = __builtin_fmaf(x[i], 0.5F, y[i]);
}

void product(const std::vector<float> &a, const std::vector<float> &b, std::vector<float> &c) {
  std::memset(c.data(), 0, c.size() * sizeof c[0]);
  for (size_t row = 0; row < side; ++row)
    for (size_t k = 0; k < side; ++k)
      for (size_t column = 0; column < side; ++column)
        c[row * side + column] = __builtin_fmaf(a[row * side + k], b[k * side + column], c[row * side + column]);
}

void hash(std::vector<uint32_t> &data) {
  for (uint32_t &one : data) {
    uint32_t value = one;
    for (int i = 0; i < 64; ++i) {
      value = (value ^ value >> 16) * 0x7feb352d;
      value = (value ^ value >> 15) * 0x846ca68b;
    }
    one = value;
  }
}

void reduction(const std::vector<uint32_t> &data, std::vector<uint32_t> &sums) {
  for (size_t i = 0; i < sums.size(); ++i) {
    uint32_t sum = 0;
    for (size_t k = 0; k < block; ++k)
      sum += data[i * block + k];
    sums[i] = sum;
  }
}

void divergent(std::vector<uint32_t> &data) {
  for (size_t i = 0; i < data.size(); ++i) {
    uint32_t value = static_cast<uint32_t>(i) + 1, steps = 0;
    for (; value > 1; ++steps)
      value = value & 1 ? value * 3 + 1 : value >> 1;
    data[i] = steps;
  }
}

double shortest(const std::function<void()> &work) {
  double least = 1e30;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    least = time.count() < least ? time.count() : least;
  }
  return least;
}

} // namespace

int main(int count, char **words) {
  const std::string_view name = count > 1 ? words[1] : "";
  double time = 0, sum = 0;
  if (name == "saxpy") {
    std::vector<float> x = floats(elements), y(elements);
    time = shortest([&] { saxpy(x, y); });
    sum = y[77];
  } else if (name == "product") {
    std::vector<float> a = floats(side * side), b = a, c(side * side);
    time = shortest([&] { product(a, b, c); });
    sum = c[77];
  } else if (name == "hash") {
    std::vector<uint32_t> data(hashed, 7);
    time = shortest([&] { hash(data); });
    sum = data[77];
  } else if (name == "reduction") {
    std::vector<uint32_t> data(elements, 3), sums(elements / block);
    time = shortest([&] { reduction(data, sums); });
    sum = sums[7];
  } else if (name == "divergent") {
    std::vector<uint32_t> data(numbers);
    time = shortest([&] { divergent(data); });
    sum = data[77];
  } else
    return 2;
  std::printf("%g %g\n", time, sum);
  return 0;
}
