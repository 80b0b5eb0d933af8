#pragma once
// A document with the client's name for it, and the parts of the protocol that refer to its locations.
#include "Editor/Document.h"
#include "Format/FormatOptions.h"
#include "Positions.h"
#include "Source/JsonValue.h"

namespace ptxray::lsp {

/// The capabilities of the client.
struct Client {
  Encoding encoding = Encoding::Utf16;
  bool pullsDiagnostics = false;                  // pulls diagnostics
  bool takesDiagnostics = false;                  // accepts diagnostics that are pushed
  bool documentChanges = false;                   // accepts edits with document versions
  bool markdown = false;                          // in hovers
  bool itemTags = false, deprecatedItems = false; // in completion: two ways to strike items through
  bool labelOffsets = false;                      // for the parameters of a signature
  bool preparesRename = false;
  bool relatedInformation = false;
  bool codeDescription = false;
  bool diagnosticTags = false;
  bool hierarchicalSymbols = false;
  bool literalActions = false; // code actions may contain more than commands
  bool watchesFiles = false;   // can watch files on request
  // The client can be asked to pull again:
  bool refreshesDiagnostics = false, refreshesTokens = false, refreshesHints = false;
};
Client readClient(const Json &initializeParams);

struct OpenDocument {
  OpenDocument(std::string uri, std::string path, Language language, std::string text, Json version, unsigned number)
      : uri(std::move(uri)), number(number), version(std::move(version)),
        document(std::move(path), language, std::move(text)), lines(document.text()) {}

  std::string uri;
  unsigned number; // sequence number of the document
  Json version;    // version number of the client; null if it has none
  Document document;
  Lines lines;
  FormatOptions format;
  bool isPublished = false; // findings for this version are published

  void edit(Range part, llvm::StringRef text);
  void replaceAll(std::string text);

  uint32_t offsetOf(Position position, const Client &client) const;
  Range rangeOf(Position begin, Position end, const Client &client) const;
  Json position(uint32_t offset, const Client &client) const;
  Json range(Range range, const Client &client) const;
  Json location(Range range, const Client &client) const;
  Json edits(llvm::ArrayRef<Edit> edits, const Client &client) const;
};

std::optional<Position> readPosition(const Json &value);
/// Returns the field of an object, or null.
const Json *field(const Json &value, llvm::StringRef name);
std::optional<llvm::StringRef> textField(const Json &value, llvm::StringRef name);
bool flag(const Json &value, std::initializer_list<llvm::StringRef> path);

/// Returns the path of a `file:` URI, with escapes such as `%20` decoded; empty for other URIs.
std::string pathOf(llvm::StringRef uri);

} // namespace ptxray::lsp
