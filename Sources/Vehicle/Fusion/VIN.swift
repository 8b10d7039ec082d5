/// A vehicle identification number (ISO 3779; in North America 49 CFR 565), with the data that can be derived from the
/// number alone.
///
///     let vin = VIN("1FTFW1ET5DFC10312".utf8.span)
///     vin.make            // "Ford"
///     vin.modelYear       // 2013
public struct VIN: Equatable, Sendable {
  /// Whether the number has 17 characters (0–9 or A–Z without I, O and Q), and a correct check digit if the law
  /// requires one.
  public let isValid: Bool
  /// The make of the vehicle; `nil` if the number is invalid or the manufacturer is unknown.
  public let make: String?
  /// The model year; `nil` if the number is invalid, or if the manufacturer identifier does not begin with 1–5. Other
  /// manufacturers need not state the model year in position 10.
  public let modelYear: Int?

  /// Decodes a vehicle identification number.
  ///
  /// - Parameter characters: the number in ASCII, usually 17 characters.
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

  /// Whether the check digit (position 9) is right. It must equal the weighted sum of the other positions modulo 11,
  /// with X for 10 (49 CFR 565.15(c)).
  private static func checkDigitHolds(_ vin: InlineArray<17, UInt8>) -> Bool {
    let weights: InlineArray<17, Int> = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
    var sum = 0
    for index in 0..<17 { sum += (transliterated(vin[index]) ?? 0) * weights[index] }
    let remainder = UInt8(sum % 11)
    return vin[8] == (remainder == 10 ? UInt8(ascii: "X") : UInt8(ascii: "0") + remainder)
  }

  /// Returns the value of a character in the weighted sum from which the check digit is computed; `nil` if a VIN cannot
  /// contain the character.
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

  /// Decodes the model year from position 10, whose codes repeat every 30 years; `nil` if the code is invalid. Position
  /// 7 selects the period: a digit for 1980–2009, a letter for 2010–2039.
  private static func modelYear(of vin: InlineArray<17, UInt8>) -> Int? {
    let codes: StaticString = "ABCDEFGHJKLMNPRSTVWXY123456789"
    for index in 0..<codes.utf8CodeUnitCount {
      // `index` is less than the length of the string.
      guard unsafe codes.utf8Start[index] == vin[9] else { continue }
      return (vin[6] >= UInt8(ascii: "A") ? 2010 : 1980) + index
    }
    return nil
  }
}
