/// A vehicle identification number (ISO 3779; 49 CFR 565 in North America), as far as it can be judged by itself.
///
///     1FTFW1ET5DFC10312
public struct VIN: Equatable, Sendable {
  /// 17 characters of A–Z without I, O and Q, and 0–9, and the check digit is right where it is law.
  public let isValid: Bool
  /// Only where ``isValid``.
  public let make: String?
  /// Only where ``isValid`` and the world manufacturer identifier begins with 1–5: elsewhere position 10 is free.
  public let modelYear: Int?

  public init(_ characters: Span<UInt8>) {
    var vin = InlineArray<17, UInt8>(repeating: 0)
    guard characters.count == 17 else {
      (isValid, make, modelYear) = (false, nil, nil)
      return
    }
    for index in 0..<17 { vin[index] = characters[index] }
    let isNorthAmerican = (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(vin[0])
    let isChinese = vin[0] == UInt8(ascii: "L")
    isValid = Self.isWellFormed(vin) && (!(isNorthAmerican || isChinese) || Self.checkDigitHolds(vin))
    make = isValid ? WorldManufacturer.make(of: vin) : nil
    modelYear = isValid && isNorthAmerican ? Self.modelYear(of: vin) : nil
  }

  private static func isWellFormed(_ vin: InlineArray<17, UInt8>) -> Bool {
    for index in 0..<17 where transliterated(vin[index]) == nil { return false }
    return true
  }

  /// Position 9 is the weighted sum of all the others modulo 11, X for 10 (49 CFR 565.15(c)).
  private static func checkDigitHolds(_ vin: InlineArray<17, UInt8>) -> Bool {
    let weights: InlineArray<17, Int> = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
    var sum = 0
    for index in 0..<17 { sum += (transliterated(vin[index]) ?? 0) * weights[index] }
    let remainder = UInt8(sum % 11)
    return vin[8] == (remainder == 10 ? UInt8(ascii: "X") : UInt8(ascii: "0") + remainder)
  }

  /// The number that a character counts as; nil for one that no VIN has.
  private static func transliterated(_ character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "H"): Int(character - UInt8(ascii: "A")) + 1
    case UInt8(ascii: "J")...UInt8(ascii: "N"): Int(character - UInt8(ascii: "J")) + 1
    case UInt8(ascii: "P"): 7
    case UInt8(ascii: "R"): 9
    case UInt8(ascii: "S")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "S")) + 2
    default: nil
    }
  }

  /// Position 10 repeats every 30 years; position 7 tells which round: a digit 1980–2009, a letter 2010–2039.
  private static func modelYear(of vin: InlineArray<17, UInt8>) -> Int? {
    let codes: StaticString = "ABCDEFGHJKLMNPRSTVWXY123456789"
    for index in 0..<codes.utf8CodeUnitCount {
      // The index stays below the string's own length.
      guard unsafe codes.utf8Start[index] == vin[9] else { continue }
      return (vin[6] >= UInt8(ascii: "A") ? 2010 : 1980) + index
    }
    return nil
  }
}
