/// Failure type byte of a three-byte code: how the part failed (SAE J2012-DA, failure type byte; ISO 15031-6, annex A).
///
///     C0031-11      left front wheel speed sensor, circuit short to ground
public struct FailureType: Hashable, Sendable, CustomStringConvertible {
  /// The byte; 0x00 says nothing beyond the code itself.
  public let byte: UInt8

  /// - Parameter byte: the third byte of a code, as services 19 and 0x55 of UDS give it.
  public init(_ byte: UInt8) { self.byte = byte }

  /// The kind of failure: the byte's first digit. Nil for A to F, which the standard keeps free.
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

  /// What failed, in a few words; nil for 0x00 and for bytes whose meaning is not known here.
  public var text: String? {
    let table = Self.table.span
    for index in table.indices where table[index].byte == byte { return table[index].text.description }
    return nil
  }

  /// ``text``, else ``category``, else the byte: `failure type A3`. Empty for 0x00.
  public var description: String {
    if byte == 0 { return "" }
    let hex = String(byte, radix: 16, uppercase: true)
    return text ?? category ?? "failure type \(hex)"
  }

  /// One byte and its text.
  struct Row: BitwiseCopyable, Sendable {
    let byte: UInt8
    let text: StaticString

    init(_ byte: UInt8, _ text: StaticString) {
      self.byte = byte
      self.text = text
    }
  }
}
