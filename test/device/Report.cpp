#include "Report.h"
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iostream>

namespace ptxray::device {

static std::string jsonText(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      out += std::string("\\") + c;
    else
      out += c == '\n' ? ' ' : c;
  return out + "\"";
}

static std::string hex(uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", value);
  return text;
}

void writeReports(const Driver &driver, const Plan &plan, std::map<std::string, Tally> &tallies, double seconds,
                  const std::string &out) {
  char date[32];
  const time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  std::vector<std::pair<std::string, std::string>> facts = {
      {"date", date},
      {"device", driver.deviceName + ", sm_" + std::to_string(driver.computeMajor * 10 + driver.computeMinor)},
      {"driver", "CUDA " + std::to_string(driver.version / 1000) + "." + std::to_string(driver.version % 1000 / 10)}};
  std::ifstream kernelDriver("/proc/driver/nvidia/version");
  if (std::string line; std::getline(kernelDriver, line))
    facts.push_back({"kernel module", line});
  facts.insert(facts.end(), plan.facts.begin(), plan.facts.end());

  std::ofstream json(out + "/report.json"), md(out + "/report.md"), list(out + "/different.txt");
  json << "{";
  for (const auto &[name, value] : facts) {
    json << jsonText(name) << ": " << jsonText(value) << ",\n";
    md << "- " << name << ": " << value << "\n";
  }
  json << "\"seconds\": " << seconds << ",\n\"instructions\": {";
  md << "\n| instruction | combinations in the tables | run | values compared | equal | equal in "
        "another reading | "
        "different |\n|---|---|---|---|---|---|---|\n";
  const char *divider = "\n";
  Tally sum;
  double all = 0;
  for (auto &[name, tally] : tallies) {
    const auto count = plan.counts.find(name);
    const double inTables = count == plan.counts.end() ? tally.combinations : count->second.first;
    all += inTables;
    sum.combinations += tally.combinations;
    sum.values += tally.values;
    sum.equal += tally.equal;
    sum.sequence += tally.sequence;
    sum.different += tally.different;
    auto row = [&](std::ostream &to, const std::string &title, double tables, const Tally &t) {
      char number[64];
      std::snprintf(number, sizeof number, "%.0f", tables);
      to << "| " << title << " | " << number << " | " << t.combinations << " | " << t.values << " | " << t.equal
         << " | " << t.sequence << " | " << t.different << " |\n";
    };
    row(md, "`" + name + "`", inTables, tally);
    row(std::cout, name, inTables, tally);
    json << divider << jsonText(name) << ": {\"inTables\": " << static_cast<long long>(inTables)
         << ", \"run\": " << tally.combinations << ", \"values\": " << tally.values << ", \"equal\": " << tally.equal
         << ", \"sequence\": " << tally.sequence << ", \"different\": " << tally.different << ", \"examples\": [";
    for (const Mismatch &m : tally.examples)
      list << m.text << '\t' << hex(m.a) << '\t' << hex(m.b) << '\t' << hex(m.c) << '\t' << hex(m.found) << '\t'
           << hex(m.expected) << '\n';
    for (size_t i = 0; i < std::min<size_t>(tally.examples.size(), examplesKept); ++i) {
      const Mismatch &m = tally.examples[i];
      json << (i ? ",\n" : "\n") << "{\"text\": " << jsonText(m.text) << ", \"a\": \"" << hex(m.a) << "\", \"b\": \""
           << hex(m.b) << "\", \"c\": \"" << hex(m.c) << "\", \"found\": \"" << hex(m.found) << "\", \"expected\": \""
           << hex(m.expected) << "\"}";
    }
    json << "], \"notes\": [";
    for (size_t i = 0; i < tally.notes.size(); ++i)
      json << (i ? ", " : "") << jsonText(tally.notes[i]);
    json << "]}";
    divider = ",\n";
  }
  json << "},\n\"run\": " << sum.combinations << ", \"equal\": " << sum.equal << ", \"sequence\": " << sum.sequence
       << ", \"different\": " << sum.different << "}\n";
  md << "| all | " << static_cast<long long>(all) << " | " << sum.combinations << " | " << sum.values << " | "
     << sum.equal << " | " << sum.sequence << " | " << sum.different << " |\n";
  for (const auto &[name, tally] : tallies)
    for (size_t i = 0; i < std::min<size_t>(tally.examples.size(), examplesKept); ++i) {
      const Mismatch &m = tally.examples[i];
      md << "\n- `" << m.text << "` with a = " << hex(m.a) << ", b = " << hex(m.b) << ", c = " << hex(m.c) << ": "
         << hex(m.found) << ", by the manual " << hex(m.expected);
    }
  md << "\n";
  for (const auto &[name, tally] : tallies)
    for (const std::string &note : tally.notes)
      md << "\n- " << note;
  md << "\n";
  std::cout << "all: " << sum.combinations << " combinations run, " << sum.equal << " equal, " << sum.sequence
            << " equal to the sequence of ptxas, " << sum.different << " different; " << seconds << " s\n";
}

} // namespace ptxray::device
