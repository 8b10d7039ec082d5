extension String {
  /// The text in a form that is safe for a terminal or a log, on one line.
  ///
  /// Control characters, line ends and characters that change the writing direction are escaped as in JSON (`\u001B`).
  /// Text that was received from adapters, ECUs and servers, and the names of devices and files, may contain commands
  /// to a terminal. All code that prints such text uses this property.
  public var printable: String {
    guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isUnprintable { text += scalar.escape } else { text.unicodeScalars.append(scalar) }
    }
    return text
  }
}

extension Unicode.Scalar {
  fileprivate var isUnprintable: Bool {
    if (0x20..<0x7F).contains(value) { return false }
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
  }

  fileprivate var escape: String {
    let digits = String(value, radix: 16, uppercase: true)
    let count = value > 0xFFFF ? 8 : 4
    return (count == 8 ? "\\U" : "\\u") + String(repeating: "0", count: count - digits.count) + digits
  }
}
