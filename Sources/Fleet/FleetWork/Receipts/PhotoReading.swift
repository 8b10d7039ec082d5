import FleetDomain

/// Values that the server has read on a photo.
public protocol PhotoReading: Sendable {
  /// The values as clients receive them.
  var members: [String: JSON] { get }
}

/// A VIN on a photo.
public struct VINReading: PhotoReading, Equatable {
  /// Where the VIN was found.
  public enum Source: String, FieldChoice, Sendable {
    case barcode, text
  }

  /// The VIN, 17 digits and letters; `nil` if it could not be read reliably.
  public let vin: ReceiptReading.Value?
  public let source: Source?
  /// Whether the check digit of ISO 3779 is right. Only North American and Chinese VINs must have one.
  public let hasCheckDigit: Bool

  /// Creates a reading from the answer of the image helper.
  ///
  /// - Throws: an error if a value has the wrong type, or is not a VIN.
  public init(json: JSON) throws(FieldError) {
    vin = try ReceiptReading.Value.optional("vin", in: json)
    if let vin, vin.value.textValue.map({ $0.utf8.count == 17 && $0.utf8.allSatisfy(Self.isAllowed) }) != true {
      throw FieldError("vin", "expected 17 digits and letters, found \(vin.value.summary)")
    }
    source = try json["source"].map { json throws(FieldError) in try Source(json: json) }
    hasCheckDigit = json["checkDigit"] == .bool(true)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "I"), UInt8(ascii: "O"), UInt8(ascii: "Q"): false
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: false
    }
  }

  public var members: [String: JSON] {
    guard let vin else { return [:] }
    var members: [String: JSON] = ["vin": vin.json, "checkDigit": .bool(hasCheckDigit)]
    members["source"] = source?.json
    return members
  }

  /// The properties of the JSON Schema of ``members``.
  public static var schema: String {
    #""vin":\#(ReceiptReading.Value.schema),"source":\#(Source.schema),"checkDigit":{"type":"boolean"}"#
  }
}

/// An odometer on a photo.
public struct OdometerReading: PhotoReading, Equatable {
  /// The unit that the odometer shows.
  public enum Unit: String, FieldChoice, Sendable {
    case kilometres = "km"
    case miles = "mi"
  }

  /// The number that the odometer shows; `nil` if it could not be read reliably.
  public let odometer: ReceiptReading.Value?
  /// The unit of the number; `nil` if the photo does not show it.
  public let unit: Unit?

  /// Creates a reading from the answer of the image helper.
  ///
  /// - Throws: an error if a value has the wrong type.
  public init(json: JSON) throws(FieldError) {
    odometer = try ReceiptReading.Value.optional("odometer", in: json)
    if let odometer, odometer.value.integerValue.map({ (0...9_999_999).contains($0) }) != true {
      throw FieldError("odometer", "expected an integer with at most 7 digits, found \(odometer.value.summary)")
    }
    unit = try json["unit"].map { json throws(FieldError) in try Unit(json: json) }
  }

  public var members: [String: JSON] {
    guard let odometer else { return [:] }
    var members: [String: JSON] = ["odometer": odometer.json]
    members["unit"] = unit?.json
    return members
  }

  /// The properties of the JSON Schema of ``members``.
  public static var schema: String {
    #""odometer":\#(ReceiptReading.Value.schema),"unit":\#(Unit.schema)"#
  }
}
