import FleetAccess
import HTTPTypes

/// The headers of tus, and the encoding of their values.
extension HTTPField.Name {
  static let uploadOffset = HTTPField.Name("Upload-Offset")!
  static let uploadLength = HTTPField.Name("Upload-Length")!
  static let uploadMetadata = HTTPField.Name("Upload-Metadata")!
  static let uploadChecksum = HTTPField.Name("Upload-Checksum")!
  static let tusResumable = HTTPField.Name("Tus-Resumable")!
}

extension Base64URL {
  /// Decodes standard Base64 with padding (RFC 4648, section 4); `nil` if the text is invalid.
  static func bytes(standard text: Substring) -> [UInt8]? {
    guard text.utf8.count % 4 == 0, !text.contains("-"), !text.contains("_") else { return nil }
    let end = text.utf8.lastIndex { $0 != UInt8(ascii: "=") }.map { text.utf8.index(after: $0) } ?? text.startIndex
    return bytes(String(text[..<end].replacing("+", with: "-").replacing("/", with: "_")))
  }
}
