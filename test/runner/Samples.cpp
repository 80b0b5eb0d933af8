#include "Samples.h"
#include <filesystem>
#include <fstream>

namespace ptxray::test {

namespace fs = std::filesystem;

static SampleFile readSamples(const fs::path &path) {
  SampleFile samples;
  std::ifstream stream(path);
  std::string text;
  for (std::string line; std::getline(stream, line);) {
    const bool marked = line.size() > 2 && llvm::StringRef("+-?").contains(line[0]) && line[1] == ' ';
    samples.marks.push_back(marked ? line[0] : ' ');
    text += (marked ? line.substr(2) : line) + "\n";
  }
  samples.file = readSections(text);
  samples.file.path = path;
  samples.file.suite = "samples";
  samples.file.name = path.stem();
  return samples;
}

std::vector<SampleFile> findSamples(llvm::ArrayRef<char *> paths) {
  std::vector<fs::path> found(paths.begin(), paths.end());
  if (found.empty())
    for (const fs::directory_entry &entry : fs::directory_iterator(PTXRAY_TEST_DIR "/samples"))
      if (entry.path().extension() == ".lines")
        found.push_back(entry.path());
  llvm::sort(found);
  std::vector<SampleFile> all;
  for (const fs::path &path : found)
    all.push_back(readSamples(path));
  return all;
}

llvm::StringRef knownReason(llvm::StringRef line) { return line.split("// known: ").second; }

void writeSamples(const SampleFile &samples) {
  std::ofstream out(samples.file.path);
  for (size_t i = 0; i < samples.file.lines.size(); ++i) {
    if (samples.marks[i] != ' ')
      out << samples.marks[i] << ' ';
    out << samples.file.lines[i] << '\n';
  }
}

} // namespace ptxray::test
