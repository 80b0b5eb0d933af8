#include "Layout/Canonical.h"
#include "Layout/Instructions.h"
#include "Layout/Show.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace ptxray::layout;

namespace {

Answer ask(const std::string &instruction, std::map<std::string, std::string> settings = {}) {
  Request request;
  request.instruction = instruction;
  for (const auto &[key, value] : settings)
    if (key == "arch")
      request.arch = value;
    else
      request.settings[key] = value;
  Answer answer = describe(request);
  EXPECT_EQ(answer.complaint, "") << instruction;
  return answer;
}

Layout operand(const Answer &answer, const std::string &name) {
  for (const Layout &layout : answer.layouts)
    if (layout.name == name)
      return layout;
  ADD_FAILURE() << "no operand " << name;
  return {};
}

/// Checks that every element has a place, that no two share a bit, and that both directions agree.
void checkIsSound(const Layout &layout, const std::string &what) {
  std::vector<Place> places;
  std::vector<Element> elements;
  bool inverse = true;
  forEach(layout, [&](Element element, Place place) {
    elements.push_back(element);
    places.push_back(place);
    const auto back = elementAt(layout, place);
    inverse &= back && *back == element && llvm::is_contained(placesOf(layout, element), place);
  });
  std::sort(places.begin(), places.end());
  bool clash = false;
  for (size_t i = 1; i < places.size(); ++i) {
    Place next = places[i - 1];
    next[Bit] += std::max<uint32_t>(layout.elementBits, 1);
    clash |= places[i] < next;
  }
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  EXPECT_FALSE(clash) << what << ": two elements at one place";
  EXPECT_TRUE(inverse) << what << ": the directions disagree";
  EXPECT_EQ(elements.size(), size_t(size(layout, Row)) * size(layout, Column) * size(layout, Matrix))
      << what << ": elements are missing";
}

/// Checks that every bit of every register of every thread holds something.
void checkFills(const Layout &layout, uint32_t threads, const std::string &what) {
  uint64_t bits = 0;
  forEach(layout, [&](Element, Place) { bits += layout.elementBits; });
  EXPECT_EQ(size(layout, Lane), threads) << what;
  EXPECT_EQ(bits, uint64_t(threads) * size(layout, Word) * layout.wordBits) << what;
}

const char *const mmaShapes[] = {"m8n8k4.f64",   "m16n8k4.f64",   "m16n8k8.f64",   "m16n8k16.f64",  "m16n8k8.f16",
                                 "m16n8k16.f16", "m16n8k8.bf16",  "m16n8k16.bf16", "m16n8k4.tf32",  "m16n8k8.tf32",
                                 "m8n8k16.s8",   "m16n8k16.u8",   "m16n8k32.s8",   "m16n8k32.e4m3", "m16n8k16.e5m2",
                                 "m8n8k32.s4",   "m16n8k32.u4",   "m16n8k64.s4",   "m8n8k128.b1",   "m16n8k128.b1",
                                 "m16n8k256.b1", "m16n8k64.e2m1", "m16n8k32.e2m1", "m16n8k32.e3m2"};
const char *const sparseShapes[] = {"m16n8k16.f16", "m16n8k32.bf16", "m16n8k8.tf32", "m16n8k16.tf32", "m16n8k32.s8",
                                    "m16n8k64.u8",  "m16n8k64.e4m3", "m16n8k64.u4",  "m16n8k128.s4",  "m16n8k128.e2m1"};

TEST(Layout, MmaFragmentsAreSoundAndFill) {
  for (const char *shape : mmaShapes)
    for (const Layout &layout : ask(std::string("mma.") + shape).layouts) {
      const std::string what = shape + (" " + layout.name);
      checkIsSound(layout, what);
      checkFills(layout, 32, what);
    }
}

TEST(Layout, SparseFragmentsAreSound) {
  for (const char *shape : sparseShapes)
    for (const Layout &layout : ask(std::string("mma.sp.") + shape).layouts) {
      checkIsSound(layout, shape + (" " + layout.name));
      if (layout.name != "metadata")
        checkFills(layout, 32, shape + (" " + layout.name));
    }
}

/// A thread that selects metadata for others fills its register; all selectors together use every
/// thread.
TEST(Layout, SelectorsShareTheThreadsOfAWarp) {
  for (const char *shape : sparseShapes) {
    std::set<uint32_t> lanes;
    uint64_t bits = 0, each = 0;
    for (int selector = 0; selector < 4; ++selector) {
      Request request;
      request.instruction = std::string("mma.sp.") + shape;
      request.settings["selector"] = std::to_string(selector);
      const Answer answer = describe(request);
      if (!answer.complaint.empty())
        break;
      const Layout layout = operand(answer, "metadata");
      each = 0;
      forEach(layout, [&](Element, Place place) {
        lanes.insert(place[Lane]);
        each += 4;
      });
      bits += each;
    }
    EXPECT_EQ(lanes.size(), 32u) << shape;
    EXPECT_EQ(bits, 32u * 32u) << shape;
  }
}

/// The formulas of PTX ISA 9.7.14.5.8 (.f16), .10 (.u8) and .11 (.s4), as they stand there.
TEST(Layout, ManualFormulasOfMma) {
  auto at = [](const Layout &layout, uint32_t lane, uint32_t i) {
    const uint32_t run = std::max(1, 32 / layout.elementBits);
    return *elementAt(layout, {0, lane, i / run, i % run * layout.elementBits});
  };
  const Answer half = ask("mma.m16n8k16.f16"), bytes = ask("mma.m16n8k32.u8"), nibbles = ask("mma.m16n8k64.s4");
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t group = lane >> 2, inGroup = lane % 4;
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t row = i < 2 || (4 <= i && i < 6) ? group : group + 8;
      EXPECT_EQ(at(operand(half, "A"), lane, i), (Element{row, inGroup * 2 + (i & 1) + (i < 4 ? 0 : 8), 0}));
    }
    for (uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(at(operand(half, "B"), lane, i), (Element{inGroup * 2 + (i & 1) + (i < 2 ? 0 : 8), group, 0}));
      EXPECT_EQ(at(operand(half, "D"), lane, i), (Element{i < 2 ? group : group + 8, inGroup * 2 + (i & 1), 0}));
    }
    for (uint32_t i = 0; i < 16; ++i) {
      const uint32_t row = i < 4 || (8 <= i && i < 12) ? group : group + 8;
      EXPECT_EQ(at(operand(bytes, "A"), lane, i), (Element{row, inGroup * 4 + (i & 3) + (i < 8 ? 0 : 16), 0}));
    }
    for (uint32_t i = 0; i < 32; ++i) {
      const uint32_t row = i < 8 || (16 <= i && i < 24) ? group : group + 8;
      EXPECT_EQ(at(operand(nibbles, "A"), lane, i), (Element{row, inGroup * 8 + (i & 7) + (i < 16 ? 0 : 32), 0}));
    }
  }
}

