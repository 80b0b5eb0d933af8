// Modules, libraries, kernels, and the linker. Each of them is one text of PTX in the end.
#include "Binary/Binary.h"
#include "Check/Suppressions.h"
#include "Isa/Isa.h"
#include "Render/Render.h"
#include "State.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace ptxray;
using namespace ptxray::driver;
using llvm::StringRef;

/// Returns the PTX text of a binary for the newest target that the chip supports.
static std::string textIn(StringRef bytes) {
  const Binary binary = readBinary(bytes);
  const int own = state().chip->major * 10 + state().chip->minor;
  const Entry *best = nullptr;
  for (const Entry &entry : binary.entries)
    if (entry.kind == ImageKind::Ptx && entry.number <= own && (!best || entry.number > best->number))
      best = &entry;
  if (!best)
    return "";
  const auto text = Unpacker().unpack(*best, "image");
  return text ? (*text)->text().str() : "";
}

/// Returns the PTX of an image, or an empty string if it contains none. The image itself states its size.
static std::string textOf(const void *image) {
  const auto *bytes = static_cast<const char *>(image);
  uint32_t magic;
  std::memcpy(&magic, bytes, sizeof magic);
  constexpr uint32_t wrapper = 0x466243b1, fatbin = 0xba55ed50, elf = 0x464c457f;
  if (magic == wrapper) {
    std::memcpy(static_cast<void *>(&bytes), bytes + 8, sizeof bytes);
    if (!bytes)
      return "";
    std::memcpy(&magic, bytes, sizeof magic);
  }
  if (magic == fatbin) {
    uint16_t header;
    uint64_t size;
    std::memcpy(&header, bytes + 6, sizeof header);
    std::memcpy(&size, bytes + 8, sizeof size);
    return textIn(StringRef(bytes, header + size));
  }
  return magic == elf ? "" : bytes;
}

/// Returns the log buffers among options, which have numbers.
static LogBuffers logBuffers(unsigned count, const int *options, void **values) {
  LogBuffers found;
  for (unsigned i = 0; options && values && i < count; ++i) {
    const auto number = static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
    switch (options[i]) {
    case 3: found.infos = static_cast<char *>(values[i]); break;
    case 4: found.infoBytes = number; break;
    case 5: found.errors = static_cast<char *>(values[i]); break;
    case 6: found.errorBytes = number; break;
    default: break;
    }
  }
  return found;
}

static void writeLog(char *to, size_t size, StringRef text) {
  if (!to || !size)
    return;
  const size_t count = std::min(size - 1, text.size());
  std::memcpy(to, text.data(), count);
  to[count] = 0;
}

/// Returns options for the check of a text, like those of the chip's compiler.
static CheckOptions optionsFor(StringRef text) {
  CheckOptions options;
  options.arch = state().chip->target.str();
  if (text.contains(options.arch + "a"))
    options.arch += "a";
  else if (text.contains(options.arch + "f"))
    options.arch += "f";
  return options;
}

static KeptModule check(StringRef text, const CheckOptions &options) {
  FileReport report;
  report.path = "<module>";
  report.source = SourceBuffer::fromText("<module>", text.rtrim('\0'));
  return checkAndKeep(std::move(report), options);
}

/// Returns the report about a rejected text, or an empty string if it has no errors.
static std::string refusalOf(const FileReport &report) {
  std::string said;
  llvm::raw_string_ostream out(said);
  if (llvm::any_of(report.diagnostics, [](const Diagnostic &one) { return one.severity == Severity::Error; }))
    renderText(report, {}, out);
  return said;
}

