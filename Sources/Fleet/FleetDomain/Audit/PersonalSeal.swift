import Crypto
import Telemetry

/// What the audit says of a person, encrypted with a key of that person (AES-256-GCM).
///
/// The audit's hashes are of the encrypted values: they stay valid after the key was destroyed.
public struct PersonalSeal: Sendable {
  private let key: SymmetricKey

  /// - Parameter key: 32 bytes.
  public init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

  /// A new random key.
  public static func newKey() -> [UInt8] { (0..<32).map { _ in .random(in: .min ... .max) } }

  /// Encrypts a value: an object with the one member `sealed`, hexadecimal.
  public func seal(_ value: JSON) -> JSON {
    // Sealing fails only for texts of 64 GiB and more.
    guard let box = try? AES.GCM.seal(Array(value.canonicalText.utf8), using: key), let bytes = box.combined else {
      return .object([Self.member: .text("")])
    }
    return .object([Self.member: .text(Hexadecimal.text(Array(bytes)))])
  }

  /// The value that ``seal(_:)`` encrypted; a value that is not encrypted as it is; `nil` if the key is another one.
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
