import JSONText

/// The reason why a record is rejected, with the place and the expected value. If the same record is sent again, it is
/// rejected again.
public struct RecordRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, Hashable, Sendable {
    /// Not a JSON object (RFC 8259), or a truncated one.
    case malformed
    /// More than ``IncomingRecord/maximumCount`` bytes.
    case tooLarge
    /// A key that every record must have is missing.
    case missingKey
    /// A key has an invalid value.
    case invalidValue
    /// A value is null. Unknown values must be absent.
    case nullValue
    /// A key occurs twice in one object.
    case duplicateKey
    /// The record's gateway is not its sender.
    case foreignGateway
    /// The gateway may not write as this vehicle.
    case foreignVehicle
    /// The batch has too many new vehicles (``TenantLimits``), or the gateway has registered too many.
    case tooManyVehicles
  }

  public let kind: Kind
  /// The path of the key: `ecus.7E9`; empty for the record as a whole.
  public let key: String
  /// The offset in the record in bytes; `nil` if there is no single place.
  public let offset: Int?
  /// The expected and the found value.
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
  /// Quotes a text of a record for a message: on one line, at most 60 characters.
  public static func quoted(_ text: some StringProtocol) -> String { JSONError.quoted(text) }
}