/// The formulas of PTX ISA 9.7.14.5.1 and .2.
TEST(Layout, ManualFormulasOfSmallMma) {
  const Answer rowColumn = ask("mma.m8n8k4.row.col.f32.f16.f16.f32"),
               columnRow = ask("mma.m8n8k4.col.row.f16.f16.f16.f16");
  for (const Answer *answer : {&rowColumn, &columnRow})
    for (const Layout &layout : answer->layouts) {
      checkIsSound(layout, "m8n8k4 " + layout.name);
      checkFills(layout, 32, "m8n8k4 " + layout.name);
    }
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t quad = lane / 4 % 4, high = lane < 16 ? 0 : 4, in = lane % 4;
    auto at = [&](const Layout &layout, uint32_t i) {
      const uint32_t run = 32 / layout.elementBits;
      return *elementAt(layout, {0, lane, i / run, i % run * layout.elementBits});
    };
    for (uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(at(operand(rowColumn, "A"), i), (Element{in + high, i, quad}));
      EXPECT_EQ(at(operand(columnRow, "A"), i), (Element{i + high, in, quad}));
      EXPECT_EQ(at(operand(columnRow, "B"), i), (Element{in, i + high, quad}));
      EXPECT_EQ(at(operand(rowColumn, "B"), i), (Element{i, in + high, quad}));
    }
    for (uint32_t i = 0; i < 8; ++i) {
      EXPECT_EQ(at(operand(columnRow, "D"), i), (Element{in + high, i, quad}));
      EXPECT_EQ(at(operand(rowColumn, "D"), i),
                (Element{(lane & 1) + (i & 2) + high, (i & 4) + (lane & 2) + (i & 1), quad}));
    }
  }
}

