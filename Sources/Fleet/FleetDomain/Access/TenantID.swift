import Telemetry

/// The name of a tenant. Every row belongs to one tenant, and no call for a tenant reads or changes rows of another.
///
///     TenantID("north-depot")
public struct TenantID: Hashable, Sendable, CustomStringConvertible {
  /// 1 to 63 characters of a–z, 0–9 and `-`; the first is a letter or digit.
  public let text: String

  /// The tenant that always exists: `default`.
  public static let standard = TenantID(unchecked: "default")

  /// The name that stands for all clients without a valid key. No tenant can have this name.
  static let strangers = TenantID(unchecked: "?")

  /// Creates an ID; `nil` if the text does not have the format of ``text``.
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

/// A tenant as an element of lists.
public struct Tenant: Equatable, Sendable {
  public let id: TenantID
  public let addedAt: Timestamp

  public init(id: TenantID, addedAt: Timestamp) {
    self.id = id
    self.addedAt = addedAt
  }
}
