// Matrices in shared memory: swizzle atoms, the canonical layouts that a descriptor can express, and the padding of
// elements narrower than a byte.
#include "Layout/Canonical.h"
#include "Layout/Instructions.h"
#include "llvm/ADT/StringSwitch.h"

namespace ptxray::layout {

const SwizzleMode *findSwizzle(llvm::StringRef name) {
  for (const SwizzleMode &mode : swizzleModes)
    if (name == mode.name)
      return &mode;
  return nullptr;
}

Layout canonicalLayout(const CanonicalRequest &request) {
  const SwizzleMode &mode = *request.swizzle;
  const uint32_t t = 128 / request.bits,
                 width = mode.bytes / 16; // chunks of 16 bytes in a swizzled row
  Layout layout;
  layout.name = request.kMajor ? "K-major" : "MN-major";
  layout.store = Store::SharedMemory;
  layout.elementBits = request.bits;
  layout.elementNames[Row] = "mn";
  layout.elementNames[Column] = "k";
  layout.swizzle = {mode.swizzleBits, mode.swizzleBase, mode.swizzleShift};
  layout.source = "PTX ISA 9.7.16.3.3, 9.7.16.10.6; cute mma_sm100_desc.hpp";
  const uint32_t chunk = 128, bits = request.bits;
  const uint32_t leading = request.leadingBytes * 8, stride = request.strideBytes * 8;
  if (request.kMajor) {
    const bool plain = mode.bytes == 16;
    layout.count(t, Bit, bits, Column, 1);
    layout.count(plain ? request.k / t : std::min(request.k / t, width), Bit, plain ? leading : chunk, Column, t);
    layout.count(8, Bit, chunk * width, Row, 1).count(request.mn / 8, Bit, stride, Row, 8);
  } else {
    const bool plain = mode.bytes == 16;
    const uint32_t deep = mode.swizzleBase == 5 ? 4 : 8; // rows of an atom
    layout.count(t, Bit, bits, Row, 1).count(width, Bit, chunk, Row, t);
    layout.count(deep, Bit, chunk * width, Column, 1);
    layout.count(request.mn / (t * width), Bit, plain ? stride : leading, Row, t * width);
    layout.count(request.k / deep, Bit, plain ? leading : stride, Column, deep);
  }
  layout.what = (llvm::Twine(size(layout, Row)) + "x" + llvm::Twine(size(layout, Column)) + " elements of " +
                 llvm::Twine(bits) + " bits, " + mode.title)
                    .str();
  layout.notes.push_back("Swizzle<" + std::to_string(mode.swizzleBits) + "," + std::to_string(mode.swizzleBase) + "," +
                         std::to_string(mode.swizzleShift) + "> o " + canonicalShape(request, true));
  layout.notes.push_back("canonical: " + canonicalShape(request, false) + ", T = " + std::to_string(t));
  layout.notes.push_back("each cell shows the offset of its elements in bytes, in hexadecimal");
  return layout;
}

std::string canonicalShape(const CanonicalRequest &request, bool exact) {
  const SwizzleMode &mode = *request.swizzle;
  const uint32_t t = 128 / request.bits, width = mode.bytes / 16, deep = mode.swizzleBase == 5 ? 4 : 8;
  auto times = [&](uint32_t factor) {
    return exact ? std::to_string(factor * t) : factor == 1 ? std::string("1T") : std::to_string(factor) + "T";
  };
  auto bytes = [&](const char *name, uint32_t value) {
    return exact ? std::to_string(uint64_t(value) * 8 / request.bits) : std::string(name);
  };
  const std::string T = exact ? std::to_string(t) : "T";
  const std::string lbo = bytes("LBO", request.leadingBytes), sbo = bytes("SBO", request.strideBytes);
  if (request.kMajor) {
    const std::string m = exact ? std::to_string(request.mn / 8) : "m";
    const std::string k = exact ? std::to_string(request.k / t) : "2k";
    return "((8," + m + "),(" + T + "," + k + ")):((" + times(width) + "," + sbo + "),(1," + (width == 1 ? lbo : T) +
           "))";
  }
  const std::string m = exact ? std::to_string(request.mn / (t * width)) : "m";
  const std::string k = exact ? std::to_string(request.k / deep) : "k";
  return "((" + T + "," + std::to_string(width) + "," + m + "),(" + std::to_string(deep) + "," + k + ")):((1," + T +
         "," + (width == 1 ? sbo : lbo) + "),(" + times(width) + "," + (width == 1 ? lbo : sbo) + "))";
}

/// Sets default strides, which pack atoms first along MN, then along K; in MN-major order vice versa.
static void setStrides(CanonicalRequest &canonical, uint32_t width, uint32_t deep, const Request &request) {
  const uint32_t atom = canonical.swizzle->bytes * deep, t = 128 / canonical.bits;
  if (canonical.kMajor || width == 1) {
    canonical.strideBytes = request.number("sbo", atom);
    const uint32_t column = canonical.mn / (canonical.kMajor ? 8 : t) * canonical.strideBytes;
    canonical.leadingBytes = request.number("lbo", width == 1 ? column : 16);
  } else {
    canonical.leadingBytes = request.number("lbo", atom);
    canonical.strideBytes = request.number("sbo", canonical.mn / (t * width) * canonical.leadingBytes);
  }
}

Answer describeSharedMemory(const Words &, const Request &request) {
  llvm::StringRef type = request.text("type");
  type.consume_front(".");
  const uint32_t bits = type.empty() ? 16 : bitsOfType(type);
  if (bits == 4 || bits == 6) {
    Answer answer;
    answer.layouts = {sixteenElements(bits, true)};
    answer.notes.push_back(bits == 4 ? "for .kind::mxf4 and .kind::mxf4nvf4 elements of 4 bits have no padding"
                                     : "each 16 bytes count as one unit of the swizzle");
    return answer;
  }
  if (bits != 8 && bits != 16 && bits != 32)
    return Answer::refuse("`" + type.str() + "` is not an element type of a matrix in shared memory");
  CanonicalRequest canonical;
  const llvm::StringRef swizzle = request.text("swizzle"), major = request.text("major");
  canonical.swizzle = findSwizzle(swizzle.empty() ? "128B" : swizzle);
  if (!canonical.swizzle)
    return Answer::refuse("a swizzle is none, 32B, 64B, 128B or 128B-base32B");
  canonical.kMajor = major.empty() || major == "k";
  if (canonical.kMajor && !canonical.swizzle->hasKMajor())
    return Answer::refuse("128B with atoms of 32 bytes has no K-major layout (Table 53)");
  canonical.bits = bits;
  const uint32_t t = 128 / bits, width = canonical.swizzle->bytes / 16;
  const uint32_t deep = canonical.swizzle->swizzleBase == 5 ? 4 : 8;
  // The default size is one atom, or two along K if the atom is only 16 bytes wide.
  canonical.mn = request.number("mn", canonical.kMajor ? 8 : t * width);
  canonical.k = request.number("k", canonical.kMajor ? t * width : deep);
  const uint32_t mnUnit = canonical.kMajor ? 8 : t * width, kUnit = canonical.kMajor ? t : deep;
  if (uint64_t(canonical.mn) * canonical.k * bits / 8 > 1 << 18)
    return Answer::refuse("the matrix exceeds the size of shared memory");
  if (!canonical.mn || !canonical.k || canonical.mn % mnUnit || canonical.k % kUnit)
    return Answer::refuse("here mn is a multiple of " + std::to_string(mnUnit) + ", k of " + std::to_string(kUnit));
  if (canonical.kMajor && width > 1 && canonical.k > t * width)
    return Answer::refuse("a row of a K-major atom ends after " + std::to_string(t * width) +
                          " elements; the next atom is another descriptor's");
  setStrides(canonical, width, deep, request);
  constexpr uint32_t mostBytes = 1 << 18; // limit of addresses in a descriptor
  for (const uint32_t bytes : {canonical.leadingBytes, canonical.strideBytes})
    if (bytes % 16 || bytes >= mostBytes)
      return Answer::refuse("a stride is a multiple of 16 bytes below " + std::to_string(mostBytes) + ", not " +
                            std::to_string(bytes));
  Answer answer;
  answer.layouts = {canonicalLayout(canonical)};
  auto stride = [&](const char *name, uint32_t bytes, bool used) {
    answer.notes.push_back(used ? (name + llvm::Twine(" = ") + llvm::Twine(bytes) + " bytes, in the descriptor " +
                                   llvm::Twine((bytes & 0x3FFFF) >> 4))
                                      .str()
                                : std::string(name) + " is not used; 1 is assumed");
  };
  stride("LBO", canonical.leadingBytes, !canonical.kMajor || width == 1);
  stride("SBO", canonical.strideBytes, true);
  return answer;
}

Layout sixteenElements(uint32_t bits, bool padded) {
  Layout layout;
  layout.name = padded ? "padded" : "packed";
  layout.what = "16 elements of " + std::to_string(bits) + " bits";
  if (padded)
    layout.what += " and " + std::to_string(128 - 16 * bits) + " bits of padding";
  layout.source = padded ? "PTX ISA 9.7.16.9.1, 9.7.16.10.4.4"
                         : "PTX ISA 9.4, 9.7.16.5.15; sm_90 (docs/reference/device-report.md)";
  layout.store = Store::SharedMemory;
  layout.elementBits = bits;
  layout.elementNames[Column] = "element";
  layout.count(16, Bit, bits, Column, 1);
  const std::string first = std::to_string(bits) + "i";
  layout.notes.push_back("element i has bits " + first + " to " + first + "+" + std::to_string(bits - 1) +
                         ", counted from the lowest bit of the first byte");
  return layout;
}

Layout elementInByte(llvm::StringRef type) {
  // A 6-bit element fills the lower six bits; a 4-bit one is stored like an E2M3 with two zero bits after it.
  const uint32_t bits = bitsOfType(type);
  const uint32_t exponent = type[1] - '0', mantissa = type[3] - '0';
  Layout layout;
  layout.name = "byte of ." + type.str();
  layout.store = Store::SharedMemory;
  layout.elementBits = 1;
  layout.elementNames[Column] = "bit";
  layout.origin[Bit] = 6 - bits;
  layout.count(bits, Bit, 1, Column, 1);
  layout.what = "00" + std::string("S") + std::string(exponent, 'E') + std::string(mantissa, 'M') +
                std::string(6 - bits, '0') + ", the highest bit first";
  layout.source = "PTX ISA 9.7.16.9.1, 9.7.16.10.4.3; cute mma_traits_sm120.hpp (fp4_shift_A)";
  return layout;
}

} // namespace ptxray::layout