TEST(Layout, WarpgroupFragmentsAreSoundAndFill) {
  for (const char *shape : {"m64n8k16.f32.f16.f16", "m64n256k16.f16.f16.f16", "m64n96k8.f32.tf32.tf32",
                            "m64n128k32.f32.e4m3.e5m2", "m64n24k32.s32.u8.s8", "m64n48k256.s32.b1.b1"})
    for (const Layout &layout : ask(std::string("wgmma.mma_async.") + shape).layouts) {
      checkIsSound(layout, shape + (" " + layout.name));
      checkFills(layout, 128, shape + (" " + layout.name));
    }
  for (const char *shape : {"m64n8k32.f32.f16.f16", "m64n16k16.f32.tf32.tf32", "m64n8k64.f32.e4m3.e4m3"})
    for (const Layout &layout : ask(std::string("wgmma.mma_async.sp.") + shape).layouts)
      checkIsSound(layout, shape + (" " + layout.name));
}

TEST(Layout, MatricesToAndFromSharedMemory) {
  for (const char *form :
       {"ldmatrix.m8n8.x1.b16", "ldmatrix.m8n8.x4.trans.b16", "ldmatrix.m16n16.x2.trans.b8",
        "ldmatrix.m8n16.x4.b8x16.b4x16_p64", "ldmatrix.m8n16.x2.s8.s4", "ldmatrix.m16n16.x1.trans.b8x16.b6x16_p32",
        "stmatrix.m8n8.x2.b16", "stmatrix.m8n8.x4.trans.b16", "stmatrix.m16n8.x4.trans.b8"}) {
    const Answer answer = ask(form);
    checkIsSound(answer.layouts[0], form);
    checkFills(answer.layouts[0], 32, form);
    checkIsSound(answer.layouts[1], form);
    EXPECT_EQ(size(answer.layouts[1], Column), size(answer.layouts[0], Matrix)) << form;
  }
  // Transposed, a thread gets the elements that the thread with rows and columns exchanged gets without transposing.
  const Layout plain = ask("ldmatrix.m8n8.x1.b16").layouts[0], turned = ask("ldmatrix.m8n8.x1.trans.b16").layouts[0];
  forEach(plain, [&](Element element, Place place) {
    EXPECT_EQ(placesOf(turned, {element[Column], element[Row], 0}).front(), place);
  });
  // Signed 4-bit elements lie in rows of 8 bytes (docs/reference/device-report.md) and become bytes.
  const Answer widened = ask("ldmatrix.m8n16.x4.s8.s4");
  EXPECT_EQ(*elementAt(operand(widened, "matrix"), {0, 31, 3, 24}), (Element{7, 15, 3}));
  EXPECT_EQ(placesOf(operand(widened, "packed"), {0, 15, 0}).front(), (Place{0, 0, 0, 60}));
  EXPECT_NE(operand(widened, "addresses").what.find("8 bytes"), std::string::npos);
  // The table of threads that give the addresses.
  const Layout four = operand(ask("ldmatrix.m8n8.x4.b16"), "addresses");
  for (uint32_t lane = 0; lane < 32; ++lane)
    EXPECT_EQ(*elementAt(four, {0, lane, 0, 0}), (Element{lane % 8, lane / 8, 0}));
}

