import CCurl

/// The kind of host in a URL, decided from the text alone, without looking up the name.
enum ServiceHost: Equatable {
  /// `localhost`, and the names below it (RFC 6761, section 6.3).
  case thisMachine
  /// An address that does not belong to the public Internet (RFC 6890).
  case privateAddress
  case publicAddress
  /// A name. It is looked up only when a request is sent.
  case name

  /// Reads the host of a URL; `nil` if it is neither a name nor an address in the usual notation.
  ///
  /// Some programs also accept `127.1`, `2130706433` or `0x7f.0.0.1` as addresses. A name whose last part is a number
  /// is therefore rejected (URL standard, section 3.5: "ends in a number").
  init?(_ text: String) {
    switch unsafe ccurl_is_private_text(text) {
    case 1: self = .privateAddress
    case 0: self = .publicAddress
    default:
      var labels = text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
      if labels.count > 1, labels.last?.isEmpty ?? false { labels.removeLast() }
      let areNames = labels.allSatisfy { label in
        (1...63).contains(label.utf8.count)
          && label.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
              UInt8(ascii: "_"):
              true
            default: false
            }
          }
      }
      guard areNames, text.utf8.count <= 254, let last = labels.last, !Self.isNumber(last) else { return nil }
      self = last == "localhost" ? .thisMachine : .name
    }
  }

  /// Whether a part of a name is a decimal or hexadecimal number.
  private static func isNumber(_ label: Substring) -> Bool {
    let digits = label.hasPrefix("0x") ? label.dropFirst(2) : label
    let isHexadecimal = label.hasPrefix("0x")
    return digits.allSatisfy { isHexadecimal ? $0.isHexDigit : $0.isNumber }
  }
}
