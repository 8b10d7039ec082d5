import Crypto
import Telemetry

/// Encrypts a person's data in the audit with a key of that person (AES-256-GCM).
///
/// The audit's hashes are computed from the encrypted values, so they remain valid after the key is destroyed.
public struct PersonalSeal: Sendable {
  private let key: SymmetricKey

  /// Creates a seal from a person's key.
  ///
  /// - Parameter key: 32 bytes.
  public init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

  /// Creates a random key.
  public static func newKey() -> [UInt8] { (0..<32).map { _ in .random(in: .min ... .max) } }

  /// Encrypts a value. The result is an object with the single member `sealed`, in hexadecimal digits.
  public func seal(_ value: JSON) -> JSON {
    // Encryption fails only for texts of 64 GiB and more.
    guard let box = try? AES.GCM.seal(Array(value.canonicalText.utf8), using: key), let bytes = box.combined else {
      return .object([Self.member: .text("")])
    }
    return .object([Self.member: .text(Hexadecimal.text(Array(bytes)))])
  }

  /// Decrypts a value. A value that is not encrypted is returned unchanged; `nil` if the key is wrong.
  public func open(_ value: JSON) -> JSON? {
    guard Self.isSealed(value) else { return value }
    guard let text = value[Self.member]?.textValue, let bytes = Hexadecimal.bytes(text),
      let box = try? AES.GCM.SealedBox(combined: bytes), let opened = try? AES.GCM.open(box, using: key)
    else { return nil }
    return try? JSON(parsing: Array(opened))
  }

  /// Whether a value is encrypted.
  public static func isSealed(_ value: JSON) -> Bool {
    if case .object(let members) = value { members.count == 1 && members[member] != nil } else { false }
  }

  private static let member = "sealed"
}
