#include "Video.h"
#include <algorithm>
#include <vector>

namespace ptxray::device {

using Wide = __int128;

// ------------------------------------------------------------------------------------- reading
// texts

static std::vector<std::string_view> split(std::string_view text, char divider) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(divider, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

static std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == ';'))
    text.remove_suffix(1);
  return text;
}

/// Returns the part of an operand such as `-%r1.b3` after the dot, and sets `negated` if there is a minus sign.
static std::string_view suffixOf(std::string_view operand, bool &negated) {
  operand = trim(operand);
  negated = operand.starts_with('-');
  const size_t dot = operand.find('.');
  return dot == std::string_view::npos ? "" : operand.substr(dot + 1);
}

static Part partOf(std::string_view suffix) {
  if (suffix.empty())
    return {};
  const uint8_t number = suffix[1] - '0';
  return suffix[0] == 'b' ? Part{8, static_cast<uint8_t>(8 * number)} : Part{16, static_cast<uint8_t>(16 * number)};
}

/// Reads the lanes of a selector, which lists the highest lane first. Without a selector, the lanes are those from
/// `first` on.
static void readLanes(std::string_view suffix, unsigned lanes, unsigned first, uint8_t (&out)[4]) {
  for (unsigned i = 0; i < std::min(lanes, 4u); ++i)
    out[i] = suffix.empty() ? first + i : suffix[suffix.size() - 1 - i] - '0';
}

static bool readWord(Video &video, std::string_view word) {
  static constexpr std::pair<std::string_view, Comparison> comparisons[] = {
      {"eq", Comparison::Eq}, {"ne", Comparison::Ne}, {"lt", Comparison::Lt},
      {"le", Comparison::Le}, {"gt", Comparison::Gt}, {"ge", Comparison::Ge}};
  for (auto [name, comparison] : comparisons)
    if (word == name) {
      video.comparison = comparison;
      return true;
    }
  if (word == "sat")
    video.saturate = true;
  else if (word == "po")
    video.plusOne = true;
  else if (word == "shr7")
    video.scale = 7;
  else if (word == "shr15")
    video.scale = 15;
  else if (word == "clamp")
    video.clampShift = true;
  else if (word == "add")
    video.second = Second::Add;
  else if (word == "min")
    video.second = Second::Min;
  else if (word == "max")
    video.second = Second::Max;
  else
    return word == "wrap";
  return true;
}

std::optional<Video> parseVideo(std::string_view text) {
  static constexpr std::pair<std::string_view, VideoOp> names[] = {
      {"vadd", VideoOp::Add},       {"vsub", VideoOp::Sub},        {"vabsdiff", VideoOp::AbsDiff},
      {"vmin", VideoOp::Min},       {"vmax", VideoOp::Max},        {"vavrg", VideoOp::Average},
      {"vshl", VideoOp::ShiftLeft}, {"vshr", VideoOp::ShiftRight}, {"vmad", VideoOp::Mad},
      {"vset", VideoOp::Set}};
  Video video;
  text = trim(text);
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos)
    return std::nullopt;
  const std::vector<std::string_view> words = split(text.substr(0, blank), '.');
  std::string_view name = words[0];
  if (name.ends_with('2') || name.ends_with('4')) {
    video.lanes = name.back() - '0';
    name.remove_suffix(1);
  }
  const auto *known =
      std::find_if(std::begin(names), std::end(names), [&](const auto &pair) { return pair.first == name; });
  if (known == std::end(names))
    return std::nullopt;
  video.op = known->second;
  std::vector<bool> types;
  for (size_t i = 1; i < words.size(); ++i)
    if (words[i] == "u32" || words[i] == "s32")
      types.push_back(words[i] == "s32");
    else if (!readWord(video, words[i]))
      return std::nullopt;
  if (video.op == VideoOp::Set)
    types.insert(types.begin(), false); // the result of a comparison is unsigned
  if (types.size() != 3)
    return std::nullopt;
  video.dSigned = types[0];
  video.aSigned = types[1];
  video.bSigned = types[2];

  const std::vector<std::string_view> operands = split(text.substr(blank + 1), ',');
  if (operands.size() < 3)
    return std::nullopt;
  bool unused;
  const std::string_view d = suffixOf(operands[0], unused), a = suffixOf(operands[1], video.negateA),
                         b = suffixOf(operands[2], video.negateB);
  if (operands.size() > 3)
    suffixOf(operands[3], video.negateC);
  if (video.lanes == 1) {
    video.merges = !d.empty();
    video.d = partOf(d);
    video.a = partOf(a);
    video.b = partOf(b);
    return video;
  }
  readLanes(a, video.lanes, 0, video.aLane);
  readLanes(b, video.lanes, video.lanes, video.bLane);
  for (char digit : d.empty() ? std::string_view() : d.substr(1))
    video.mask |= 1 << (digit - '0');
  if (d.empty())
    video.mask = (1 << video.lanes) - 1;
  return video;
}

