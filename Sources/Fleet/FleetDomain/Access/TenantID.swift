import Telemetry

/// Whose rows they are: every row belongs to one tenant, and no call crosses from one to another.
///
///     TenantID("north-depot")
public struct TenantID: Hashable, Sendable, CustomStringConvertible {
  /// The name: 1 to 63 of a–z, 0–9 and `-`, a letter or digit first.
  public let text: String

  /// The tenant that exists before any other is made: `default`.
  public static let standard = TenantID(unchecked: "default")

  /// Nil unless the name is as ``text`` says.
  public init?(_ text: String) {
    let bytes = text.utf8
    guard let first = bytes.first, bytes.count <= 63, first != UInt8(ascii: "-") else { return nil }
    let isAllowed = bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
      default: false
      }
    }
    guard isAllowed else { return nil }
    self.text = text
  }

  private init(unchecked text: String) { self.text = text }

  public var description: String { text }
}

/// One tenant, as lists show it.
public struct Tenant: Equatable, Sendable {
  public let id: TenantID
  public let addedAt: Timestamp

  public init(id: TenantID, addedAt: Timestamp) {
    self.id = id
    self.addedAt = addedAt
  }
}