/// Returns the bytes of all variables of a state space that the statements declare.
static uint64_t bytesIn(const Ast &ast, llvm::ArrayRef<Statement> statements, StringRef space) {
  uint64_t sum = 0;
  for (const Statement &statement : statements) {
    if (statement.kind != StatementKind::Declaration)
      continue;
    const Declaration &declared = ast.declarations[statement.index];
    const isa::WordId type = isa::findWord(ast.text(declared.type));
    if (ast.text(declared.space) != space || !type)
      continue;
    uint64_t bytes = std::max(1, isa::word(type).bits / 8);
    unsigned elements = 1;
    if (declared.vector != SpellingId::None)
      ast.text(declared.vector).drop_front(2).getAsInteger(10, elements); // `.v4`
    for (uint32_t i = declared.dims.first; i < declared.dims.end(); ++i)
      bytes *= static_cast<uint64_t>(std::max<int64_t>(0, ast.dims[i]));
    sum += bytes * elements;
  }
  return sum;
}

static Result load(void **handle, const std::string &text, const LogBuffers &logs) {
  auto made = std::make_unique<Image>();
  made->options = optionsFor(text);
  KeptModule kept = check(text, made->options);
  made->report = std::move(kept.report);
  made->read = std::move(kept.module);
  if (const std::string said = refusalOf(made->report); !said.empty()) {
    writeLog(logs.errors, logs.errorBytes, said);
    llvm::errs() << said;
    return InvalidPtx;
  }
  writeLog(logs.errors, logs.errorBytes, "");
  writeLog(logs.infos, logs.infoBytes, "");
  made->report.diagnostics.clear();
  made->loaded.emplace(*made->read, state().memory, made->options.arch);
  for (machine::KernelEntry &kernel : machine::kernelsOf(made->read->ast())) {
    Kernel &function = made->functions[kernel.name];
    function.module = made.get();
    function.entry = std::move(kernel);
    state().functions.insert(&function);
  }
  const Ast &ast = made->read->ast();
  made->constantBytes = bytesIn(ast, ast.module, ".const");
  for (const Function &function : ast.functions)
    if (const auto found = made->functions.find(ast.text(function.name).str()); found != made->functions.end())
      found->second.localBytes =
          bytesIn(ast, llvm::ArrayRef(ast.statements).slice(function.body.first, function.body.count), ".local");
  *handle = made.get();
  state().modules.insert(made.release());
  return Success;
}

static Result loadImage(void **handle, const void *image, const LogBuffers &logs) {
  if (!handle || !image)
    return InvalidValue;
  const std::string text = textOf(image);
  if (!text.empty())
    return load(handle, text, logs);
  constexpr const char *why =
      "ptxray: a binary without PTX for this GPU cannot be emulated: compile for a virtual architecture that is no "
      "newer "
      "than the emulated GPU, or emulate a newer one with --device (PyTorch's own kernels have no PTX: `import "
      "ptxray.torch` runs them on the CPU)\n";
  writeLog(logs.errors, logs.errorBytes, why);
  llvm::errs() << why;
  return NoBinaryForGpu;
}

PTXRAY_API cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  PTXRAY_BEGIN;
  return loadImage(module, image, logBuffers(count, options, values));
}

PTXRAY_API cuModuleLoadData(void **module, const void *image) {
  PTXRAY_BEGIN;
  return loadImage(module, image, {});
}

PTXRAY_API cuModuleLoadFatBinary(void **module, const void *image) { return cuModuleLoadData(module, image); }

PTXRAY_API cuModuleLoad(void **module, const char *path) {
  PTXRAY_BEGIN;
  if (!module || !path)
    return InvalidValue;
  const auto file = SourceBuffer::open(path);
  return file ? loadImage(module, (*file)->text().str().c_str(), {}) : FileNotFound;
}

PTXRAY_API cuModuleUnload(void *module) {
  PTXRAY_BEGIN;
  if (state().modules.contains(module))
    finishAll(); // its kernels may be pending
  if (!state().modules.erase(module))
    return InvalidHandle;
  auto *found = static_cast<Image *>(module);
  for (auto &[name, function] : found->functions)
    state().functions.erase(&function);
  delete found;
  return Success;
}

