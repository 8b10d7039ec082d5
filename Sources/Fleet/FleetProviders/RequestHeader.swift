import FleetDomain

/// The rules for headers of requests to other programs (RFC 9110, section 5; RFC 9112, section 6).
///
/// Administrators choose the name of the header that contains a key, and the key itself. Neither may change where a
/// request begins or ends, to which host it goes, or what the connection does. Otherwise the body, which contains data
/// of vehicles, could be read as a second request.
public enum RequestHeader {
  /// The maximum length of a name that administrators choose, bytes.
  private static let longestName = 64

  /// Headers that delimit the message or select its receiver, and headers that belong to one connection (RFC 9110,
  /// section 7.6.1). libcurl sets those that are needed.
  private static let ofConnection: Set<String> = [
    "connection", "content-length", "expect", "forwarded", "host", "http2-settings", "keep-alive", "max-forwards", "te",
    "trailer", "trailers", "transfer-encoding", "upgrade", "via",
  ]
  private static let prefixesOfConnection = ["proxy-", "x-forwarded-"]

  /// Headers that no setting may replace, because they describe the message that this server sends.
  private static let ofMessage: Set<String> = [
    "accept", "accept-encoding", "content-encoding", "content-range", "content-type", "date", "range", "user-agent",
    "webhook-id", "webhook-signature", "webhook-timestamp", "x-prometheus-remote-write-version",
  ]

  /// The JSON Schema of the name of a header for a key, as JSON text.
  public static let keyNameSchema =
    #"{"description":"A header for keys; not one that belongs to the message or the connection, such as `Host`.","#
    + #""type":"string","minLength":1,"maxLength":64,"pattern":"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"}"#

  /// Checks the name of a header that an administrator has chosen for a key; `nil` stands for the usual header.
  public static let checkKeyName: @Sendable (String?) throws(FieldError) -> Void = { name throws(FieldError) in
    guard let name else { return }
    guard name.utf8.count <= longestName, isToken(name) else {
      throw FieldError("", "expected the name of a header: 1 to \(longestName) letters, digits and !#$%&'*+-.^_`|~")
    }
    let lowercased = name.lowercased()
    guard !isOfConnection(lowercased), !ofMessage.contains(lowercased) else {
      throw FieldError("", "expected a header for keys, such as X-API-Key; the server itself sets \(name)")
    }
  }

  /// Whether a text can be the value of a header, or part of it: it has no control characters, and not only spaces.
  public static func isValue(_ text: String) -> Bool {
    // libcurl would leave out a header without a value.
    text.utf8.contains { $0 != UInt8(ascii: " ") } && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }

  /// Checks a secret that is sent in a header or, together with other values, in a form.
  ///
  /// - Parameter key: the key of the setting, for the error.
  public static func checkSecret(_ secret: String, _ key: String) throws(FieldError) {
    guard isValue(secret) else { throw FieldError(key, "expected one line without control characters") }
  }

  /// Whether requests may be sent with these headers: each is `Name: value`, none concerns the connection, and no name
  /// occurs twice.
  static func areAllowed(_ lines: [String]) -> Bool {
    var names: Set<String> = []
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), line[colon...].hasPrefix(": ") else { return false }
      let name = line[..<colon].lowercased()
      guard isToken(name), !isOfConnection(name), isValue(String(line[colon...].dropFirst(2))) else { return false }
      guard names.insert(name).inserted else { return false }
    }
    return true
  }

  private static func isOfConnection(_ lowercased: String) -> Bool {
    ofConnection.contains(lowercased) || prefixesOfConnection.contains { lowercased.hasPrefix($0) }
  }

  /// Whether a text is a token (RFC 9110, section 5.6.2).
  private static func isToken(_ text: String) -> Bool {
    let others = "!#$%&'*+-.^_`|~".utf8
    return !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: others.contains(byte)
        }
      }
  }
}
