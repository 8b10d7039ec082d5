/// The name of a member with its punctuation, from the comma before it to the colon after it: `,"altitude":`.
///
/// It makes text lines of a fixed structure faster: the name is copied unchanged, and the same call writes its value.
public struct JSONMemberName: Sendable {
  fileprivate let text: StaticString

  /// Creates a name from its literal text.
  ///
  /// - Parameter text: ASCII of at least eight characters: a comma, the name in quotes and a colon. The name must not
  ///   need escapes. The first member of an object is written without the comma, and its text needs nine characters.
  @inline(__always)
  public init(_ text: StaticString) { self.text = text }
}

extension JSONLineEncoder {
  /// Writes a member with a number as its value; see ``value(_:)-(Double)``. Writes nothing if the number is not finite
  /// or does not fit.
  public mutating func field(_ name: JSONMemberName, _ number: Double) {
    guard number.isFinite, begin(name, room: DecimalDigits.maximumLength) else { return }
    if !putUsual(number) { putNumber(number, decimals: DecimalDigits.usualDecimals(for: number)) }
  }

  /// Writes a member with a coordinate as its value, rounded to nine decimals. Writes nothing if it is not finite or
  /// does not fit.
  public mutating func field(_ name: JSONMemberName, coordinate: Double) {
    guard coordinate.isFinite, begin(name, room: DecimalDigits.maximumLength) else { return }
    if !putCoordinate(coordinate) { putNumber(coordinate, decimals: 9) }
  }

  /// Writes a member with a text as its value. Writes nothing if it does not fit.
  public mutating func field(_ name: JSONMemberName, text: Span<UInt8>) {
    unsafe text.withUnsafeBufferPointer { bytes in unsafe putField(name, bytes) }
  }

  /// Writes a member with a text as its value. Writes nothing if it does not fit.
  public mutating func field(_ name: JSONMemberName, text: StaticString) {
    unsafe putField(name, UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  @inline(__always)
  private mutating func putField(_ name: JSONMemberName, _ text: UnsafeBufferPointer<UInt8>) {
    // The worst case: every byte needs an escape. Two bytes are for the quotes.
    guard begin(name, room: text.count * 6 + 2) else { return }
    unsafe putText(text)
  }

  /// Writes the name if it and `room` more bytes fit.
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
    // Copy the last eight bytes. Some of them may have been copied already.
    unsafe to.storeBytes(
      of: from.loadUnaligned(fromByteOffset: length &- 8, as: UInt64.self), toByteOffset: length &- 8, as: UInt64.self)
    count &+= length
    needsComma = true
    return true
  }
}