PTXRAY_API cuModuleGetFunction(void **function, void *module, const char *name) {
  PTXRAY_BEGIN;
  if (!function || !name)
    return InvalidValue;
  if (!state().modules.contains(module))
    return InvalidHandle;
  auto &functions = static_cast<Image *>(module)->functions;
  const auto found = functions.find(name);
  if (found == functions.end())
    return NotFound;
  *function = &found->second;
  return Success;
}

PTXRAY_API cuModuleGetFunctionCount(unsigned *count, void *module) {
  PTXRAY_BEGIN;
  if (!count || !state().modules.contains(module))
    return count ? InvalidHandle : InvalidValue;
  *count = static_cast<unsigned>(static_cast<Image *>(module)->functions.size());
  return Success;
}

PTXRAY_API cuModuleEnumerateFunctions(void **functions, unsigned count, void *module) {
  PTXRAY_BEGIN;
  if (!functions || !state().modules.contains(module))
    return functions ? InvalidHandle : InvalidValue;
  for (auto &[name, function] : static_cast<Image *>(module)->functions)
    if (count) {
      *functions++ = &function;
      --count;
    }
  return Success;
}

PTXRAY_API cuModuleGetGlobal_v2(Address *address, size_t *size, void *module, const char *name) {
  PTXRAY_BEGIN;
  if (!name)
    return InvalidValue;
  if (!state().modules.contains(module))
    return InvalidHandle;
  const auto place = static_cast<Image *>(module)->loaded->placeOf(name);
  if (!place)
    return NotFound;
  if (address)
    *address = place->first;
  if (size)
    *size = place->second;
  return Success;
}

PTXRAY_API cuModuleGetLoadingMode(int *mode) { return mode ? (*mode = 2, Success) : InvalidValue; }

// ---- libraries are modules and their kernels are functions; a context is only needed when they are used

PTXRAY_API cuLibraryLoadData(void **library, const void *code, int *, void **, unsigned, int *, void **, unsigned) {
  const Anywhere anywhere;
  return cuModuleLoadData(library, code);
}
PTXRAY_API cuLibraryLoadFromFile(void **library, const char *path, int *, void **, unsigned, int *, void **, unsigned) {
  const Anywhere anywhere;
  return cuModuleLoad(library, path);
}
PTXRAY_API cuLibraryUnload(void *library) {
  const Anywhere anywhere;
  return cuModuleUnload(library);
}
PTXRAY_API cuLibraryGetKernel(void **kernel, void *library, const char *name) {
  const Anywhere anywhere;
  return cuModuleGetFunction(kernel, library, name);
}
PTXRAY_API cuLibraryGetKernelCount(unsigned *count, void *library) {
  const Anywhere anywhere;
  return cuModuleGetFunctionCount(count, library);
}
PTXRAY_API cuLibraryEnumerateKernels(void **kernels, unsigned count, void *library) {
  const Anywhere anywhere;
  return cuModuleEnumerateFunctions(kernels, count, library);
}
PTXRAY_API cuLibraryGetGlobal(Address *address, size_t *size, void *library, const char *name) {
  return cuModuleGetGlobal_v2(address, size, library, name);
}
PTXRAY_API cuLibraryGetManaged(Address *address, size_t *size, void *library, const char *name) {
  return cuModuleGetGlobal_v2(address, size, library, name);
}
PTXRAY_API cuLibraryGetModule(void **module, void *library) {
  PTXRAY_BEGIN;
  if (!module || !state().modules.contains(library))
    return module ? InvalidHandle : InvalidValue;
  *module = library;
  return Success;
}
PTXRAY_API cuKernelGetFunction(void **function, void *kernel) {
  PTXRAY_BEGIN;
  if (!function || !state().functions.contains(kernel))
    return function ? InvalidHandle : InvalidValue;
  *function = kernel;
  return Success;
}
PTXRAY_API cuKernelGetLibrary(void **library, void *kernel) {
  PTXRAY_BEGIN;
  if (!library || !state().functions.contains(kernel))
    return library ? InvalidHandle : InvalidValue;
  *library = static_cast<Kernel *>(kernel)->module;
  return Success;
}
PTXRAY_API cuFuncGetModule(void **module, void *function) { return cuKernelGetLibrary(module, function); }

