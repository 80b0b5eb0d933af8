#pragma once
// A launch in a file, as `ptxray record` writes it: docs/record.md describes the form.
#include "LaunchRequest.h"
#include <array>
#include <cstdio>
#include <optional>

namespace ptxray::launcher {

/// Memory that the kernel could reach.
struct RecordedMemory {
  std::string variable; // of the module; empty: memory that somebody allocated
  uint64_t address = 0;
  Bytes before, after;
};

/// The texels of an array of the driver.
struct RecordedTexels {
  Bytes before, after;
};
/// A texture or a surface whose handle is in a parameter.
struct RecordedImage {
  size_t parameter = 0, offset = 0; // where the handle is
  ImageDescription image;
  size_t texels = 0;    // the number of its texels, or
  uint64_t address = 0; // where they lie in recorded memory
};

struct Recording : LaunchShape {
  std::string kernel, ptx;
  std::string target, device; // the GPU: `sm_90`, and its name
  std::vector<Bytes> parameters;
  std::vector<RecordedMemory> memory; // what is not of variables comes in the order of its addresses
  std::vector<RecordedTexels> texels;
  std::vector<RecordedImage> images;
  std::vector<std::string> leftOut; // says of some memory why it is not here
  std::optional<int> result;        // of the driver, when the kernel had ended; nothing: it did not end
};

/// The bytes of memory that a recording may have.
inline constexpr uint64_t mostRecorded = uint64_t(4) << 30;

/// Returns whether a file begins as a recording does.
bool isRecording(const std::string &path);
/// Reads a file, which may be hostile. Fails if it is damaged, or has more than `most` bytes of memory.
Expected<Recording> readRecording(const std::string &path, uint64_t most = mostRecorded);
/// Says what was not recorded, and how the recorded launch ended if not well: a sentence a line.
std::vector<std::string> remarksOn(const Recording &recording);

/// Write the two parts of a file: all but the memory after the launch, and that. `after` is not written if the result
/// is an error.
void writeBefore(std::FILE *file, const Recording &recording);
void writeAfter(std::FILE *file, const Recording &recording);

/// Returns the memory in which the texels of an image lie; null: they are not in linear memory, or not all were
/// recorded.
const RecordedMemory *memoryOf(const Recording &recording, const RecordedImage &one);

/// Returns the recorded launch, to be made again.
LaunchRequest requestOf(Recording recording);

/// Recorded memory that lies elsewhere now.
struct Move {
  uint64_t from = 0, bytes = 0, to = 0;
};
/// Returns those that change an address, in the order that `relocate` needs.
std::vector<Move> realMoves(std::vector<Move> moves);
/// Changes the words that lead into moved memory, in arguments, buffers, variables and expectations.
void relocate(LaunchRequest &request, const std::vector<Move> &moves);
void relocate(Bytes &bytes, const std::vector<Move> &moves);

} // namespace ptxray::launcher
