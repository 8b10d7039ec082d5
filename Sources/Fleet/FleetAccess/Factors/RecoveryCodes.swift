import Crypto
import FleetDomain

/// Codes that replace a lost second factor. Each can be used once.
///
///     K7QM-3XHP-9RTV-C2WD-5NBF-8JAG
///
/// A code has 24 characters of 5 random bits, 120 bits in total. That is too many to try all codes, so a plain SHA-256
/// digest is stored (OWASP ASVS 5.0, 6.5.2: at least 112 bits).
public enum RecoveryCodes {
  /// Number of codes in a set.
  public static let count = 10
  private static let characters = 24
  /// Crockford's alphabet: without I, L, O and U, which are mistaken for other characters.
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

  /// Creates a set of random codes, in groups of four characters. They are shown to the person once.
  public static func newSet() -> [String] {
    var generator = SystemRandomNumberGenerator()
    return (0..<count).map { _ in
      var code: [UInt8] = []
      for index in 0..<characters {
        if index > 0, index % 4 == 0 { code.append(UInt8(ascii: "-")) }
        code.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
      }
      return String(decoding: code, as: UTF8.self)
    }
  }

  /// Returns the digest that is stored for a code.
  ///
  /// - Parameter entered: a code as a person typed it. Lower case, spaces and missing hyphens are accepted; `I`, `L`
  ///   and `O` are read as `1`, `1` and `0`.
  /// - Returns: `nil` if the text cannot be a code.
  public static func hash(of entered: String) -> SecretHash? {
    var code: [UInt8] = []
    for character in entered.utf8 {
      let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character) ? character - 0x20 : character
      switch upper {
      case UInt8(ascii: " "), UInt8(ascii: "-"): continue
      case UInt8(ascii: "I"), UInt8(ascii: "L"): code.append(UInt8(ascii: "1"))
      case UInt8(ascii: "O"): code.append(UInt8(ascii: "0"))
      default:
        guard alphabet.contains(upper) else { return nil }
        code.append(upper)
      }
    }
    guard code.count == characters else { return nil }
    return SecretHash(Array(SHA256.hash(data: code)))
  }
}