// ----------------------------------------------------------------------------------------
// computing

static int64_t extract(uint32_t value, Part part, bool isSigned) {
  const uint64_t field = (static_cast<uint64_t>(value) >> part.shift) & ((1ull << part.bits) - 1);
  if (isSigned && field >> (part.bits - 1))
    return static_cast<int64_t>(field) - (1ll << part.bits);
  return field;
}

static Wide clampTo(Wide value, unsigned bits, bool isSigned) {
  const Wide most = isSigned ? (Wide(1) << (bits - 1)) - 1 : (Wide(1) << bits) - 1;
  const Wide least = isSigned ? -(Wide(1) << (bits - 1)) : 0;
  return std::clamp(value, least, most);
}

static bool compare(Comparison comparison, int64_t a, int64_t b) {
  switch (comparison) {
  case Comparison::Eq: return a == b;
  case Comparison::Ne: return a != b;
  case Comparison::Lt: return a < b;
  case Comparison::Le: return a <= b;
  case Comparison::Gt: return a > b;
  case Comparison::Ge: return a >= b;
  }
  return false;
}

/// Computes the first stage for one pair of values.
static Wide operate(const Video &video, int64_t a, int64_t b) {
  switch (video.op) {
  case VideoOp::Add: return a + b;
  case VideoOp::Sub: return a - b;
  case VideoOp::AbsDiff: return a > b ? a - b : b - a;
  case VideoOp::Min: return std::min(a, b);
  case VideoOp::Max: return std::max(a, b);
  case VideoOp::Average: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
  case VideoOp::Set: return compare(video.comparison, a, b);
  case VideoOp::ShiftLeft:
  case VideoOp::ShiftRight: {
    const int64_t amount = video.clampShift ? std::min<int64_t>(b, 32) : b & 0x1f;
    return video.op == VideoOp::ShiftLeft ? Wide(a) * (Wide(1) << amount) : Wide(a) >> amount;
  }
  case VideoOp::Mad: break; // has stages of its own
  }
  return 0;
}

/// Returns the low bits as a signed number.
static int64_t signedBits(Wide value, unsigned bits) {
  const unsigned above = 64 - bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << above) >> above;
}

static uint32_t evaluateMad(const Video &video, uint32_t a, uint32_t b, uint32_t c, Reading reading) {
  const bool negateProduct = video.negateA != video.negateB;
  const bool isSigned = video.aSigned || video.bSigned || negateProduct || video.negateC;
  if (reading == Reading::Sequence) { // whole words are multiplied and c is added as signed numbers
    Wide tmp = Wide(extract(a, video.a, video.aSigned || video.a.bits == 32)) *
               extract(b, video.b, video.bSigned || video.b.bits == 32);
    const Wide third = static_cast<int32_t>(c);
    tmp = (negateProduct ? -tmp : tmp) + (video.negateC ? -third : third) + video.plusOne;
    const int64_t low = static_cast<int64_t>(tmp);
    const int64_t shifted =
        video.scale && !isSigned ? static_cast<int64_t>(static_cast<uint64_t>(low) >> video.scale) : low >> video.scale;
    return video.saturate ? clampTo(shifted, 32, isSigned) : shifted;
  }
  Wide tmp = Wide(extract(a, video.a, video.aSigned)) * extract(b, video.b, video.bSigned);
  int lsb = 0;
  if (video.plusOne) {
    lsb = 1;
  } else if (negateProduct) {
    tmp = ~tmp;
    lsb = 1;
  } else if (video.negateC) {
    c = ~c;
    lsb = 1;
  }
  tmp += (isSigned ? Wide(static_cast<int32_t>(c)) : Wide(c)) + lsb;
  const uint64_t shifted = static_cast<uint64_t>(tmp >> video.scale);
  if (!video.saturate)
    return shifted;
  return isSigned ? clampTo(static_cast<int64_t>(shifted), 32, true) : clampTo(Wide(shifted), 32, false);
}

