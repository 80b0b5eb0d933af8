#pragma once
// Buffers on the GPU. Guard zones before and after each buffer detect writes outside of it.
#include "Arguments.h"
#include "Driver.h"

namespace ptxray::launcher {

class Memory {
public:
  explicit Memory(const Driver &driver, bool hasGuards) : driver(driver), guard(hasGuards ? guardBytes : 0) {}
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  CuResult allocate(const NamedBuffer &buffer);
  /// Copies the initial contents of all buffers to the GPU.
  CuResult fill() const;
  /// Finds a buffer of the command line, or a variable of the module.
  bool find(const std::string &name, CuHandle module, CuPointer &pointer, size_t &bytes) const;
  CuResult read(CuPointer pointer, Bytes &bytes) const;
  /// Returns one line for each buffer with a modified guard zone.
  std::vector<std::string> writesOutside() const;

private:
  static constexpr size_t guardBytes = 4096;
  static constexpr unsigned char guardByte = 0xA5;
  struct Block {
    const NamedBuffer *buffer;
    CuPointer begin; // start of the first guard zone
  };
  std::string writesIn(CuPointer zone, const std::string &where, bool isBefore) const;

  const Driver &driver;
  const size_t guard;
  std::vector<Block> blocks;
};

} // namespace ptxray::launcher
