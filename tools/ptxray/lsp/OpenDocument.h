#pragma once
// A document under the client's name for it, and the parts of the protocol that are made from its places.
#include "Editor/Document.h"
#include "Format/FormatOptions.h"
#include "Positions.h"
#include "Source/JsonValue.h"

namespace ptxray::lsp {

/// The capabilities of the client.
struct Client {
  Encoding encoding = Encoding::Utf16;
  bool pullsDiagnostics = false;                  // it says so
  bool takesDiagnostics = false;                  // that are pushed
  bool documentChanges = false;                   // of edits: with the version they belong to
  bool markdown = false;                          // in hover
  bool itemTags = false, deprecatedItems = false; // in completion: two ways to strike through
  bool labelOffsets = false;                      // of the parameters of a signature
  bool preparesRename = false;
  bool relatedInformation = false;
  bool codeDescription = false;
  bool diagnosticTags = false;
  bool hierarchicalSymbols = false;
  bool literalActions = false; // code actions that are more than commands
  bool watchesFiles = false;   // that it is asked to
  // It can be asked to pull again:
  bool refreshesDiagnostics = false, refreshesTokens = false, refreshesHints = false;
};
Client readClient(const Json &initializeParams);

struct OpenDocument {
  OpenDocument(std::string uri, std::string path, Language language, std::string text, Json version, unsigned number)
      : uri(std::move(uri)), number(number), version(std::move(version)),
        document(std::move(path), language, std::move(text)), lines(document.text()) {}

  std::string uri;
  unsigned number; // of all that were opened
  Json version;    // as the client counts; null: it does not
  Document document;
  Lines lines;
  FormatOptions format;
  bool isPublished = false; // the findings about this text, with its version

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
/// Returns the field of an object; null if there is none.
const Json *field(const Json &value, llvm::StringRef name);
std::optional<llvm::StringRef> textField(const Json &value, llvm::StringRef name);
bool flag(const Json &value, std::initializer_list<llvm::StringRef> path);

/// Returns the path of a `file:` URI, with escapes such as `%20` decoded; empty for other URIs.
std::string pathOf(llvm::StringRef uri);

} // namespace ptxray::lsp
