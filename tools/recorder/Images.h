#pragma once
// The modules and libraries that a program has loaded, their PTX, and their kernels.
#include "Real.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptxray::recorder {

/// PTX, and its declarations for one kernel.
struct KernelText {
  std::string ptx;
  std::vector<std::pair<uint64_t, uint64_t>> parameters; // size, alignment
  std::vector<std::string> variables;                    // variables of the module
};

/// A loaded module or library.
class Image {
public:
  /// Copies the image, without unpacking it, because the program may free it.
  Image(const void *image, bool isLibrary);

  /// Returns the PTX with a kernel for a GPU with that number, such as 90, or null.
  const KernelText *find(const std::string &kernel, unsigned gpu);
  bool isLibrary;
  void *handle = nullptr; // handle of the module or library

private:
  struct Packed;
  void keepTexts(const void *binary, size_t size);

  std::vector<std::shared_ptr<Packed>> texts;
  std::map<std::string, std::unique_ptr<KernelText>> found;
};

/// A kernel that a program can launch.
struct FoundFunction {
  std::shared_ptr<Image> image;
  std::string name;
};

void addImage(void *handle, const void *image, bool isLibrary);
void addImageOfFile(void *handle, const char *path, bool isLibrary);
/// Adds another handle of the same image.
void addAlias(void *handle, void *of);
void removeImage(void *handle);
void addFunction(void *function, void *image, const char *name);
/// Adds another handle of the same kernel.
void addFunctionAlias(void *function, void *of);
/// Returns the kernel of a handle. Its image is null if the handle is unknown.
FoundFunction functionOf(void *handle);

/// Record the inputs of the linker. A binary that was linked from a single module is associated with its PTX.
void addToLink(void *link, int kind, const void *data, size_t size);
void completeLink(void *link, const void *image, size_t size);
void removeLink(void *link);

} // namespace ptxray::recorder
