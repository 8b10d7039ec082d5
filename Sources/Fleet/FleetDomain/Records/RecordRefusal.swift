import JSONText

/// The reason why a record is rejected, with the position of the error and the expected value. If the record is sent
/// again, it is rejected again, except if the reason was its batch or the rights of its gateway.
public struct RecordRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: String, Hashable, Sendable {
    /// The text is not a JSON object (RFC 8259), or is truncated.
    case malformed
    /// The record has more than ``IncomingRecord/maximumCount`` bytes.
    case tooLarge
    /// A key that every record must have is missing.
    case missingKey
    /// A key has an invalid value.
    case invalidValue
    /// A value is null. Unknown values must be absent.
    case nullValue
    /// A key occurs twice in one object.
    case duplicateKey
    /// The record's `gatewayId` is not that of the gateway that sent it.
    case foreignGateway
    /// The gateway may not send records for this vehicle.
    case foreignVehicle
    /// The batch has too many new vehicles (``TenantLimits``), or the gateway has registered too many.
    case tooManyVehicles
  }

  public let kind: Kind
  /// The path of the key, for example `ecus.7E9`; empty if the record as a whole is rejected.
  public let key: String
  /// The offset of the error in the record, bytes; `nil` if the error has no single position.
  public let offset: Int?
  /// The values that were expected and found.
  public let detail: String

  public init(_ kind: Kind, key: String = "", offset: Int? = nil, _ detail: String) {
    self.kind = kind
    self.key = key
    self.offset = offset
    self.detail = detail
  }

  /// The refusal as one line: `vehicleId: byte 153: expected 1 to 128 bytes without control characters, found ""`.
  public var description: String {
    var text = key.isEmpty ? "" : key + ": "
    if let offset { text += "byte \(offset): " }
    return text + detail
  }
}

extension RecordRefusal {
  /// Quotes a text from a record for a message: on one line, shortened to 60 characters.
  public static func quoted(_ text: some StringProtocol) -> String { JSONError.quoted(text) }
}