TEST(Layout, TensorLoadsCoverTheirLanesAndColumns) {
  struct Shape {
    const char *name;
    uint32_t lanes, columns, registers, most;
  };
  for (const Shape &shape :
       {Shape{"32x32b", 32, 1, 1, 128}, Shape{"16x64b", 16, 2, 1, 128}, Shape{"16x128b", 16, 4, 2, 64},
        Shape{"16x256b", 16, 8, 4, 32}, Shape{"16x32bx2", 16, 2, 1, 128}})
    for (uint32_t times : {1u, 2u, 8u, shape.most})
      for (const char *pack : {"", ".pack::16b"}) {
        const std::string form =
            std::string("tcgen05.ld.sync.aligned.") + shape.name + ".x" + std::to_string(times) + pack + ".b32";
        const Layout layout = ask(form).layouts.front();
        checkIsSound(layout, form);
        checkFills(layout, 32, form);
        EXPECT_EQ(size(layout, Row), shape.lanes) << form;
        EXPECT_EQ(size(layout, Column), shape.columns * times * (*pack ? 2 : 1)) << form;
        EXPECT_EQ(size(layout, Word), shape.registers * times) << form; // Tables 47 and 48
      }
}

TEST(Layout, DataPathLayouts) {
  struct Case {
    char name;
    const char *instruction;
    uint32_t m, lanes;
  };
  for (const Case &c : {Case{'A', "tcgen05.mma.cta_group::2.kind::f16", 256, 128},
                        Case{'B', "tcgen05.mma.cta_group::2.kind::f16", 128, 128},
                        Case{'C', "tcgen05.mma.sp.cta_group::2.kind::f16", 128, 112},
                        Case{'D', "tcgen05.mma.cta_group::1.kind::f16", 128, 128},
                        Case{'E', "tcgen05.mma.ws.cta_group::1.kind::f16", 64, 128},
                        Case{'F', "tcgen05.mma.cta_group::1.kind::f16", 64, 112},
                        Case{'G', "tcgen05.mma.ws.cta_group::1.kind::f16", 32, 128}}) {
    const Answer answer = ask(c.instruction, {{"m", std::to_string(c.m)}, {"n", "64"}});
    for (const Layout &layout : answer.layouts)
      checkIsSound(layout, std::string(1, c.name) + " " + layout.name);
    const Layout d = operand(answer, "D");
    EXPECT_NE(d.notes.front().find(std::string("Layout ") + c.name), std::string::npos);
    EXPECT_EQ(size(d, Lane), c.lanes);
    // If a layout uses all lanes, it fills its columns: lanes times columns is rows times columns.
    std::set<std::array<uint32_t, 3>> cells;
    forEach(d, [&](Element, Place place) { cells.insert({place[Cta], place[Lane], place[Word]}); });
    EXPECT_EQ(cells.size(), c.m * 64u);
    const uint32_t ctas = size(d, Cta), words = size(d, Word);
    EXPECT_EQ(cells.size() * (c.lanes == 112 ? 2 : 1), ctas * words * 128u);
  }
  // The layouts that use half of the lanes start at lane 0 or 16, and two of them fill the memory together.
  std::set<std::array<uint32_t, 2>> cells;
  for (const char *offset : {"0", "16"})
    forEach(
        operand(ask("tcgen05.mma.cta_group::1.kind::f16", {{"m", "64"}, {"n", "32"}, {"lane-offset", offset}}), "D"),
        [&](Element, Place place) { cells.insert({place[Lane], place[Word]}); });
  EXPECT_EQ(cells.size(), 128u * 32u);
}

