import JSONText

/// Why a record was not taken: what is wrong, where, and what would be right. It says so for good: the same record is
/// refused again.
public struct RecordRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, Hashable, Sendable {
    /// No JSON object (RFC 8259), or one that is cut.
    case malformed
    /// More than ``IncomingRecord/maximumCount`` bytes.
    case tooLarge
    /// A key that every record has is not there.
    case missingKey
    /// A key has a value that it cannot have.
    case invalidValue
    /// A value is null: what is not known is absent.
    case nullValue
    /// A key stands twice in one object.
    case duplicateKey
    /// The record says another gateway than the one that sent it.
    case foreignGateway
    /// The gateway may not write as this vehicle.
    case foreignVehicle
    /// The batch names more new vehicles than one may (``TenantLimits``), or the gateway has registered as many as it may.
    case tooManyVehicles
  }

  public let kind: Kind
  /// The key it is about, as a path: `ecus.7E9`; empty for the record as a whole.
  public let key: String
  /// Bytes of the record before the place; nil where there is no one place.
  public let offset: Int?
  /// What would be right, and what is there instead.
  public let detail: String

  public init(_ kind: Kind, key: String = "", offset: Int? = nil, _ detail: String) {
    self.kind = kind
    self.key = key
    self.offset = offset
    self.detail = detail
  }

  /// One line: `vehicleId: byte 153: expected 1 to 128 bytes without control characters, found ""`.
  public var description: String {
    var text = key.isEmpty ? "" : key + ": "
    if let offset { text += "byte \(offset): " }
    return text + detail
  }
}

extension RecordRefusal {
  /// A text from a record as a message may show it: in quotes, on one line, at most 60 characters.
  public static func quoted(_ text: some StringProtocol) -> String { JSONError.quoted(text) }
}
