#include "Kernels.h"
#include "Diagnostics/Nearest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

std::string chooseKernel(const Ast &ast, std::optional<StringRef> named, KernelEntry &chosen) {
  const std::vector<KernelEntry> entries = machine::kernelsOf(ast);
  llvm::SmallVector<StringRef> names;
  for (const KernelEntry &entry : entries)
    names.push_back(entry.name);
  const StringRef wanted = named.value_or(entries.size() == 1 ? StringRef(entries[0].name) : "");
  if (wanted.empty())
    return "`--kernel` is missing: this module has " +
           (names.empty() ? "no kernel" : std::to_string(names.size()) + " (" + llvm::join(names, ", ") + ")");
  const auto entry = llvm::find_if(entries, [&](const KernelEntry &e) { return e.name == wanted; });
  if (entry == entries.end())
    return "there is no kernel `" + wanted.str() + "`" + didYouMean(wanted, names);
  chosen = *entry;
  return "";
}

std::string typedArguments(const KernelEntry &entry, llvm::ArrayRef<StringRef> written, std::vector<std::string> &out) {
  if (written.size() != entry.parameters.size())
    return "kernel `" + entry.name + "` has " + std::to_string(entry.parameters.size()) +
           (entry.parameters.size() == 1 ? " parameter" : " parameters") +
           "; written: " + std::to_string(written.size()) + (written.size() == 1 ? " argument" : " arguments");
  for (auto [parameter, text] : llvm::zip(entry.parameters, written)) {
    const StringRef type = StringRef(parameter.type).drop_front();
    const bool isBytes = text.starts_with("hex=") || text.starts_with("{") || text.starts_with("tma=");
    const bool isPointer = !isBytes && (text.contains(':') || text.starts_with("&"));
    if (parameter.isArray && !isBytes)
      return "parameter `" + parameter.name + "` has " + std::to_string(parameter.bytes) +
             " bytes: a structure `{...}`, a tensor map `tma=...` or `hex=...` expected";
    if (!parameter.isArray && isPointer && !type.ends_with("64"))
      return "parameter `" + parameter.name + "` is " + parameter.type + " and accepts no address";
    out.push_back(isBytes || isPointer ? text.str() : type.str() + "=" + text.str());
  }
  return "";
}

} // namespace ptxray
