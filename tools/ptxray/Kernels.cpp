#include "Kernels.h"
#include "Diagnostics/Nearest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

/// Returns whether a kernel is meant by its name in C++, `scale`, `ns::scale<int>` or `scale(float*)`: each part of it
/// is in the mangled name, after its length.
static bool isNameInCpp(StringRef mangled, StringRef written) {
  llvm::SmallVector<StringRef> parts;
  written.take_until([](char c) { return c == '(' || c == '<'; }).trim().split(parts, "::");
  return mangled.starts_with("_Z") && llvm::all_of(parts, [&](StringRef part) {
           return !part.empty() && mangled.contains(std::to_string(part.size()) + part.str());
         });
}

/// Returns the kernels that a name may mean: the one with it, else those with it in C++, else those with it as a part.
static llvm::SmallVector<StringRef> kernelsNamed(llvm::ArrayRef<StringRef> names, StringRef wanted) {
  llvm::SmallVector<StringRef> found;
  if (llvm::is_contained(names, wanted))
    return {wanted};
  llvm::copy_if(names, std::back_inserter(found), [&](StringRef name) { return isNameInCpp(name, wanted); });
  if (found.empty())
    llvm::copy_if(names, std::back_inserter(found), [&](StringRef name) { return name.contains(wanted); });
  return found;
}

/// Lists the first kernels, quoted.
static std::string listOf(llvm::ArrayRef<StringRef> names) {
  constexpr size_t most = 12;
  std::string list;
  for (const StringRef name : names.take_front(most))
    list += (list.empty() ? "`" : ", `") + name.str() + "`";
  return names.size() > most ? list + ", ..." : list;
}

std::string chooseKernel(const Ast &ast, std::optional<StringRef> named, KernelEntry &chosen) {
  const std::vector<KernelEntry> entries = machine::kernelsOf(ast);
  llvm::SmallVector<StringRef> names;
  for (const KernelEntry &entry : entries)
    names.push_back(entry.name);
  const StringRef wanted = named.value_or(entries.size() == 1 ? StringRef(entries[0].name) : "");
  if (wanted.empty())
    return "`--kernel` is missing: this module has " +
           (names.empty() ? "no kernel" : std::to_string(names.size()) + " (" + llvm::join(names, ", ") + ")");
  const llvm::SmallVector<StringRef> found = kernelsNamed(names, wanted);
  if (found.empty())
    return "there is no kernel `" + wanted.str() + "`" + didYouMean(wanted, names) +
           (names.empty() ? "" : "; the kernels are " + listOf(names));
  if (found.size() > 1)
    return "several kernels have `" + wanted.str() + "` in their names: " + listOf(found);
  chosen = *llvm::find_if(entries, [&](const KernelEntry &e) { return e.name == found.front(); });
  return "";
}

/// Returns an argument that fits a parameter: a buffer for an address, zeros for a structure.
static std::string exampleFor(const KernelEntry::Parameter &parameter) {
  constexpr uint64_t tensorMap = 128, alignmentOfMap = 64;
  const StringRef type = parameter.type;
  if (parameter.isArray && parameter.bytes == tensorMap && parameter.alignment >= alignmentOfMap)
    return "tma=f32:32x32:&b";
  if (parameter.isArray)
    return "{pad=" + std::to_string(parameter.bytes) + "}";
  if (type.ends_with("64") && !type.starts_with(".f"))
    return "zeros:f32:1024";
  return type.starts_with(".f") ? "1.0" : type.ends_with("8") ? "1" : "1024";
}

std::string exampleLaunch(const KernelEntry &entry, StringRef path) {
  std::string words;
  for (const KernelEntry::Parameter &parameter : entry.parameters) {
    const std::string word = exampleFor(parameter);
    const bool isQuoted = word.find_first_of("{&") != std::string::npos; // for the shell
    words += isQuoted ? " '" + word + "'" : " " + word;
  }
  const std::string buffer = StringRef(words).contains("&b") ? " --buffer=b=zeros:f32:1024" : "";
  return "ptxray run --emulate " + path.str() + " --kernel=" + entry.name + words + buffer +
         (entry.requiredBlock[0] ? "" : " --block=32");
}

/// Lists the parameters of a kernel with their types.
static std::string parametersOf(const KernelEntry &entry) {
  std::string list;
  for (const KernelEntry::Parameter &parameter : entry.parameters)
    list += (list.empty() ? "" : ", ") + parameter.name + " " +
            (parameter.isArray ? "of " + std::to_string(parameter.bytes) + " bytes" : parameter.type);
  return list.empty() ? "" : " (" + list + ")";
}

std::string typedArguments(const KernelEntry &entry, llvm::ArrayRef<StringRef> written, std::vector<std::string> &out) {
  if (written.size() != entry.parameters.size())
    return "kernel `" + entry.name + "` has " + std::to_string(entry.parameters.size()) +
           (entry.parameters.size() == 1 ? " parameter" : " parameters") + parametersOf(entry) +
           "; written: " + std::to_string(written.size()) + (written.size() == 1 ? " argument" : " arguments");
  for (auto [parameter, text] : llvm::zip(entry.parameters, written)) {
    const StringRef type = StringRef(parameter.type).drop_front();
    const bool isBytes = text.starts_with("hex=") || text.starts_with("{") || text.starts_with("tma=");
    const bool isPointer = !isBytes && (text.contains(':') || text.starts_with("&"));
    if (parameter.isArray && !isBytes)
      return "parameter `" + parameter.name + "` has " + std::to_string(parameter.bytes) +
             " bytes: a structure `{...}`, a tensor map `tma=...` or `hex=...` expected";
    if (!parameter.isArray && !isPointer && text.contains(',') && !isBytes)
      return "`" + text.str() + "`: a buffer with these elements is written with their type, `f32:" + text.str() + "`";
    if (!parameter.isArray && isPointer && !type.ends_with("64"))
      return "parameter `" + parameter.name + "` is " + parameter.type + " and accepts no address";
    out.push_back(isBytes || isPointer ? text.str() : type.str() + "=" + text.str());
  }
  return "";
}

} // namespace ptxray
