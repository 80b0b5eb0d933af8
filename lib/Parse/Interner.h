#pragma once
// Maps texts to consecutive numbers.
#include "Source/Narrow.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace ptxray {

class Interner {
public:
  /// Creates an interner. If `ownsTexts` is set, it copies texts, so that they may outlive the source.
  explicit Interner(bool ownsTexts = false) : ownsTexts(ownsTexts), slots(fewestSlots), mask(fewestSlots - 1) {}

  uint32_t size() const { return entries.size(); }
  /// Returns the size of the copied texts.
  size_t bytes() const { return pool.getBytesAllocated(); }
  llvm::StringRef text(uint32_t id) const {
    assert(id < entries.size() && "the id is of this interner");
    return {entries[id].begin, entries[id].length};
  }

  /// Returns the number of a text. The text must have 16 readable bytes from its beginning, and must outlive the
  /// interner unless that owns its texts.
  [[gnu::noinline]] uint32_t intern(const char *p, uint32_t length) {
    const uint64_t key = keyOf(p, length);
    for (uint32_t at = placeOf(key, length);; at = (at + 1) & mask) {
      const Slot slot = slots[at];
      if (slot.id == 0)
        return insertNew(at, key, p, length);
      if (holds(slot, key, p, length))
        return slot.id - 1;
    }
  }

  /// Returns the number of a text that may end in digits, as nearly all registers do (`%r12`). Such names are found by
  /// number, so that names that are close to each other in the source are also close in memory.
  [[gnu::always_inline]] uint32_t internNumbered(const char *p, uint32_t length) {
    if (length > shortLength)
      return intern(p, length);
    uint64_t text;
    std::memcpy(&text, p, sizeof text);
    text <<= 64 - 8 * length;                          // the last letter is in the highest byte
    const uint64_t values = text ^ 0x3030303030303030; // maps digits to 0 to 9
    constexpr uint64_t highest = 0x8080808080808080;
    const uint64_t others = (((values & ~highest) + 0x7676767676767676) | values) & highest;
    const unsigned bits = std::countl_zero(others) & ~7u; // width of the trailing digits
    if (bits == 0 || bits >= 8 * length)
      return intern(p, length);
    const uint64_t digits = values >> (64 - bits), prefix = text << bits;
    if ((digits & 0xFF) == 0 && bits > 8) // `%r01` and `%r1` are different names
      return intern(p, length);
    const uint32_t number = decimal(digits << (64 - bits));
    Family &family = families[prefix * 0x9E3779B97F4A7C15 >> (64 - familyBits)];
    if (family.prefix != prefix || number >= family.members.size() || !family.members[number]) [[unlikely]]
      return insertMember(family, prefix, number, p, length);
    return family.members[number] - 1;
  }

  std::optional<uint32_t> find(llvm::StringRef text) const {
    const Padded padded(text);
    const uint64_t key = keyOf(padded.data(), text.size());
    const Slot &slot = slots[find(key, padded.data(), text.size())];
    return slot.id ? std::optional(slot.id - 1) : std::nullopt;
  }

  /// Interns a copy of a text that is not in the source.
  uint32_t internCopy(llvm::StringRef text) {
    const Padded padded(text);
    const uint64_t key = keyOf(padded.data(), text.size());
    const uint32_t at = find(key, padded.data(), text.size());
    return slots[at].id ? slots[at].id - 1 : insert(at, key, copyOf(text.data(), text.size()), text.size());
  }

  /// Removes all texts. Keeps the memory, unless it is much larger than the texts needed.
  void clear() {
    const size_t wanted = std::max<size_t>(fewestSlots, std::bit_ceil(entries.size() * 2));
    if (slots.size() > 4 * wanted)
      slots = std::vector<Slot>(wanted);
    else if (entries.size() < slots.size() / 16)
      for (const Entry &entry : entries)
        slots[entry.place] = Slot();
    else
      std::fill(slots.begin(), slots.end(), Slot());
    mask = slots.size() - 1;
    entries.clear();
    for (const uint8_t used : usedFamilies) {
      families[used].prefix = 0;
      families[used].members.clear();
    }
    usedFamilies.clear();
    pool.Reset();
  }

private:
  // Texts up to this length, such as names of registers, are their own keys, so no comparison is necessary.
  static constexpr uint32_t shortLength = 8;
  static constexpr uint32_t fewestSlots = 1024, manySlots = 1 << 16;
  struct Slot {
    uint64_t key = 0;
    uint32_t length = 0;
    uint32_t id = 0; // number plus 1; 0 if the slot is free
  };
  struct Entry {
    const char *begin;
    uint32_t length;
    uint32_t place; // index of its slot
  };
  struct Words {
    uint64_t low, high;
    bool operator==(const Words &) const = default;
  };

  /// A copy of a text with 16 readable bytes after it.
  struct Padded : llvm::SmallString<64> {
    explicit Padded(llvm::StringRef text) : SmallString(text) { append(16, '\0'); }
  };

  /// The names with one prefix, indexed by their numbers. Prefixes with the same hash evict each other.
  struct Family {
    uint64_t prefix = 0;           // text of the prefix
    std::vector<uint32_t> members; // number of the name plus 1; 0 if unknown
  };
  static constexpr unsigned familyBits = 6;

