#include "Inline/Readers.h"
#include "Inline/Constraints.h"
#include "Inline/CppTokens.h"

namespace ptxray {

Language languageOf(llvm::StringRef path) {
  static constexpr std::pair<llvm::StringLiteral, Language> extensions[] = {
      {".cu", Language::Cuda},    {".cuh", Language::Cuda}, {".h", Language::Cuda},    {".hpp", Language::Cuda},
      {".hh", Language::Cuda},    {".hxx", Language::Cuda}, {".inl", Language::Cuda},  {".inc", Language::Cuda},
      {".cc", Language::Cuda},    {".cpp", Language::Cuda}, {".cxx", Language::Cuda},  {".in", Language::Cuda},
      {".jinja", Language::Cuda}, {".c", Language::Cuda},   {".py", Language::Python}, {".ll", Language::Llvm},
      {".mlir", Language::Llvm},  {".rs", Language::Rust},  {".jl", Language::Julia},  {".mojo", Language::Mojo},
      {".zig", Language::Zig},
  };
  for (const auto &[extension, language] : extensions)
    if (path.ends_with(extension))
      return language;
  return Language::Ptx;
}

std::optional<Language> findLanguage(llvm::StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, Language> names[] = {
      {"ptx", Language::Ptx},   {"cuda", Language::Cuda},   {"python", Language::Python}, {"llvm", Language::Llvm},
      {"rust", Language::Rust}, {"julia", Language::Julia}, {"mojo", Language::Mojo},     {"zig", Language::Zig}};
  for (const auto &[known, language] : names)
    if (name == known)
      return language;
  return std::nullopt;
}

/// Counts statements without reading them, because Zig has its own syntax for operands.
static InlineText countZig(const SourceBuffer &source) {
  InlineText text;
  const std::vector<CppToken> tokens = readCppTokens(source.text());
  for (size_t i = 0; i + 1 < tokens.size(); ++i)
    if (tokens[i].is("asm") && (tokens[i + 1].is("volatile") || tokens[i + 1].is("(")))
      text.skipped.push_back({tokens[i].place, "in Zig, which ptxray does not read"});
  return text;
}

InlineText readSource(const SourceBuffer &source, Language language, llvm::StringRef path, Headers headers,
                      SourceBuild build) {
  switch (language) {
  case Language::Python:
  case Language::Mojo: return readPython(source);
  case Language::Julia: return readPython(source, /*isForGpu=*/true);
  case Language::Zig: return countZig(source);
  case Language::Llvm: return readLlvm(source);
  case Language::Rust: return readRust(source);
  default: return readCuda(source, path, headers, build);
  }
}

InlineText readStatement(const SourceBuffer &source, llvm::StringRef constraints) {
  InlineText text;
  InlineStatement &statement = text.statements.emplace_back();
  statement.style = TemplateStyle::Llvm;
  statement.isDevice = true;
  statement.place = {0, static_cast<uint32_t>(source.text().size())};
  statement.text.copy(source.text(), 0);
  MappedText list;
  list.replace(constraints, {0, 0});
  readConstraints(list, statement);
  return text;
}

} // namespace ptxray
