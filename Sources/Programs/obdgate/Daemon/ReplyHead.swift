/// The head of an HTTP/1.1 response (RFC 9112, sections 4 and 5). Only the parts that the daemon uses are supported.
///
///     HTTP/1.1 200 OK
///     Content-Type: application/json
///     Content-Length: 1532
///     Connection: close
struct ReplyHead: Equatable {
  /// Maximum length of the head of a response, bytes.
  static let limit = 16 << 10

  /// Status code, 100…599.
  let status: Int
  /// Length of the body, bytes; `nil` if the body ends with the connection.
  let count: Int?

  /// Parses the head of a response.
  ///
  /// - Parameter head: the bytes before the empty line that ends the head; the empty line may be included.
  /// - Returns: the head; `nil` if it is invalid, or if the body has a transfer or content encoding.
  init?(parsing head: ArraySlice<UInt8>) {
    var lines = String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline)[...]
    guard let first = lines.popFirst()?.split(separator: " "), first.count >= 2, first[0].hasPrefix("HTTP/1."),
      first[1].utf8.count == 3, let status = Int(first[1]), (100...599).contains(status)
    else { return nil }
    var count: Int?
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      switch line[..<colon].lowercased() {
      case "content-length":
        guard let bytes = Int(value), bytes >= 0 else { return nil }
        count = bytes
      case "transfer-encoding", "content-encoding": return nil
      default: break
      }
    }
    self.status = status
    self.count = count
  }

  /// Returns the index at which the body begins; `nil` if the head is incomplete.
  static func end(in bytes: [UInt8]) -> Int? {
    let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
    for index in bytes.indices.dropFirst() where bytes[index] == feed {
      if bytes[index - 1] == feed { return index + 1 }
      if index >= 2, bytes[index - 1] == carriage, bytes[index - 2] == feed { return index + 1 }
    }
    return nil
  }
}
