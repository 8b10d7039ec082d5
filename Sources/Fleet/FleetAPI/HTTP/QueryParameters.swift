/// The parameters in the query of a URL, in the format `application/x-www-form-urlencoded`.
struct QueryParameters: Sendable {
  private let pairs: [(name: String, value: String)]

  /// Parses a query.
  ///
  /// - Parameters:
  ///   - text: the query without the question mark.
  ///   - known: the names of the route's parameters; `nil` if any name is accepted and may occur several times.
  /// - Throws: 400 for the first unknown parameter, for a parameter that occurs twice, for invalid percent-encoding,
  ///   and for bytes that are not UTF-8.
  init(_ text: Substring, known: [String]?) throws(APIError) {
    var pairs: [(name: String, value: String)] = []
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentCoding.decode(Substring(parts[0]), plusIsSpace: true),
        let value = PercentCoding.decode(parts.count > 1 ? Substring(parts[1]) : "", plusIsSpace: true)
      else { throw APIError.badRequest("query: \(quoted(Substring(pair))) is not percent-encoded UTF-8") }
      guard let known else {
        pairs.append((name, value))
        continue
      }
      guard known.contains(name) else {
        throw APIError.badRequest(
          "query: unknown parameter \(quoted(name)); "
            + (known.isEmpty ? "this route has none" : "known here: \(known.joined(separator: ", "))"))
      }
      if pairs.contains(where: { $0.name == name }) {
        throw APIError.badRequest("query: \(quoted(name)) given twice")
      }
      pairs.append((name, value))
    }
    self.pairs = pairs
  }

  private init(_ pairs: [(name: String, value: String)]) { self.pairs = pairs }

  /// All parameters, in their order.
  var all: [(name: String, value: String)] { pairs }

  /// Returns these parameters for another page of the list, in JSON: the page at a cursor, or the first page if it is
  /// `nil`.
  func page(after cursor: String?) -> QueryParameters {
    QueryParameters(
      pairs.filter { $0.name != "format" && $0.name != "cursor" } + [cursor].compactMap { $0.map { ("cursor", $0) } })
  }

  /// The value of the parameter with this name; `nil` if it is absent.
  subscript(_ name: String) -> String? { pairs.first { $0.name == name }?.value }
}

/// Percent-encoding (RFC 3986, 2.1).
enum PercentCoding {
  /// Returns the decoded text; `nil` if an escape sequence is invalid, or if the bytes are not UTF-8.
  static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Encodes a text as one segment of a path. Escapes all characters except unreserved characters (section 2.3).
  static func encode(_ text: String) -> String {
    var out = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        out.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        out += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
      }
    }
    return out
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
