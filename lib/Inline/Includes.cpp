#include "Inline/Includes.h"
#include "llvm/ADT/STLExtras.h"
#include <filesystem>

namespace ptxray {
namespace fs = std::filesystem;

static constexpr size_t mostHeaders = 200, mostBytes = size_t(32) << 20;

Includes::Includes(llvm::StringRef path, llvm::ArrayRef<std::string> folders) : folders(folders) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(fs::path(path.str()), ignored);
  folder = whole.parent_path().generic_string();
  stem = whole.stem().string();
  seen.push_back(whole.generic_string());
  root = folder;
  for (fs::path above = folder; above.has_relative_path(); above = above.parent_path())
    if (fs::exists(above / ".git", ignored)) {
      root = above.generic_string();
      break;
    }
}

const SourceBuffer *Includes::open(llvm::StringRef written) {
  const bool isElsewhere = written.consume_front("<");
  written.consume_back(">");
  if (written.empty() || written.starts_with("/"))
    return nullptr;
  for (fs::path above = folder; !isElsewhere; above = above.parent_path()) {
    if (const SourceBuffer *found = openFile((above / written.str()).generic_string(), root))
      return found;
    if (above.generic_string() == root || !above.has_relative_path())
      break;
  }
  for (const std::string &one : folders) {
    std::error_code problem;
    const std::string whole = fs::canonical(one, problem).generic_string();
    if (const SourceBuffer *found = problem ? nullptr : openFile(whole + "/" + written.str(), whole))
      return found;
  }
  return nullptr;
}

const SourceBuffer *Includes::openSameStem() {
  for (const char *extension : {".h", ".hpp", ".cuh"})
    if (const SourceBuffer *found = openFile((fs::path(folder) / (stem + extension)).generic_string(), root))
      return found;
  return nullptr;
}

const SourceBuffer *Includes::openFile(const std::string &path, llvm::StringRef within) {
  std::error_code problem;
  const std::string whole = fs::canonical(path, problem).generic_string();
  if (problem || !fs::is_regular_file(whole, problem) || !llvm::StringRef(whole).starts_with(within.str() + "/") ||
      llvm::is_contained(seen, whole) || seen.size() > mostHeaders)
    return nullptr;
  seen.push_back(whole);
  Expected<std::unique_ptr<SourceBuffer>> buffer = SourceBuffer::open(whole);
  if (!buffer || (bytes += (*buffer)->text().size()) > mostBytes)
    return nullptr;
  buffers.push_back(std::move(*buffer));
  return buffers.back().get();
}

} // namespace ptxray