TEST(Layout, ScaleFactorsFillTheirBytes) {
  struct Case {
    const char *words;
    const char *k;
    uint32_t factors;
    std::vector<int> ids;
  };
  for (const Case &c : {Case{"kind::mxf8f6f4.block_scale.scale_vec::1X", "32", 1, {0, 1, 2, 3}},
                        Case{"kind::mxf4.block_scale.scale_vec::2X", "64", 2, {0, 2}},
                        Case{"kind::mxf4nvf4.block_scale.scale_vec::4X", "64", 4, {0}},
                        Case{"kind::mxf4.block_scale.block32", "96", 3, {0, 1, 2, 3}},
                        Case{"kind::mxf4nvf4.block_scale.block16", "96", 6, {0, 2}}})
    for (const char *n : {"64", "128", "256"})
      for (int id : c.ids) {
        const Answer answer =
            ask(std::string("tcgen05.mma.cta_group::1.") + c.words,
                {{"n", n}, {"k", c.k}, {"sfa-id", std::to_string(id)}, {"sfb-id", std::to_string(id)}});
        const Layout a = operand(answer, "scale-a"), b = operand(answer, "scale-b");
        checkIsSound(a, std::string(c.words) + " A");
        checkIsSound(b, std::string(c.words) + " B");
        EXPECT_EQ(size(a, Column), c.factors);
        EXPECT_EQ(size(b, Row), c.factors);
        // The first factor is the byte that the id names. Factors that do not fit into the word lie after all rows.
        EXPECT_EQ(placesOf(a, {0, 0, 0}).front(), (Place{0, 0, 0, uint32_t(8 * id)}));
        const uint32_t last = id + c.factors - 1;
        EXPECT_EQ(placesOf(a, {127, c.factors - 1, 0}).front(), (Place{0, 31, 3 + last / 4 * 4, last % 4 * 8}));
        EXPECT_EQ(placesOf(a, {0, 0, 0}).size(), 4u);
      }
}

TEST(Layout, TensorMetadataIsAWordForEachLane) {
  for (const char *kind : {"f16", "tf32", "f8f6f4", "i8", "ti16"})
    for (const char *m : {"64", "128"})
      for (const char *selector : {"0", "1"}) {
        if (*selector == '1' && kind[0] != 'f' && kind[0] != 't')
          continue;
        if (*selector == '1' && std::string(kind) == "f8f6f4")
          continue;
        const Layout layout =
            operand(ask(std::string("tcgen05.mma.sp.cta_group::1.kind::") + kind, {{"m", m}, {"selector", selector}}),
                    "metadata");
        checkIsSound(layout, std::string(kind) + " M " + m);
        std::map<std::array<uint32_t, 2>, uint32_t> bits;
        forEach(layout, [&](Element, Place place) { bits[{place[Lane], place[Word]}] += 4; });
        for (const auto &[cell, count] : bits)
          EXPECT_EQ(count, 32u) << kind << " M " << m;
      }
}