// ---- the linker

PTXRAY_API cuLinkCreate_v2(unsigned count, int *options, void **values, void **link) {
  PTXRAY_BEGIN;
  if (!link || (count && (!options || !values)))
    return InvalidValue;
  *link = new Link{{}, logBuffers(count, options, values), ""};
  state().links.insert(*link);
  return Success;
}

/// Reports the problem of a link to the client and to the user.
static Result failed(const Link &link, const std::string &problem, Result result) {
  writeLog(link.logs.errors, link.logs.errorBytes, (result == InvalidSource ? "error   : " : "") + problem);
  llvm::errs() << "ptxray: " << problem << '\n';
  return result;
}

PTXRAY_API cuLinkAddData_v2(void *link, int kind, void *data, size_t size, const char *name, unsigned, int *, void **) {
  PTXRAY_BEGIN;
  if (!state().links.contains(link))
    return InvalidHandle;
  constexpr int cubin = 0, ptx = 1, fatbin = 2, library = 4, last = 5;
  if (!data || !size || kind < cubin || kind > last)
    return InvalidValue;
  auto &linked = *static_cast<Link *>(link);
  const auto *bytes = static_cast<const char *>(data);
  std::string text = kind == ptx ? std::string(bytes, strnlen(bytes, size)) : kind == fatbin ? textOf(data) : "";
  const StringRef all(bytes, size);
  if (kind == library && all.starts_with("!<arch>") && all.contains("cuda_device_runtime.o/")) // libcudadevrt.a
    text = deviceRuntime;
  if (text.empty())
    return failed(linked, "only PTX can be linked: a binary without it cannot be emulated", NoBinaryForGpu);
  if (const std::string said = refusalOf(check(text, optionsFor(text)).report); !said.empty())
    return failed(linked, said, InvalidPtx);
  linked.inputs.push_back({name ? name : "<ptx>", std::move(text)});
  const Linked made = ptxray::driver::linked(linked.inputs);
  if (made.fault == LinkFault::Duplicate || made.fault == LinkFault::Mismatch) {
    linked.inputs.pop_back();
    return failed(linked, made.problem, InvalidSource);
  }
  return Success;
}

PTXRAY_API cuLinkAddFile_v2(void *link, int kind, const char *path, unsigned, int *, void **) {
  if (!path)
    return InvalidValue;
  const auto file = SourceBuffer::open(path);
  if (!file)
    return FileNotFound;
  std::string text = (*file)->text().str();
  return cuLinkAddData_v2(link, kind, text.data(), text.size(), path, 0, nullptr, nullptr);
}

PTXRAY_API cuLinkComplete(void *link, void **image, size_t *size) {
  PTXRAY_BEGIN;
  if (!state().links.contains(link))
    return InvalidHandle;
  auto &found = *static_cast<Link *>(link);
  if (!image || found.inputs.empty())
    return InvalidValue;
  Linked made = linked(found.inputs);
  if (made.fault != LinkFault::None)
    return failed(found, made.problem, InvalidSource);
  found.ptx = found.inputs.size() == 1 ? found.inputs.front().text : std::move(made.text); // keeps its own line numbers
  writeLog(found.logs.errors, found.logs.errorBytes, "");
  writeLog(found.logs.infos, found.logs.infoBytes, "");
  *image = found.ptx.data();
  if (size)
    *size = found.ptx.size() + 1;
  return Success;
}

PTXRAY_API cuLinkDestroy(void *link) {
  PTXRAY_BEGIN;
  if (!state().links.erase(link))
    return InvalidHandle;
  delete static_cast<Link *>(link);
  return Success;
}
