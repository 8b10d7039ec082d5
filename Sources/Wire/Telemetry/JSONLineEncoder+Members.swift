/// The name of a member with its punctuation, from the comma before it to the colon after it: `,"altitude":`.
///
/// Writing text lines of a fixed structure is faster with it: the name is copied unchanged, and one call writes it with
/// its value.
public struct JSONMemberName: Sendable {
  fileprivate let text: StaticString

  /// Creates a name from the bytes that are written.
  ///
  /// - Parameter text: at least eight ASCII characters: a comma, the name in quotes and a colon. The name must contain
  ///   no character that JSON escapes. If the member is the first of its object, the text is written without its comma
  ///   and must have at least nine characters.
  @inline(__always)
  public init(_ text: StaticString) { self.text = text }
}

extension JSONLineEncoder {
  /// Writes a member whose value is a number; see ``value(_:)-(Double)``. Writes nothing if the number is not finite or
  /// the member does not fit.
  public mutating func field(_ name: JSONMemberName, _ number: Double) {
    guard number.isFinite, begin(name, room: DecimalDigits.maximumLength) else { return }
    if !putUsual(number) { putNumber(number, decimals: DecimalDigits.usualDecimals(for: number)) }
  }

  /// Writes a member whose value is a coordinate, rounded to nine decimals. Writes nothing if the coordinate is not
  /// finite or the member does not fit.
  public mutating func field(_ name: JSONMemberName, coordinate: Double) {
    guard coordinate.isFinite, begin(name, room: DecimalDigits.maximumLength) else { return }
    if !putCoordinate(coordinate) { putNumber(coordinate, decimals: 9) }
  }

  /// Writes a member whose value is a text. Writes nothing if the member does not fit.
  public mutating func field(_ name: JSONMemberName, text: Span<UInt8>) {
    unsafe text.withUnsafeBufferPointer { bytes in unsafe putField(name, bytes) }
  }

  /// Writes a member whose value is a text. Writes nothing if the member does not fit.
  public mutating func field(_ name: JSONMemberName, text: StaticString) {
    unsafe putField(name, UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  private mutating func putField(_ name: JSONMemberName, _ text: UnsafeBufferPointer<UInt8>) {
    // In the worst case, every byte of the text is escaped. Two bytes are for the quotes.
    guard begin(name, room: text.count * 6 + 2) else { return }
    unsafe putText(text)
  }

  /// Writes the name if it fits together with `room` more bytes. Returns whether it was written.
  @inline(__always)
  private mutating func begin(_ name: JSONMemberName, room: Int) -> Bool {
    let comma = needsComma ? 0 : 1
    let length = name.text.utf8CodeUnitCount &- comma
    precondition(depth > 0 && !isInArray && pending == .none && length >= 8, "a member belongs in an object")
    guard hasRoom(length + room) else {
      overflowed = true
      return false
    }
    let from = unsafe UnsafeRawPointer(name.text.utf8Start + comma)
    let to = unsafe UnsafeMutableRawPointer(base + count)
    var index = 0
    while index < length &- 8 {
      unsafe to.storeBytes(
        of: from.loadUnaligned(fromByteOffset: index, as: UInt64.self), toByteOffset: index, as: UInt64.self)
      index &+= 8
    }
    // Copy the last eight bytes together, even if some of them were copied already.
    unsafe to.storeBytes(
      of: from.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self), toByteOffset: length &- 8, as: UInt64.self)
    count &+= length
    needsComma = true
    return true
  }
}
