// Writes everything besides the entries: versions, meanings of names, examples.
#include "Isa/Isa.h"
#include "IsaJson.h"

namespace ptxray {

Json versionsJson() {
  Json versions = Json::array();
  for (uint16_t version : isa::versions()) {
    Json json = {{"name", isa::versionText(version)}};
    if (const uint16_t meaning = isa::versionMeaning(version); meaning != version)
      json["as"] = isa::versionText(meaning);
    versions.push_back(std::move(json));
  }
  return versions;
}

Json targetSetsJson() {
  Json sets = Json::object();
  for (const isa::TargetBits &set : isa::tables().targetSets) {
    Json &names = sets[std::string(set.text())] = Json::array();
    for (size_t i = 0; i < isa::targets().size(); ++i)
      if ((i < 64 ? set.low >> i : set.high >> (i - 64)) & 1)
        names.push_back(isa::targets()[i].name());
  }
  return sets;
}

Json meaningsJson() {
  Json meanings = Json::array();
  for (const isa::MeaningRow row : isa::tables().meanings) {
    const isa::Meaning meaning = isa::meaning(row);
    if (meaning.mnemonic.empty() && (meaning.name.front() == '.' || meaning.name.front() == '%'))
      continue;
    Json json = {{"name", meaning.name}, {"text", meaning.text}};
    if (!meaning.mnemonic.empty())
      json["mnemonic"] = meaning.mnemonic;
    if (!meaning.topic.empty())
      json["topic"] = meaning.topic;
    meanings.push_back(std::move(json));
  }
  return meanings;
}

Json examplesJson() {
  Json examples = Json::array();
  for (const isa::Example &example : isa::tables().examples) {
    Json json = {{"name", example.name()}, {"right", example.right()}};
    if (!example.wrong().empty())
      json["wrong"] = example.wrong();
    if (!example.refusedBy().empty())
      json["refusedBy"] = example.refusedBy();
    examples.push_back(std::move(json));
  }
  return examples;
}

} // namespace ptxray