  /// Returns the value of eight digits, the first of them in the lowest byte. Combines neighbours three times.
  static uint32_t decimal(uint64_t digits) {
    digits = digits * 10 + (digits >> 8);
    constexpr uint64_t pair = 0x000000FF000000FF;
    const uint64_t high = (digits & pair) * (100 + (1000000ull << 32)),
                   low = (digits >> 16 & pair) * (1 + (10000ull << 32));
    return static_cast<uint32_t>((high + low) >> 32);
  }

  [[gnu::noinline]] uint32_t insertMember(Family &family, uint64_t prefix, uint32_t number, const char *p,
                                          uint32_t length) {
    const uint32_t id = intern(p, length);
    if (family.prefix != prefix) {
      if (family.prefix == 0)
        usedFamilies.push_back(narrow<uint8_t>(&family - families.data()));
      family.prefix = prefix;
      family.members.clear();
    }
    // Numbers usually ascend. A much larger number would waste memory.
    if (const size_t size = family.members.size(); number >= size && number < 2 * size + 1024)
      family.members.resize(number + 1);
    if (number < family.members.size())
      family.members[number] = id + 1;
    return id;
  }

  [[gnu::always_inline]] bool holds(const Slot &slot, uint64_t key, const char *p, uint32_t length) const {
    if (slot.key != key || slot.length != length)
      return false;
    if (length <= shortLength)
      return true;
    const char *known = entries[slot.id - 1].begin;
    if (load(known, length) != load(p, length))
      return false;
    for (uint32_t i = 16; i < length; i += 16) {
      const uint32_t part = std::min(i, length - 16);
      if (load(known + part, 16) != load(p + part, 16))
        return false;
    }
    return true;
  }

  /// Returns the first 16 bytes of a text, padded with zeros.
  [[gnu::always_inline]] static Words load(const char *p, uint32_t length) {
#ifdef __SSE2__
    alignas(16) static constexpr uint8_t ones[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                     255, 255, 255, 255, 255, 255, 255, 255};
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
    if (length < 16)
      bytes = _mm_and_si128(bytes, _mm_loadu_si128(reinterpret_cast<const __m128i *>(ones + 16 - length)));
    return {static_cast<uint64_t>(_mm_cvtsi128_si64(bytes)),
            static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes)))};
#else
    Words words;
    std::memcpy(&words, p, sizeof words);
    if (length < 8)
      words.low = length == 0 ? 0 : words.low << (64 - 8 * length) >> (64 - 8 * length);
    if (length < 16)
      words.high = length <= 8 ? 0 : words.high << (128 - 8 * length) >> (128 - 8 * length);
    return words;
#endif
  }

  [[gnu::always_inline]] static uint64_t mix(uint64_t a, uint64_t b) {
    unsigned __int128 product = static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15ull) * (b ^ 0xD6E8FEB86659FD93ull);
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }

  /// Returns the key of a text: the text itself if it is short, otherwise a hash.
  [[gnu::always_inline]] static uint64_t keyOf(const char *p, uint32_t length) {
    const Words first = load(p, length);
    if (length <= shortLength)
      return first.low;
    uint64_t sum = mix(first.low + length, first.high);
    for (uint32_t i = 16; i < length; i += 16) {
      const Words part = load(p + std::min(i, length - 16), 16);
      sum = mix(sum ^ part.low, part.high);
    }
    return sum;
  }

  uint32_t placeOf(uint64_t key, uint32_t length) const {
    return static_cast<uint32_t>(length <= shortLength ? mix(key, length) : key) & mask;
  }

  /// Returns the slot that contains the text, or the free slot for it.
  uint32_t find(uint64_t key, const char *p, uint32_t length) const {
    uint32_t at = placeOf(key, length);
    while (slots[at].id != 0 && !holds(slots[at], key, p, length))
      at = (at + 1) & mask;
    return at;
  }

  const char *copyOf(const char *p, uint32_t length) {
    char *copy = pool.Allocate<char>(length + 16);
    std::memcpy(copy, p, length);
    std::memset(copy + length, 0, 16);
    return copy;
  }

  [[gnu::noinline]] uint32_t insertNew(uint32_t at, uint64_t key, const char *p, uint32_t length) {
    return insert(at, key, ownsTexts ? copyOf(p, length) : p, length);
  }

  uint32_t insert(uint32_t at, uint64_t key, const char *p, uint32_t length) {
    const uint32_t id = entries.size();
    entries.push_back({p, length, at});
    slots[at] = {key, length, id + 1};
    if (entries.size() * 3 > slots.size() * 2)
      grow();
    return id;
  }

  /// Grows the table. Small tables grow faster, because rehashing costs more than memory.
  void grow() {
    std::vector<Slot> old(slots.size() * (slots.size() < manySlots ? 4 : 2));
    old.swap(slots);
    mask = slots.size() - 1;
    for (const Slot &slot : old) {
      if (slot.id == 0)
        continue;
      uint32_t at = placeOf(slot.key, slot.length);
      while (slots[at].id != 0)
        at = (at + 1) & mask;
      slots[at] = slot;
      entries[slot.id - 1].place = at;
    }
  }

  const bool ownsTexts;
  std::vector<Slot> slots;
  uint32_t mask;
  std::vector<Entry> entries; // indexed by number
  std::array<Family, 1 << familyBits> families;
  std::vector<uint8_t> usedFamilies;
  llvm::BumpPtrAllocator pool;
};

} // namespace ptxray
