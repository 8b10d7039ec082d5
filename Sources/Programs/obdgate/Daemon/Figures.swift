/// Formats numbers as short texts.
enum Figures {
  /// Formats a duration in seconds: `0.4 s`, `42 s`, `12 min`, `5 h`, `3 d`.
  static func duration(_ seconds: Double) -> String {
    if seconds < 9.95 { return "\(oneDecimal(seconds)) s" }
    if seconds < 99.5 { return "\(whole(seconds)) s" }
    if seconds < 99.5 * 60 { return "\(whole(seconds / 60)) min" }
    if seconds < 48 * 3_600 { return "\(whole(seconds / 3_600)) h" }
    return "\(whole(seconds / 86_400)) d"
  }

  /// Formats a number of bytes: `840 B`, `1.2 kB`, `3.4 MB`.
  static func bytes(_ count: Int) -> String {
    var size = Double(count)
    if size < 1_000 { return "\(count) B" }
    for unit in ["kB", "MB", "GB"] {
      size /= 1_000
      if size < 999.95 { return "\(oneDecimal(size)) \(unit)" }
    }
    return "\(oneDecimal(size / 1_000)) TB"
  }

  /// Formats a number with one decimal place: `8.2`.
  static func oneDecimal(_ value: Double) -> String {
    let tenths = whole(value * 10)
    guard tenths.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return tenths }
    return (tenths.count > 1 ? tenths.dropLast() : "0") + "." + tenths.suffix(1)
  }

  /// Formats a fraction of 1 as a percentage: `71 %`.
  static func percent(_ share: Double) -> String { "\(whole(share * 100)) %" }

  /// Formats an integer with separators: `1,234,567`.
  static func grouped(_ count: Int) -> String {
    let digits = Array(String(count))
    var out = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0, digits[index - 1] != "-" { out += "," }
      out.append(digit)
    }
    return out
  }

  /// Formats a number, rounded to an integer. A number that `Int` cannot represent is formatted as a `Double`.
  private static func whole(_ value: Double) -> String { Int(exactly: value.rounded()).map(String.init) ?? "\(value)" }
}