/// Compares with the parameters of the manual's examples in 9.7.16.3.3. The second example (K-major, 32 bytes) shows
/// two tiles along K, which would share addresses. One tile is right.
TEST(Layout, CanonicalLayoutsOfTheManual) {
  struct Case {
    const char *type, *major, *swizzle, *mn, *k, *exact, *canonical;
    const char *lbo, *sbo;
  };
  for (const Case &c :
       {Case{"tf32", "k", "none", "16", "16", "Swizzle<0,4,3> o ((8,2),(4,4)):((4,32),(1,64))",
             "((8,m),(T,2k)):((1T,SBO),(1,LBO)), T = 4", "in the descriptor 16", "in the descriptor 8"},
        Case{"tf32", "k", "32B", "16", "8", "Swizzle<1,4,3> o ((8,2),(4,2)):((8,64),(1,4))",
             "((8,m),(T,2k)):((2T,SBO),(1,T)), T = 4", "1 is assumed", "in the descriptor 16"},
        Case{"bf16", "mn", "none", "16", "16", "Swizzle<0,4,3> o ((8,1,2),(8,2)):((1,8,64),(8,128))",
             "((T,1,m),(8,k)):((1,T,SBO),(1T,LBO)), T = 8", "in the descriptor 16", "in the descriptor 8"},
        Case{"bf16", "mn", "32B", "32", "16", "Swizzle<1,4,3> o ((8,2,2),(8,2)):((1,8,128),(16,256))",
             "((T,2,m),(8,k)):((1,T,LBO),(2T,SBO)), T = 8", "in the descriptor 16", "in the descriptor 32"},
        Case{"bf16", "mn", "64B", "64", "16", "Swizzle<2,4,3> o ((8,4,2),(8,2)):((1,8,256),(32,512))",
             "((T,4,m),(8,k)):((1,T,LBO),(4T,SBO)), T = 8", "in the descriptor 32", "in the descriptor 64"}}) {
    const Answer answer =
        ask("smem", {{"type", c.type}, {"major", c.major}, {"swizzle", c.swizzle}, {"mn", c.mn}, {"k", c.k}});
    const Layout &layout = answer.layouts.front();
    EXPECT_EQ(layout.notes[0], c.exact);
    EXPECT_EQ(layout.notes[1], std::string("canonical: ") + c.canonical);
    EXPECT_NE(answer.notes[0].find(c.lbo), std::string::npos) << answer.notes[0];
    EXPECT_NE(answer.notes[1].find(c.sbo), std::string::npos) << answer.notes[1];
    checkIsSound(layout, c.exact);
  }
}

/// Table 53: the atoms in units of 128 bits, each of which fills its bytes.
TEST(Layout, SwizzleAtoms) {
  struct Case {
    const char *swizzle, *major;
    uint32_t mn, k; // units of 128 bits along the major direction
  };
  for (const Case &c : {Case{"128B-base32B", "mn", 8, 4}, Case{"128B", "mn", 8, 8}, Case{"128B", "k", 8, 8},
                        Case{"64B", "mn", 4, 8}, Case{"64B", "k", 8, 4}, Case{"32B", "mn", 2, 8},
                        Case{"32B", "k", 8, 2}, Case{"none", "mn", 1, 8}, Case{"none", "k", 8, 1}})
    for (const char *type : {"tf32", "f16", "e4m3"}) {
      const Layout layout = ask("smem", {{"type", type}, {"major", c.major}, {"swizzle", c.swizzle}}).layouts.front();
      const uint32_t t = 128 / layout.elementBits;
      checkIsSound(layout, std::string(c.swizzle) + " " + c.major);
      EXPECT_EQ(size(layout, Row), c.mn * (*c.major == 'm' ? t : 1));
      EXPECT_EQ(size(layout, Column), c.k * (*c.major == 'k' ? t : 1));
      EXPECT_EQ(size(layout, Bit), c.mn * c.k * 128) << "the atom leaves holes";
    }
}

TEST(Layout, CopiesReachEveryLane) {
  for (const char *form :
       {"tcgen05.cp.cta_group::1.128x256b", "tcgen05.cp.cta_group::1.128x128b",
        "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13", "tcgen05.cp.cta_group::1.64x128b.warpx2::01_23",
        "tcgen05.cp.cta_group::1.32x128b.warpx4", "tcgen05.cp.cta_group::2.4x256b"}) {
    const Layout layout = ask(form).layouts.front();
    checkIsSound(layout, form);
    std::set<uint32_t> lanes;
    forEach(layout, [&](Element, Place place) { lanes.insert(place[Lane]); });
    EXPECT_EQ(lanes.size(), std::string(form).find("4x256b") != std::string::npos ? 4u : 128u) << form;
  }
}

TEST(Layout, PaddedElements) {
  for (uint32_t bits : {4u, 6u}) {
    const Layout layout = sixteenElements(bits, /*padded=*/true);
    checkIsSound(layout, "padded");
    EXPECT_EQ(size(layout, Bit), 16 * bits);
  }
  EXPECT_EQ(elementInByte("e2m1").what.substr(0, 8), "00SEEM00");
  EXPECT_EQ(elementInByte("e3m2").what.substr(0, 8), "00SEEEMM");
  EXPECT_EQ(elementInByte("e2m3").what.substr(0, 8), "00SEEMMM");
}

