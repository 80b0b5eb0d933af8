// Compares the output of a kernel's printf with that of an H100.
#include "Machine/Printf.h"
#include "gtest/gtest.h"

using namespace ptxray::machine;

/// Prints one integer by a format.
static std::string print(llvm::StringRef format, uint64_t value, int32_t width = 0) {
  std::string all;
  for (FormatPart part : formatPartsOf(format)) {
    if (part.takesWidth)
      setWidth(part, width);
    switch (part.kind) {
    case FormatPart::Kind::Text: all += part.text; break;
    case FormatPart::Kind::Real: all += printedReal(part, 1.5); break;
    case FormatPart::Kind::String: all += printedText(part, "hello"); break;
    case FormatPart::Kind::Character: all += printedText(part, std::string(1, static_cast<char>(value))); break;
    default: all += printedInteger(part, value);
    }
  }
  return all;
}

TEST(Printf, PrintsAsAnH100) {
  const struct {
    const char *format;
    uint64_t value;
    const char *printed;
  } cases[] = {
      {"%i|", uint64_t(-7), "-7|"},
      {"%hd|", 70000, "4464|"},
      {"%hx|", 0x12345678, "5678|"},
      {"%ld|", uint64_t(-5), "-5|"},
      {"%u|", uint64_t(-1), "4294967295|"},
      {"%lu|", uint64_t(-1), "18446744073709551615|"},
      {"%llx|", uint64_t(-1), "ffffffffffffffff|"},
      {"%#x|", 255, "0xff|"},
      {"%#X|", 255, "0XFF|"},
      {"%#x|", 0, "0|"},
      {"%#o|", 8, "010|"},
      {"%+d|", 5, "+5|"},
      {"% d|", 5, " 5|"},
      {"%05d|", 5, "00005|"},
      {"%05d|", uint64_t(-5), "-0005|"},
      {"%-05d|", 5, "5    |"},
      {"%08.3d|", 5, "     005|"},
      {"%.0d|", 0, "|"},
      {"%5.d|", 0, "     |"},
      {"%--+ #05d|", 5, "+5   |"},
      {"%p|", 0x1234, "0x1234|"},
      {"%20p|", 0x1234, "              0x1234|"},
      {"%-20p|", 0x1234, "0x1234              |"},
      {"%.3p|", 1, "0x001|"},
      {"%05p|", 1, "0x001|"},
      {"%p|", 0, "(nil)|"},
      {"%5c|", 65, "    A|"},
      {"%.3c|", 65, "A|"},
      {"%lc|", 65, "A|"},
      {"%10s|", 0, "     hello|"},
      {"%-10s|", 0, "hello     |"},
      {"%.2s|", 0, "he|"},
      {"%05s|", 0, "hello|"},
      {"%F %A %a|", 0, "1.500000 0X1.8P+0 0x1.8p+0|"},
      {"%e %g %G %E|", 0, "1.500000e+00 1.5 1.5 1.500000E+00|"},
      {"%lf %hf|", 0, "1.500000 1.500000|"},
      {"%8.2f|%-8.2f|%08.2f|", 0, "    1.50|1.50    |00001.50|"},
      {"%%|", 0, "%|"},
  };
  for (const auto &one : cases)
    EXPECT_EQ(print(one.format, one.value), one.printed) << one.format;
  EXPECT_EQ(print("%*d|", 42, 6), "    42|");
  EXPECT_EQ(print("%*d|", 42, -6), "42    |");
}

TEST(Printf, PrintsEverythingElseUnchanged) {
  for (const char *format :
       {"%n",   "%hhn", "a%nb",  "%S",    "%C",  "%.*d", "%*.*f", "%y",  "%",   "x%5",   "%hhd", "%hhx",
        "%zu",  "%jd",  "%td",   "%qd",   "%Ld", "%Lf",  "%5%",   "%-%", "%v",  "% %",   "%1$d", "%'d",
        "%Id",  "%m",   "%I64d", "%ll",   "%l",  "%.5",  "%b",    "%D",  "%U",  "%5-",   "%.-5", "%..5",
        "%hld", "%lhd", "%llld", "%hhhd", "%wd", "%5-d", "%h",    "%*",  "%*.", "%-*.*n"})
    EXPECT_EQ(print(format, 5), format);
  for (unsigned letter = 1; letter < 256; ++letter)
    for (const char *before : {"%", "%*", "%ll", "%hh", "%.*", "%*.*", "%-0+ #"}) {
      const std::string format = before + std::string(1, static_cast<char>(letter));
      const bool isKnown = llvm::StringRef("diuoxXcspeEfFgGaA").contains(static_cast<char>(letter));
      if (!isKnown && format != "%%")
        EXPECT_EQ(print(format, 5), format);
    }
}

TEST(Printf, BoundsWidthsAndPrecisions) {
  EXPECT_EQ(print("%2147483647d", 5).size(), size_t(mostPrinted));
  EXPECT_EQ(print("%99999999999999999999d", 5).size(), size_t(mostPrinted));
  EXPECT_EQ(print("%*d", 5, INT32_MIN).size(), size_t(mostPrinted));
  EXPECT_EQ(print("%.2147483647d", 5).size(), size_t(mostPrinted));
  EXPECT_EQ(print("%.2147483647f", 5).size(), size_t(mostPrinted) + 2);
  EXPECT_EQ(print("%9999.9999f", 5).size(), size_t(mostPrinted) + 2);
}

TEST(Printf, KeepsTheNewestText) {
  PrintedText printed(10);
  for (const char *one : {"one,", "two,", "three,", "four,", "five,", "six"})
    printed.add(one);
  EXPECT_EQ(printed.text(), "r,five,six");
  EXPECT_EQ(printed.lost(), 17u);
}
