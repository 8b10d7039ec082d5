/// The text line that is being processed, with the data that readings and errors need.
struct LineContext: ~Escapable {
  /// The text line as it was received, without its CR.
  var line: Span<UInt8>
  /// Definitions of the signals of the signal sets in use, sorted by service and identifier.
  let loaded: Span<SignalDefinition>
  /// Sender, index and position of the text line.
  var origin: Origin
  /// Slot of the sender in the ``ECUTable``.
  var slot = ECUTable.unknown
  /// Index of the text line's first hexadecimal digit.
  var start = 0
  /// Number of digits between ``start`` and the first digit of the message; -1 for a message of several text lines.
  var firstDigit = -1

  @_lifetime(copy line, copy loaded)
  @inline(__always)
  init(_ line: Span<UInt8>, loaded: Span<SignalDefinition>, origin: Origin) {
    self.line = line
    self.loaded = loaded
    self.origin = origin
  }

  /// Returns an error at a byte of the message. If the message has several text lines, the error is at the end of the
  /// current one.
  func error(_ kind: WireError.Kind, atByte byte: Int) -> WireError {
    WireError(kind, origin: origin, offset: offset(ofByte: byte))
  }

  /// Returns an error at the end of the text line.
  func errorAtEnd(_ kind: WireError.Kind) -> WireError {
    WireError(kind, origin: origin, offset: UInt16(clamping: line.count))
  }

  /// Returns the index in the text line at which a byte of the message begins. If the message has several text lines,
  /// returns the length of the current one.
  func offset(ofByte byte: Int) -> UInt16 {
    guard firstDigit >= 0 else { return UInt16(clamping: line.count) }
    let wanted = firstDigit + 2 * byte
    var seen = 0
    for i in min(start, line.count)..<line.count where Hex.value(line[i]) < 16 {
      if seen == wanted { return UInt16(clamping: i) }
      seen += 1
    }
    return UInt16(clamping: line.count)
  }
}
