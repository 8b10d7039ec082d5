/// Makes a text from a server or broker safe for logs and files. The result is one line of at most 200 characters
/// without control characters; `…` follows if the text was longer.
enum PeerText {
  private static let limit = 200

  /// Replaces control characters and line ends by spaces, and cuts the text off after 200 characters.
  static func shown(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(limit) {
      let isPlain: Bool
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: isPlain = false
      default: isPlain = true
      }
      shown.unicodeScalars.append(isPlain ? scalar : " ")
    }
    return text.unicodeScalars.count > limit ? shown + "…" : shown
  }
}
