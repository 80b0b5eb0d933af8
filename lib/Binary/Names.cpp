#include "Binary/Binary.h"

namespace ptxray {

std::string entryName(const Binary &binary, size_t index) {
  const Entry &entry = binary.entries[index];
  const Container &container = binary.containerOf(entry);
  const std::string &member = binary.objectOf(entry).member;
  std::string name = "[";
  if (!member.empty())
    name += member + " ";
  if (container.role == Role::Loose)
    name += "in ";
  if (!container.section.empty())
    name += container.section.str() + " ";
  name += std::to_string(index + 1) + "/" + std::to_string(binary.entries.size());
  if (entry.number)
    name += " " + entry.target();
  name += " " + nameOf(entry.kind).str();
  if (entry.isText() && entry.major)
    name += " " + entry.version();
  return name + "]";
}

BinaryProblem unreadableEntry(const Binary &binary, const Entry &entry, const std::string &reason) {
  const std::string name = entryName(binary, &entry - binary.entries.data());
  return {binary.objectOf(entry).member, entry.offset, "entry " + name + ": " + reason};
}

std::string problemText(const BinaryProblem &problem) {
  return "byte " + std::to_string(problem.offset) + (problem.member.empty() ? "" : " of " + problem.member) + ": " +
         problem.message;
}

} // namespace ptxray
