#include "Gpus/Images.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

namespace ptxray {

std::vector<const isa::Target *> gpusOfToday() {
  constexpr uint16_t oldest = 50;
  std::vector<const isa::Target *> gpus;
  for (const isa::Target &target : isa::targets())
    if (!target.variant && target.documented && target.number >= oldest &&
        target.name() == "sm_" + std::to_string(target.number)) // skips old names of other targets
      gpus.push_back(&target);
  return gpus;
}

static const isa::Target *targetOf(const Entry &entry) {
  const int found = isa::findTarget(entry.target()); // also resolves the old name of sm_110
  return found < 0 ? nullptr : &isa::targets()[found];
}

Fit fitOf(const Entry &entry, const isa::Target &gpu) {
  const bool isCubin = entry.kind == ImageKind::Cubin;
  const isa::Target *made = targetOf(entry);
  if (!made || (!isCubin && !entry.isText()))
    return Fit::None;
  const Fit fit = isCubin ? Fit::Native : Fit::Compiled;
  if (made->variant == 'a')
    return made->number == gpu.number ? fit : Fit::None;
  if (made->variant == 'f')
    return made->family == gpu.family && made->number <= gpu.number ? fit : Fit::None;
  if (!isCubin)
    return made->number <= gpu.number ? fit : Fit::None;
  if (made->integrated || gpu.integrated)
    return made->number == gpu.number ? fit : Fit::None;
  constexpr unsigned generation = 10; // sm_86 is 8.6
  return made->number / generation == gpu.number / generation && made->number <= gpu.number ? fit : Fit::None;
}

static bool hasText(llvm::ArrayRef<Entry> entries) {
  return llvm::any_of(entries, [](const Entry &e) { return e.isText(); });
}

/// Returns whether a container has code. Linking nothing produces a cubin without code.
static bool hasCode(const Binary &binary, const Container &container, Unpacker &unpacker) {
  const llvm::ArrayRef<Entry> entries = binary.entriesOf(container);
  if (hasText(entries))
    return true;
  const auto *cubin = llvm::find_if(entries, [](const Entry &e) { return e.kind == ImageKind::Cubin; });
  if (cubin == entries.end())
    return false;
  constexpr size_t mostlyEnough = 16 << 10;
  if (namesCode(unpacker.beginning(*cubin, mostlyEnough)))
    return binary.letGo(*cubin), true;
  const auto bytes = unpacker.unpack(*cubin, "");
  binary.letGo(*cubin);
  return !bytes || !codeOf((*bytes)->text()).empty();
}

/// Adds the modules of one file or member of an archive.
static void addModules(const Binary &binary, llvm::ArrayRef<uint32_t> containers, Unpacker &unpacker,
                       std::vector<DeviceModule> &modules) {
  DeviceModule linked;
  linked.isLinked = true;
  std::vector<uint32_t> relocatable;
  bool wasLinked = false;
  for (uint32_t index : containers)
    if (binary.containers[index].role == Role::Relocatable)
      relocatable.push_back(index);
    else if (binary.containers[index].role == Role::Loaded)
      wasLinked = true;
  const bool isObject = binary.objects[binary.containers[containers.front()].object].isRelocatable;
  for (uint32_t index : containers) {
    const Container &container = binary.containers[index];
    if (container.role != Role::Loaded || !hasCode(binary, container, unpacker))
      continue;
    if (relocatable.empty() || isObject || hasText(binary.entriesOf(container)))
      modules.push_back({{index}, {}, false});
    else
      linked.images.push_back(index);
  }
  if (!linked.images.empty()) {
    linked.texts = relocatable;
    modules.push_back(std::move(linked));
  } else if (isObject || !wasLinked) {
    for (uint32_t index : relocatable) // has yet to be linked
      if (hasCode(binary, binary.containers[index], unpacker))
        modules.push_back({{index}, {}, false});
  }
}

std::vector<DeviceModule> modulesOf(const Binary &binary, Unpacker &unpacker) {
  std::vector<DeviceModule> modules;
  std::vector<std::vector<uint32_t>> ofObject(binary.objects.size());
  for (uint32_t i = 0; i < binary.containers.size(); ++i)
    ofObject[binary.containers[i].object].push_back(i);
  for (const std::vector<uint32_t> &containers : ofObject)
    if (!containers.empty())
      addModules(binary, containers, unpacker, modules);
  return modules;
}

static ModuleFit fitOf(llvm::ArrayRef<Entry> entries, const isa::Target &gpu) {
  ModuleFit best;
  for (const Entry &entry : entries) {
    const Fit fit = fitOf(entry, gpu);
    const bool isBetterText = fit == Fit::Compiled && best.fit == fit && entry.number > best.text->number;
    if (fit > best.fit || isBetterText)
      best = {fit, fit == Fit::Compiled ? &entry : nullptr};
  }
  return best;
}

/// Combines two fits: the worse one, and the newest PTX.
static void addPart(ModuleFit &all, const ModuleFit &part) {
  auto version = [](const ModuleFit &f) { return f.text ? f.text->major * 100 + f.text->minor : 0; };
  if (part.fit < all.fit || (part.fit == all.fit && version(part) > version(all)))
    all = part;
}

ModuleFit fitOf(const DeviceModule &module, const Binary &binary, const isa::Target &gpu) {
  ModuleFit images{Fit::Native, nullptr};
  for (uint32_t index : module.images)
    addPart(images, fitOf(binary.entriesOf(binary.containers[index]), gpu));
  if (images.fit != Fit::None || !module.isLinked)
    return images;
  // The driver can link the module again from its parts.
  ModuleFit texts{Fit::Compiled, nullptr};
  bool any = false;
  for (uint32_t index : module.texts) {
    const llvm::ArrayRef<Entry> entries = binary.entriesOf(binary.containers[index]);
    ModuleFit best;
    for (const Entry &entry : entries)
      if (entry.isText() && fitOf(entry, gpu) == Fit::Compiled && (!best.text || entry.number > best.text->number))
        best = {Fit::Compiled, &entry};
    if (!entries.empty())
      addPart(texts, best);
    any |= best.fit == Fit::Compiled;
  }
  return any ? texts : ModuleFit{};
}

} // namespace ptxray