TEST(Layout, RefusesWhatDoesNotExist) {
  for (const char *form :
       {"add.s32", "mma.m16n8k24.f16", "mma.sp.m16n8k8.f16", "wgmma.mma_async.m64n12k16.f32.f16.f16",
        "ldmatrix.m16n16.x4.trans.b8", "stmatrix.m8n16.x1.b8", "tcgen05.ld.16x256b.x64.b32",
        "tcgen05.mma.ws.cta_group::2.kind::f16", "tcgen05.cp.12x3b", "ldmatrix.m8n8.x1.s8.s4",
        "tcgen05.mma.cta_group::1.kind::f32", "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::1X",
        "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block16",
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::2X"}) {
    Request request;
    request.instruction = form;
    EXPECT_NE(describe(request).complaint, "") << form;
  }
  for (const auto &[name, value] :
       {std::pair("mn", "1048576"), std::pair("lbo", "262144"), std::pair("sbo", "24"), std::pair("k", "0")}) {
    Request request;
    request.instruction = "smem";
    request.settings["swizzle"] = "none";
    request.settings[name] = value;
    EXPECT_NE(describe(request).complaint, "") << name << " " << value;
  }
}

TEST(Layout, TextFitsATerminal) {
  for (const char *form : {"mma.m16n8k256.b1", "wgmma.mma_async.m64n256k16.f32.f16.f16", "tcgen05.ld.32x32b.x128.b32",
                           "tcgen05.mma.cta_group::2.kind::f16"})
    for (const Layout &layout : ask(form).layouts) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      writeText(layout, 80, stream);
      for (llvm::StringRef rest = llvm::StringRef(text).split("  and so on").first; !rest.empty();) {
        auto [line, behind] = rest.split('\n');
        if (!line.starts_with("  ") || line.contains(":c")) {
          EXPECT_LE(line.size(), 80u) << line.str();
        }
        rest = behind;
      }
    }
}

// ------------------------------------------------------------------------------------- RDNA 4
using Wave = std::array<std::array<uint16_t, 8>, 32>; // 16-bit elements by lane and position

Wave hold(const Layout &layout, llvm::function_ref<uint16_t(uint32_t, uint32_t)> matrix) {
  Wave wave = {};
  forEach(layout, [&](Element element, Place place) {
    wave[place[Lane]][place[Word] * 2 + place[Bit] / 16] = matrix(element[Row], element[Column]);
  });
  return wave;
}

/// The example of docs/examples/rdna4, lane by lane.
Wave byShuffles(const Wave &in) {
  Wave out = {};
  for (uint32_t lane = 0; lane < 32; ++lane) {
    const uint32_t first = lane / 8 % 2 * 16 + lane / 16 * 8;
    for (uint32_t v = 0; v < 8; ++v)
      out[lane][v] = in[first + v][lane % 8];
  }
  return out;
}

bool isFinite(uint16_t half) { return (half & 0x7C00) != 0x7C00; }

/// Returns one product with the identity, as v_wmma_f16_16x16x16_f16 computes it. A sum of one number and fifteen zeros
/// is exact, so only signs of zero and numbers that are not finite need care.
Wave byWmma(const Wave &in, const Answer &layouts) {
  const Layout a = operand(layouts, "A"), b = operand(layouts, "B"), d = operand(layouts, "D");
  const Wave identity = hold(b, [](uint32_t row, uint32_t column) { return row == column ? 0x3C00 : 0; });
  auto matrixOf = [](const Layout &layout, const Wave &wave) {
    std::array<std::array<uint16_t, 16>, 16> matrix = {};
    forEach(layout, [&](Element element, Place place) {
      matrix[element[Row]][element[Column]] = wave[place[Lane]][place[Word] * 2 + place[Bit] / 16];
    });
    return matrix;
  };
  const auto left = matrixOf(a, in), right = matrixOf(b, identity);
  return hold(d, [&](uint32_t row, uint32_t column) -> uint16_t {
    uint16_t sum = 0;
    for (uint32_t k = 0; k < 16; ++k) {
      const uint16_t x = left[row][k], y = right[k][column];
      if (!isFinite(x)) // infinity * 0 is not a number
        return y == 0x3C00 && (x & 0x3FF) == 0 ? x : 0x7E00;
      if (y == 0x3C00 && (x & 0x7FFF))
        sum = x; // all other products are zero
    }
    return sum;
  });
}

