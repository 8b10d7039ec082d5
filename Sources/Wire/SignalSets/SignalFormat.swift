import JSONText
import OBDWire

/// The JSON object `fmt`: position and meaning of a signal's bits in the answer.
///
///     value = raw × mul / div + add
///
/// `bix` counts from the most significant bit of the first byte after the identifier. If the scaled value is at or
/// below `nullmin`, or at or above `nullmax`, the ECU has no value.
struct SignalFormat {
  private let bitIndex: Int
  private let bitLength: Int
  private let isLittleEndian: Bool
  private let isSigned: Bool
  private let multiplier: Double
  private let divisor: Double
  private let addend: Double
  private let nullMinimum: Double?
  private let nullMaximum: Double?
  private let minimum: Double?
  private let maximum: Double?
  private let unit: OBDbUnit
  private let texts: [SignalSet.MapEntry]?

  /// Number of bits after the service byte in the longest possible message (ISO 15765-2: 4,095 bytes).
  private static let longestAnswer = 4_094 * 8

  init(reading value: JSONValue) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    bitIndex = try reader.optionalInt("bix", in: 0...Self.longestAnswer) ?? 0
    bitLength = try reader.requiredInt("len", in: 1...Self.longestAnswer)
    isLittleEndian = try reader.optionalBool("blsb") ?? false
    isSigned = try reader.optionalBool("sign") ?? false
    multiplier = try Self.factor(reader.optional("mul"))
    divisor = try Self.factor(reader.optional("div"))
    addend = try reader.optionalDouble("add") ?? 0
    nullMinimum = try reader.optionalDouble("nullmin")
    nullMaximum = try reader.optionalDouble("nullmax")
    minimum = try reader.optionalDouble("min")
    maximum = try reader.optionalDouble("max")
    unit = OBDbUnit(word: try reader.optionalString("unit") ?? "scalar")
    texts = try Self.texts(reader.optional("map"))
    // These keys contain ranges that a display would mark as good.
    reader.ignore("omin", "omax", "oval")
    try reader.finish()
  }

  /// Copies the position, encoding, unit, scaling, limits and texts from the format to a signal.
  ///
  /// - Returns: `nil` on success; otherwise the reason why the format cannot be represented.
  func apply(to signal: inout SignalSet.Signal) -> String? {
    if texts == nil, unit.isText { return "text of bytes is not a number; signals carry numbers and codes" }
    if bitLength > 64 { return "\(bitLength) bits long; a value has at most 64" }
    var encoding: SignalDefinition.Encoding = isSigned ? .signed : .unsigned
    if isLittleEndian, bitLength > 8 {
      if bitIndex % 8 != 0 || bitLength % 8 != 0 { return "little-endian bits that do not fill whole bytes" }
      encoding = isSigned ? .signedLittleEndian : .unsignedLittleEndian
    }
    signal.definition.bitOffset = UInt16(bitIndex)
    signal.definition.bitLength = UInt8(bitLength)
    if let texts {
      signal.texts = texts
      signal.definition.kind = .enumeration
      signal.definition.encoding =
        encoding == .unsignedLittleEndian || encoding == .signedLittleEndian
        ? .unsignedLittleEndian : .unsigned
      return nil
    }
    signal.definition.encoding = encoding
    signal.definition.unit = unit.unit
    signal.unitText = unit.symbol
    if unit.isTruth, bitLength == 1, !isSigned, multiplier == 1, divisor == 1, addend == 0 {
      signal.definition.kind = .flag
      return nil
    }
    scale(&signal)
    return nil
  }

  private func scale(_ signal: inout SignalSet.Signal) {
    let factor = multiplier / divisor
    signal.definition.factor = factor
    signal.definition.offset = addend
    // `nullmin` and `nullmax` are values that the ECU sends exactly. Tolerate rounding errors, which are far below one
    // step.
    let rounding = abs(factor) * 1e-6
    signal.definition.nullAtOrBelow = nullMinimum.map { $0 + rounding } ?? -.infinity
    signal.definition.nullAtOrAbove = nullMaximum.map { $0 - rounding } ?? .infinity
    signal.minimum = minimum
    signal.maximum = maximum
  }

  private static func factor(_ value: JSONValue?) throws(JSONError) -> Double {
    guard let value else { return 1 }
    let factor = try value.requireDouble()
    guard factor != 0 else { throw value.invalid(expected: "a number other than 0") }
    return factor
  }

  /// Reads the texts of an enumeration: `{"0": {"description": "Not charging", "value": "NOT_CHARGING"}}`, or the short
  /// form `{"0": "NOT_CHARGING"}`. Returns `nil` if the signal has no texts.
  private static func texts(_ map: JSONValue?) throws(JSONError) -> [SignalSet.MapEntry]? {
    guard let map else { return nil }
    guard map.kind == .object else {
      throw map.error(.wrongType(expected: "an object of codes and their texts", found: map.summary))
    }
    var entries: [SignalSet.MapEntry] = []
    for member in map.members {
      guard let code = UInt64(member.key), "\(code)" == member.key else {
        throw member.keyValue.invalid(expected: "a code: a whole number in quotes")
      }
      if let text = member.value.string {
        entries.append(SignalSet.MapEntry(code: code, value: text, description: text))
        continue
      }
      var reader = try JSONObjectReader(member.value)
      let value = try reader.requiredString("value")
      let description = try reader.optionalString("description") ?? value
      try reader.finish()
      entries.append(SignalSet.MapEntry(code: code, value: value, description: description))
    }
    return entries
  }
}
