#include "Remembered.h"
#include "Buffer.h"
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace ptxray::launcher {

std::string nameOfBinary(const void *bytes, size_t size) {
  uint64_t sum = 0xCBF29CE484222325; // FNV-1a
  for (size_t i = 0; i < size; ++i)
    sum = (sum ^ static_cast<const unsigned char *>(bytes)[i]) * 0x100000001B3;
  char name[48];
  std::snprintf(name, sizeof name, "%016" PRIx64 "-%zu", sum, size);
  return name;
}

static std::string pathOf(const std::string &name) {
  const char *folder = std::getenv("PTXRAY_REMEMBER");
  return folder && *folder ? std::string(folder) + '/' + name + ".ptx" : "";
}

std::string rememberedText(const std::string &name) {
  std::ifstream file(pathOf(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void rememberAs(const std::string &name, const std::string &text) {
  const std::string path = pathOf(name);
  if (path.empty())
    return;
  const std::string draft = path + '.' + std::to_string(getpid()); // several compilers may run at the same time
  std::FILE *file = std::fopen(draft.c_str(), "wbe");
  if (!file)
    return;
  const bool isWhole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) || !isWhole || std::rename(draft.c_str(), path.c_str()))
    std::remove(draft.c_str());
}

void remember(const std::string &textPath, const std::string &binaryPath) {
  if (pathOf("").empty())
    return;
  const Expected<Bytes> text = readBytes(textPath), binary = readBytes(binaryPath);
  if (text && binary) // otherwise ptxas has reported the problem
    rememberAs(nameOfBinary(binary->data(), binary->size()), {text->begin(), text->end()});
}

} // namespace ptxray::launcher
