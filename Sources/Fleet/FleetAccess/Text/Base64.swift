/// Base64 with the usual alphabet and padding (RFC 4648, section 4).
public enum Base64 {
  /// Returns the text of some bytes.
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    let text = Base64URL.text(bytes).replacing("-", with: "+").replacing("_", with: "/")
    return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
  }

  /// Returns the bytes of a text; `nil` if it is not Base64.
  public static func bytes(_ text: String) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 4),
      !text.utf8.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") })
    else { return nil }
    var digits = text[...]
    while digits.last == "=" { digits.removeLast() }
    guard text.utf8.count - digits.utf8.count <= 2 else { return nil }
    return Base64URL.bytes(String(digits).replacing("+", with: "-").replacing("/", with: "_"))
  }
}
