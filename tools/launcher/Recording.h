#pragma once
// A recorded launch in a file, as `ptxray record` writes it. docs/record.md describes the format.
#include "LaunchRequest.h"
#include <array>
#include <cstdio>
#include <optional>

namespace ptxray::launcher {

/// Memory that was accessible to the kernel.
struct RecordedMemory {
  std::string variable; // variable of the module; empty for allocated memory
  uint64_t address = 0;
  Bytes before, after;
};

/// The texels of a CUDA array.
struct RecordedTexels {
  Bytes before, after;
};
/// A texture or a surface whose handle is in a parameter.
struct RecordedImage {
  size_t parameter = 0, offset = 0; // location of the handle
  ImageDescription image;
  size_t texels = 0;    // the index of its texels, or
  uint64_t address = 0; // their address in recorded memory
};

struct Recording : LaunchShape {
  std::string kernel, ptx;
  std::string target, device; // the GPU's target, `sm_90`, and its name
  std::vector<Bytes> parameters;
  std::vector<RecordedMemory> memory; // variables, then other memory by ascending address
  std::vector<RecordedTexels> texels;
  std::vector<RecordedImage> images;
  std::vector<std::string> leftOut; // reasons why some memory is missing
  std::optional<int> result;        // result of the driver at the end of the kernel; empty if it did not end
};

/// Maximum bytes of memory in a recording.
inline constexpr uint64_t mostRecorded = uint64_t(4) << 30;

/// Returns whether a file begins like a recording.
bool isRecording(const std::string &path);
/// Reads a file, which may be malicious. Fails if it is damaged, or has more than `most` bytes of memory.
Expected<Recording> readRecording(const std::string &path, uint64_t most = mostRecorded);
/// Returns remarks about data that was not recorded, and about a failure of the recorded launch: one sentence per line.
std::vector<std::string> remarksOn(const Recording &recording);

/// Write the two parts of a file: everything except the memory after the launch, then that memory. The second part is
/// omitted if the result is an error.
void writeBefore(std::FILE *file, const Recording &recording);
void writeAfter(std::FILE *file, const Recording &recording);

/// Returns the recorded memory that contains the texels of an image. Returns null if they are not in linear memory, or
/// were not recorded completely.
const RecordedMemory *memoryOf(const Recording &recording, const RecordedImage &one);

/// Returns the recorded launch as a request.
LaunchRequest requestOf(Recording recording);

/// A range of recorded memory with a new address.
struct Move {
  uint64_t from = 0, bytes = 0, to = 0;
};
/// Returns the moves that change an address, in the order that `relocate` requires.
std::vector<Move> realMoves(std::vector<Move> moves);
/// Adjusts pointers into moved memory, in arguments, buffers, variables and expectations.
void relocate(LaunchRequest &request, const std::vector<Move> &moves);
void relocate(Bytes &bytes, const std::vector<Move> &moves);

} // namespace ptxray::launcher
