#include "Kernels.h"
#include "Diagnostics/Nearest.h"
#include "Isa/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace ptxray {

using llvm::StringRef;

static std::vector<KernelEntry> findEntries(const Ast &ast) {
  std::vector<KernelEntry> entries;
  for (const Function &function : ast.functions) {
    if (function.kind != FunctionKind::Entry || !function.hasBody)
      continue;
    KernelEntry &entry = entries.emplace_back();
    entry.name = ast.text(function.name).str();
    for (uint32_t i = function.parameters.first; i < function.parameters.end(); ++i) {
      const Declaration &declared = ast.declarations[i];
      KernelEntry::Parameter parameter{ast.text(declared.name).str(), ast.text(declared.type).str(),
                                       !declared.dims.empty(), 1};
      if (const isa::WordId type = isa::findWord(parameter.type))
        parameter.bytes = std::max(1, isa::word(type).bits / 8);
      parameter.alignment = std::max(static_cast<int64_t>(parameter.bytes), declared.align);
      for (uint32_t d = declared.dims.first; d < declared.dims.end(); ++d)
        parameter.bytes *= ast.dims[d];
      entry.parameters.push_back(std::move(parameter));
    }
    for (uint32_t i = function.directives.first; i < function.directives.end(); ++i)
      if (ast.text(ast.directives[i].name) == ".reqntid")
        for (const Operand &operand : ast.operandsOf(ast.directives[i].operands))
          entry.threads += (entry.threads.empty() ? "" : ",") + std::to_string(operand.value);
  }
  return entries;
}

std::string chooseKernel(const Ast &ast, std::optional<StringRef> named, KernelEntry &chosen) {
  const std::vector<KernelEntry> entries = findEntries(ast);
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

std::string parameterSizes(const KernelEntry &entry) {
  std::string sizes;
  for (const KernelEntry::Parameter &parameter : entry.parameters)
    sizes += (sizes.empty() ? "" : ",") + std::to_string(parameter.bytes);
  return sizes;
}

} // namespace ptxray
