#include "Reach.h"
#include <algorithm>
#include <cstring>
#include <map>
#include <set>

namespace ptxray::recorder {

using launcher::Bytes;

static bool copy(Bytes &to, uint64_t from, size_t size) {
  to.resize(size);
  return !size || real().cuMemcpy(reinterpret_cast<uintptr_t>(to.data()), from, size) == Success;
}

static std::string inHex(uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

namespace {

class Search {
public:
  Search(launcher::Recording &to, const ReachLimits &limits) : to(to), limits(limits), left(limits.bytes) {}

  void addVariables(const KernelText &text, const Image &image);
  /// Records where words in some bytes point.
  void look(const Bytes &bytes);
  void search();
  void finish();

private:
  struct Allocation {
    uint64_t begin = 0, size = 0;
    std::set<uint64_t> targets; // addresses in it that words contain
  };
  void leaveOut(const std::string &what);
  bool isTaken(uint64_t address) const;
  void take(Allocation &allocation, uint64_t most);
  void takePiece(uint64_t begin, uint64_t end);

  static constexpr uint64_t pageBytes = 4096;
  launcher::Recording &to;
  const ReachLimits limits;
  uint64_t left; // bytes that may still be recorded
  std::map<uint64_t, Allocation> next;
  std::map<uint64_t, uint64_t> variables; // from address to size
  std::map<uint64_t, Bytes> taken;        // contents by address
  std::vector<uint64_t> unread;           // pieces whose words have not been followed yet
  std::set<uint64_t> nothing; // addresses without an allocation, in units of the driver's smallest allocation
  unsigned questions = 0;     // number of calls of the driver
};

} // namespace

void Search::addVariables(const KernelText &text, const Image &image) {
  for (const std::string &name : text.variables) {
    Address address = 0;
    size_t size = 0;
    const auto get = image.isLibrary ? real().cuLibraryGetGlobal : real().cuModuleGetGlobal_v2;
    launcher::RecordedMemory one;
    one.variable = name;
    if (!get || get(&address, &size, image.handle, name.c_str()) != Success || size > left ||
        !copy(one.before, address, size)) {
      leaveOut("variable `" + name + "`");
      continue;
    }
    one.address = address;
    left -= size;
    variables[address] = size;
    to.memory.push_back(std::move(one));
  }
  for (const launcher::RecordedMemory &one : to.memory)
    if (limits.followsWords)
      look(one.before);
}

void Search::leaveOut(const std::string &what) {
  if (std::find(to.leftOut.begin(), to.leftOut.end(), what) == to.leftOut.end())
    to.leftOut.push_back(what);
}

bool Search::isTaken(uint64_t address) const {
  const auto after = taken.upper_bound(address);
  const auto afterVariable = variables.upper_bound(address);
  return (after != taken.begin() && address - std::prev(after)->first < std::prev(after)->second.size()) ||
         (afterVariable != variables.begin() &&
          address - std::prev(afterVariable)->first < std::prev(afterVariable)->second);
}

void Search::look(const Bytes &bytes) {
  constexpr uint64_t lowest = uint64_t(1) << 32, highest = uint64_t(1) << 49, unit = 512;
  constexpr unsigned mostQuestions = 1 << 20;
  uint64_t word = 0;
  for (size_t i = 0; i + sizeof word <= bytes.size(); i += sizeof word) {
    std::memcpy(&word, &bytes[i], sizeof word);
    if (word < lowest || word >= highest || nothing.contains(word / unit) || isTaken(word))
      continue;
    if (const auto after = next.upper_bound(word);
        after != next.begin() && word - std::prev(after)->first < std::prev(after)->second.size) {
      std::prev(after)->second.targets.insert(word);
      continue;
    }
    if (++questions > mostQuestions)
      return;
    Address begin = 0;
    size_t size = 0;
    if (real().cuMemGetAddressRange_v2(&begin, &size, word) == Success && word - begin < size)
      next[begin] = {begin, size, {word}};
    else
      nothing.insert(word / unit);
  }
}

/// Copies the parts that were not copied yet.
void Search::takePiece(uint64_t begin, uint64_t end) {
  std::vector<std::pair<uint64_t, uint64_t>> gaps;
  for (const auto &[other, bytes] : taken) {
    if (other + bytes.size() <= begin || other >= end)
      continue;
    if (other > begin)
      gaps.emplace_back(begin, other);
    begin = other + bytes.size();
  }
  if (begin < end)
    gaps.emplace_back(begin, end);
  for (const auto &[first, last] : gaps) {
    Bytes bytes;
    if (last - first > left)
      continue; // part of an allocation that is too large
    if (!copy(bytes, first, last - first)) {
      leaveOut(inHex(first) + " (" + std::to_string(last - first) + " bytes): the driver does not copy it");
      continue;
    }
    left -= last - first;
    taken[first] = std::move(bytes);
    unread.push_back(first);
  }
}

/// Takes a whole allocation, or the bytes from those places on where words point.
void Search::take(Allocation &allocation, uint64_t most) {
  if (allocation.size <= most)
    return takePiece(allocation.begin, allocation.begin + allocation.size);
  const uint64_t share = most / allocation.targets.size() / pageBytes * pageBytes;
  const uint64_t end = allocation.begin + allocation.size;
  for (auto at = allocation.targets.begin(); share && at != allocation.targets.end(); ++at) {
    const uint64_t begin = std::max(allocation.begin, *at / pageBytes * pageBytes);
    takePiece(begin, std::min(begin + share, end));
  }
  leaveOut("a part of " + inHex(allocation.begin) + " (" + std::to_string(allocation.size) +
           " bytes), beyond the limit");
}

void Search::search() {
  while (!next.empty()) {
    std::vector<Allocation> all;
    for (auto &[begin, allocation] : std::exchange(next, {}))
      all.push_back(std::move(allocation));
    std::stable_sort(all.begin(), all.end(),
                     [](const Allocation &one, const Allocation &other) { return one.size < other.size; });
    for (size_t i = 0; i < all.size();
         ++i) // small allocations are taken whole, and the large ones share the remaining bytes
      take(all[i], std::max(left / (all.size() - i), all[i].size <= left ? all[i].size : 0));
    for (const uint64_t begin : std::exchange(unread, {}))
      if (limits.followsWords)
        look(taken[begin]);
  }
}

void Search::finish() {
  for (auto &[begin, bytes] : taken) {
    launcher::RecordedMemory &one = to.memory.emplace_back();
    one.address = begin;
    one.before = std::move(bytes);
  }
}

void findMemory(launcher::Recording &to, const KernelText &text, const Image &image, const ReachLimits &limits) {
  Search search(to, limits);
  search.addVariables(text, image);
  for (const Bytes &parameter : to.parameters)
    search.look(parameter);
  for (const launcher::RecordedImage &one : to.images) // images of linear memory
    if (one.address)
      search.look({reinterpret_cast<const unsigned char *>(&one.address),
                   reinterpret_cast<const unsigned char *>(&one.address + 1)});
  search.search();
  search.finish();
}

bool readAgain(launcher::Recording &to) {
  return std::all_of(to.memory.begin(), to.memory.end(),
                     [](launcher::RecordedMemory &one) { return copy(one.after, one.address, one.before.size()); });
}

} // namespace ptxray::recorder
