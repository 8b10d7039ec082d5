/// The failure type byte of a three-byte code (SAE J2012-DA, failure type byte; ISO 15031-6, annex A).
///
///     C0031-11      left front wheel speed sensor, circuit short to ground
public struct FailureType: Hashable, Sendable, CustomStringConvertible {
  /// The failure type byte; 0x00 means no additional information.
  public let byte: UInt8

  /// Creates a failure type.
  ///
  /// - Parameter byte: the third byte of a code in UDS services 0x19 and 0x55.
  public init(_ byte: UInt8) { self.byte = byte }

  /// The kind of failure, from the byte's first hexadecimal digit; `nil` for A to F, which are reserved.
  public var category: String? {
    switch byte >> 4 {
    case 0x0: "general failure"
    case 0x1: "electrical failure"
    case 0x2: "signal failure"
    case 0x3: "frequency or pulse width failure"
    case 0x4: "internal failure"
    case 0x5: "programming failure"
    case 0x6: "algorithm failure"
    case 0x7: "mechanical failure"
    case 0x8: "bus message failure"
    case 0x9: "component failure"
    default: nil
    }
  }

  /// A short description of the failure; `nil` for 0x00 and unknown bytes.
  public var text: String? {
    let table = Self.table.span
    for index in table.indices where table[index].byte == byte { return table[index].text.description }
    return nil
  }

  /// The first of these that exists: the ``text``, the ``category``, or the byte, for example `failure type A3`. Empty
  /// for 0x00.
  public var description: String {
    if byte == 0 { return "" }
    let hex = String(byte, radix: 16, uppercase: true)
    return text ?? category ?? "failure type \(hex)"
  }

  /// A failure type byte and its text.
  struct Row: BitwiseCopyable, Sendable {
    let byte: UInt8
    let text: StaticString

    init(_ byte: UInt8, _ text: StaticString) {
      self.byte = byte
      self.text = text
    }
  }
}
