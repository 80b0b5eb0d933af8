#pragma once
// Texts to dense numbers. A text of up to 16 bytes is compared as two words.
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include <bit>
#include <cstdint>
#include <cstring>
#include <emmintrin.h>
#include <optional>
#include <vector>

namespace ptxray {

class Interner {
public:
  Interner() : slots(1024), mask(1023) {}

  uint32_t size() const { return entries.size(); }
  llvm::StringRef text(uint32_t id) const { return {entries[id].begin, entries[id].key.length}; }

  /// The text must outlive the interner, with 16 readable bytes from its begin.
  uint32_t intern(const char *p, uint32_t length) {
    const Key key = load(p, length);
    const uint32_t sum = hash(key, p);
    for (uint32_t at = sum & mask;; at = (at + 1) & mask) {
      const Slot slot = slots[at];
      if (slot.id == 0)
        return insert(at, sum, key, p);
      if (slot.hash == sum && holds(slot.id - 1, key, p))
        return slot.id - 1;
    }
  }

  std::optional<uint32_t> find(llvm::StringRef text) const {
    llvm::SmallString<64> padded(text);
    padded.append(16, '\0');
    const Key key = load(padded.data(), text.size());
    const uint32_t sum = hash(key, padded.data());
    for (uint32_t at = sum & mask; slots[at].id != 0; at = (at + 1) & mask)
      if (slots[at].hash == sum && holds(slots[at].id - 1, key, padded.data()))
        return slots[at].id - 1;
    return std::nullopt;
  }

  /// For a text that does not stand in the source: copied.
  uint32_t internCopy(llvm::StringRef text) {
    char *copy = pool.Allocate<char>(text.size() + 16);
    std::memcpy(copy, text.data(), text.size());
    std::memset(copy + text.size(), 0, 16);
    return intern(copy, text.size());
  }

  void clear() {
    slots.assign(slots.size(), Slot());
    entries.clear();
    pool.Reset();
  }

private:
  struct Key {
    uint64_t low, high; // the first 16 bytes
    uint32_t length;
    bool operator==(const Key &) const = default;
  };
  struct Entry {
    Key key;
    const char *begin;
  };
  // Small, because a slot is met anywhere in the table, while entries that are used together mostly
  // stand together.
  struct Slot {
    uint32_t hash = 0;
    uint32_t id = 0; // one more than the number; 0 is free
  };

  bool holds(uint32_t id, const Key &key, const char *p) const {
    const Entry &entry = entries[id];
    return entry.key == key &&
           (key.length <= 16 || std::memcmp(entry.begin, p, key.length) == 0);
  }

  static Key load(const char *p, uint32_t length) {
    alignas(16) static constexpr uint8_t ones[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                     255, 255, 255, 255, 255, 255, 255, 255};
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
    if (length < 16)
      bytes = _mm_and_si128(
          bytes, _mm_loadu_si128(reinterpret_cast<const __m128i *>(ones + 16 - length)));
    return {static_cast<uint64_t>(_mm_cvtsi128_si64(bytes)),
            static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes))), length};
  }

  static uint64_t mix(uint64_t a, uint64_t b) {
    unsigned __int128 product = static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15ull) *
                                (b ^ 0xD6E8FEB86659FD93ull);
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }

  static uint32_t hash(const Key &key, const char *p) {
    uint64_t sum = mix(key.low + key.length, key.high);
    for (uint32_t i = 16; i < key.length; i += 16) {
      Key part = load(p + std::min(i, key.length - 16), 16);
      sum = mix(sum ^ part.low, part.high);
    }
    return static_cast<uint32_t>(sum);
  }

  uint32_t insert(uint32_t at, uint32_t sum, const Key &key, const char *p) {
    uint32_t id = entries.size();
    entries.push_back({key, p});
    slots[at] = {sum, id + 1};
    if (entries.size() * 2 > slots.size())
      grow();
    return id;
  }

  void grow() {
    std::vector<Slot> old(slots.size() * 2);
    old.swap(slots);
    mask = slots.size() - 1;
    for (const Slot &slot : old) {
      if (slot.id == 0)
        continue;
      uint32_t at = slot.hash & mask;
      while (slots[at].id != 0)
        at = (at + 1) & mask;
      slots[at] = slot;
    }
  }

  std::vector<Slot> slots;
  uint32_t mask;
  std::vector<Entry> entries; // by number
  llvm::BumpPtrAllocator pool;
};

} // namespace ptxray
