#include "Inline/MappedText.h"
#include "Source/Narrow.h"
#include <algorithm>

namespace ptxray {

void MappedText::copy(llvm::StringRef characters, uint32_t from) {
  if (characters.empty())
    return;
  const auto length = narrow<uint32_t>(characters.size());
  if (!pieces.empty() && pieces.back().isExact && pieces.back().source.end == from)
    pieces.back().source.end += length;
  else
    pieces.push_back({size(), {from, from + length}, true});
  content += characters;
}

void MappedText::replace(llvm::StringRef characters, Range by) {
  if (characters.empty())
    return;
  pieces.push_back({size(), by, false});
  content += characters;
}

void MappedText::append(const MappedText &other, Range part) {
  while (part.begin < part.end) {
    const Piece *piece = other.pieceAt(part.begin);
    const uint32_t pieceEnd = piece + 1 == other.pieces.data() + other.pieces.size() ? other.size() : piece[1].at;
    const uint32_t end = std::min(pieceEnd, part.end);
    const llvm::StringRef characters = other.text().slice(part.begin, end);
    if (piece->isExact)
      copy(characters, piece->source.begin + (part.begin - piece->at));
    else
      replace(characters, piece->source);
    part.begin = end;
  }
}

MappedText MappedText::through(const MappedText &outer) const {
  MappedText result;
  for (size_t i = 0; i < pieces.size(); ++i) {
    const uint32_t end = i + 1 < pieces.size() ? pieces[i + 1].at : size();
    if (pieces[i].isExact)
      result.append(outer, pieces[i].source);
    else
      result.replace(text().slice(pieces[i].at, end), outer.placeOf(pieces[i].source));
  }
  if (home.end <= outer.size())
    result.home = outer.placeOf(home);
  return result;
}

const MappedText::Piece *MappedText::pieceAt(uint32_t offset) const {
  const auto behind =
      std::upper_bound(pieces.begin(), pieces.end(), offset, [](uint32_t at, const Piece &p) { return at < p.at; });
  return behind == pieces.begin() ? nullptr : &behind[-1];
}

Range MappedText::placeOf(uint32_t offset) const {
  const Piece *piece = pieceAt(offset);
  if (!piece)
    return {};
  if (!piece->isExact)
    return piece->source;
  const uint32_t begin = piece->source.begin + (offset - piece->at);
  return {begin, begin + 1};
}

/// Returns the location of the intersection of the piece and the part.
Range MappedText::placeOfPart(const Piece &piece, Range part) const {
  if (!piece.isExact)
    return piece.source;
  const uint32_t from = std::max(piece.at, part.begin) - piece.at;
  const uint32_t end = std::min(part.end - piece.at, piece.source.size());
  return {piece.source.begin + from, piece.source.begin + end};
}

Range MappedText::placeOf(Range part) const {
  if (pieces.empty())
    return {};
  if (part.begin >= size()) {
    const uint32_t end = placeOf(size() - 1).end;
    return {end, end};
  }
  if (part.size() == 0) { // inserted text belongs to the preceding character
    const uint32_t at = part.begin ? placeOf(part.begin - 1).end : placeOf(0u).begin;
    return {at, at};
  }
  part.end = std::min(part.end, size());
  Range found, longest;
  bool isAtHome = false, isFoundExact = false, ascends = true;
  auto begin = [&](Range place, const Piece &piece) {
    found = longest = place;
    isFoundExact = piece.isExact;
    ascends = true;
  };
  auto contains = [](Range outer, Range inner) { return outer.begin <= inner.begin && inner.end <= outer.end; };
  for (const Piece *piece = pieceAt(part.begin); piece != pieces.data() + pieces.size() && piece->at < part.end;
       ++piece) {
    const Range place = placeOfPart(*piece, part);
    const bool atHome = contains(home, place);
    if (isAtHome && !atHome)
      continue;
    if (found.size() == 0 || (atHome && !isAtHome) || (piece->isExact && !isFoundExact && contains(found, place))) {
      begin(place, *piece);
    } else if (piece->isExact || !isFoundExact ||
               !contains(place, found)) { // otherwise, use the location of the whole macro
      ascends &= place.begin >= found.end || place == longest;
      found.end = std::max(found.end, place.end);
      if (place.size() > longest.size())
        longest = place;
    }
    isAtHome |= atHome;
  }
  return ascends ? found : longest;
}

std::optional<uint32_t> MappedText::offsetOf(uint32_t place) const {
  std::optional<uint32_t> behind;
  for (const Piece &piece : pieces) {
    if (!piece.isExact || place < piece.source.begin || piece.source.end < place)
      continue;
    const uint32_t offset = piece.at + (place - piece.source.begin);
    if (place < piece.source.end)
      return offset;
    behind = offset;
  }
  return behind;
}

bool MappedText::isExact(Range part) const {
  const Piece *first = pieceAt(part.begin ? part.begin - (part.size() == 0) : 0);
  const Piece *last = part.size() ? pieceAt(part.end - 1) : first;
  return first && first == last && first->isExact;
}

} // namespace ptxray
