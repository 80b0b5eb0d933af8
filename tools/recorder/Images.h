#pragma once
// The modules and libraries that a program has loaded, the PTX that they were made of, and the kernels in them.
#include "Real.h"
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptxray::recorder {

/// A text of PTX, and what it says of one kernel.
struct KernelText {
  std::string ptx;
  std::vector<std::pair<uint64_t, uint64_t>> parameters; // bytes, alignment
  std::vector<std::string> variables;                    // of the module
};

/// Something that a program has loaded.
class Image {
public:
  /// The image may be gone after the call, so its texts are kept, packed as they are.
  Image(const void *image, bool isLibrary);

  /// Returns the text with a kernel for a GPU of that number, such as 90; null: there is none.
  const KernelText *find(const std::string &kernel, unsigned gpu);
  bool isLibrary;
  void *handle = nullptr; // of the module or library

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
/// Another handle of the same image.
void addAlias(void *handle, void *of);
void removeImage(void *handle);
void addFunction(void *function, void *image, const char *name);
/// Another handle of the same kernel.
void addFunctionAlias(void *function, void *of);
/// Null without an image: it is not known.
FoundFunction functionOf(void *handle);

/// The inputs of the linker. A binary that was made of one text is known by the text.
void addToLink(void *link, int kind, const void *data, size_t size);
void completeLink(void *link, const void *image, size_t size);
void removeLink(void *link);

} // namespace ptxray::recorder