/// Combines the intermediate result with the third operand: by a second operation, or by keeping the operand's other
/// bits.
static uint32_t finish(const Video &video, Wide tmp, Wide third, uint32_t c) {
  switch (video.second) {
  case Second::Add: tmp += third; break;
  case Second::Min: tmp = std::min(tmp, third); break;
  case Second::Max: tmp = std::max(tmp, third); break;
  case Second::None: break;
  }
  if (!video.merges)
    return tmp;
  const uint32_t field = ((1u << video.d.bits) - 1) << video.d.shift;
  return ((static_cast<uint32_t>(tmp) << video.d.shift) & field) | (c & ~field);
}

static uint32_t evaluateSequence(const Video &video, Wide first, uint32_t c) {
  const bool shifts = video.op == VideoOp::ShiftLeft || video.op == VideoOp::ShiftRight;
  Wide tmp = signedBits(first, video.saturate ? 34 : 64);
  if (video.saturate && shifts) { // saturates the whole word, even if only a part of it is kept
    tmp = clampTo(tmp, 32, video.dSigned);
  } else if (video.saturate && video.merges) { // a negative value counts as a high one
    const Wide most = (Wide(1) << (video.d.bits - video.dSigned)) - 1;
    tmp = tmp < 0 ? most : std::min(tmp, most);
  } else if (video.saturate) { // without a sign, only the lower bound is checked
    tmp = video.dSigned ? clampTo(tmp, 32, true) : std::max<Wide>(tmp, 0);
  }
  // A comparison has the sign of a. Minimum and maximum compare 64 bits, and most values have been extended to that
  // size by their highest bit.
  const bool isSigned = video.op == VideoOp::Set ? video.aSigned : video.dSigned;
  if (video.second == Second::Min || video.second == Second::Max) {
    if (video.op == VideoOp::Add || video.op == VideoOp::Sub || (shifts && video.saturate))
      tmp = signedBits(tmp, 32);
    if (!isSigned)
      tmp = static_cast<uint64_t>(tmp);
  }
  return finish(video, tmp, extract(c, {}, isSigned), c);
}

static uint32_t evaluateScalar(const Video &video, uint32_t a, uint32_t b, uint32_t c, Reading reading) {
  const Wide first = operate(video, extract(a, video.a, video.aSigned), extract(b, video.b, video.bSigned));
  if (reading == Reading::Sequence)
    return evaluateSequence(video, first, c);
  // The intermediate result has 34 bits, even for a shift by 32, and 33 bits after saturation.
  Wide tmp = signedBits(first, 34);
  if (video.saturate)
    tmp = clampTo(tmp, video.d.bits, video.dSigned);
  return finish(video, signedBits(tmp, 33), extract(c, {}, video.dSigned), c);
}

static uint32_t evaluateLanes(const Video &video, uint32_t a, uint32_t b, uint32_t c) {
  const uint8_t bits = 32 / video.lanes;
  const uint32_t laneMask = (1u << bits) - 1;
  auto lane = [&](unsigned index, bool isSigned) {
    const Part part{bits, static_cast<uint8_t>(index % video.lanes * bits)};
    return extract(index < video.lanes ? a : b, part, isSigned);
  };
  uint32_t d = video.second == Second::Add ? c : 0;
  for (unsigned i = 0; i < video.lanes; ++i) {
    Wide t = operate(video, lane(video.aLane[i], video.aSigned), lane(video.bLane[i], video.bSigned));
    if (video.saturate)
      t = clampTo(t, bits, video.dSigned);
    const bool kept = video.mask >> i & 1;
    const unsigned shift = i * bits;
    if (video.second == Second::Add)
      d += kept ? static_cast<uint32_t>(t) : 0;
    else
      d |= kept ? (static_cast<uint32_t>(t) & laneMask) << shift : c & (laneMask << shift);
  }
  return d;
}

uint32_t evaluate(const Video &video, uint32_t a, uint32_t b, uint32_t c, Reading reading) {
  if (video.op == VideoOp::Mad)
    return evaluateMad(video, a, b, c, reading);
  return video.lanes == 1 ? evaluateScalar(video, a, b, c, reading) : evaluateLanes(video, a, b, c);
}

} // namespace ptxray::device