TEST(Rdna4, LayoutsAreSoundAndFill) {
  for (const char *type : {"wmma.f16", "wmma.bf16", "wmma.f32.f16", "wmma.s8", "wmma.e4m3", "wmma.s4"})
    for (const Layout &layout : ask(type, {{"arch", "gfx12"}}).layouts) {
      checkIsSound(layout, type);
      checkFills(layout, 32, type);
    }
}

/// The shuffles only move bits, so patterns with one bit set represent all patterns.
TEST(Rdna4, ShufflesTransposeEveryPattern) {
  const Layout a = operand(ask("wmma.f16", {{"arch", "gfx12"}}), "A");
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t column = 0; column < 16; ++column)
      for (uint32_t bit = 0; bit < 16; ++bit) {
        auto one = [&](uint32_t r, uint32_t c) -> uint16_t { return r == row && c == column ? 1 << bit : 0; };
        ASSERT_EQ(byShuffles(hold(a, one)), hold(a, [&](uint32_t r, uint32_t c) { return one(c, r); }));
      }
}

/// Tests each of the 65536 patterns at each place. The product gives the same pattern, except for the sign of zero and
/// rows that hold an infinity or NaN.
TEST(Rdna4, WmmaTransposesEveryFinitePattern) {
  const Answer layouts = ask("wmma.f16", {{"arch", "gfx12"}});
  const Layout a = operand(layouts, "A");
  for (uint32_t first = 0; first < 65536; first += 256) {
    auto matrix = [&](uint32_t row, uint32_t column) -> uint16_t { return first + row * 16 + column; };
    const Wave in = hold(a, matrix);
    Wave shuffled = byShuffles(in), multiplied = byWmma(in, layouts);
    const bool finite = isFinite(first) && isFinite(first + 255);
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t v = 0; v < 8; ++v) {
        if (shuffled[lane][v] == 0x8000)
          shuffled[lane][v] = 0;
        if (finite) {
          ASSERT_EQ(shuffled[lane][v], multiplied[lane][v]);
        }
      }
  }
}

/// movmatrix on four adjacent tiles of 8x8 is the same transpose.
TEST(Rdna4, MovmatrixAgreesOnItsTiles) {
  const Answer move = ask("movmatrix");
  const Layout from = operand(move, "A"), to = operand(move, "D");
  const Layout wave = operand(ask("wmma.f16", {{"arch", "gfx12"}}), "A");
  auto matrix = [](uint32_t row, uint32_t column) -> uint16_t { return row * 16 + column; };
  const Wave turned = byShuffles(hold(wave, matrix));
  for (uint32_t tileRow : {0u, 8u})
    for (uint32_t tileColumn : {0u, 8u}) {
      // For movmatrix, a place of `to` holds the element that `to` names, in the order of `from`.
      std::map<Place, uint16_t> registers;
      forEach(to, [&](Element element, Place place) {
        registers[place] = matrix(tileRow + element[Row], tileColumn + element[Column]);
      });
      forEach(from, [&](Element element, Place place) {
        // Read as a matrix again, the result is the transpose of the tile.
        const Place there = placesOf(wave, {tileColumn + element[Row], tileRow + element[Column], 0}).front();
        EXPECT_EQ(registers[place], turned[there[Lane]][there[Word] * 2 + there[Bit] / 16]);
      });
    }
}

} // namespace
