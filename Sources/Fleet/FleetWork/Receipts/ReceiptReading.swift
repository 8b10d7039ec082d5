import FleetDomain
import Telemetry

/// The values that the server has read on a photo of a receipt. A person checks them before they are saved.
public struct ReceiptReading: Equatable, Sendable {
  /// A value with its place in the image.
  public struct Value: NestedValue {
    public var value = JSON.null
    /// The probability that the value is right, as the server estimates it: above 0 and below 1.
    public var confidence = 0.0
    /// The rectangle around the value: left, top, width and height, as fractions of the image's width and height.
    public var box: [Double] = []

    public init() {}

    /// Returns the value of a key; `nil` if the answer does not contain the key.
    static func optional(_ key: String, in json: JSON) throws(FieldError) -> Value? {
      guard let member = json[key], member != .null else { return nil }
      let value = try Value(json: member)
      guard value.value.textValue.map({ (1...200).contains($0.utf8.count) }) ?? (value.value.integerValue != nil),
        value.box.count == 4, value.box.allSatisfy({ (0...1).contains($0) }), (0...1).contains(value.confidence)
      else { throw FieldError(key, "expected a text or an integer with its box, found \(member.summary)") }
      return value
    }

    public static let fields: [Field<Value>] = [
      Field("value", \.value).required(), Field("confidence", \.confidence).required(), Field("box", \.box).required(),
    ]
  }

  /// The keys of values that a reading may have.
  public static let keys = [
    "merchant", "date", "time", "total", "currency", "tax", "quantity", "price", "fuelAmount", "product", "odometer",
  ]

  /// The values that were read. The keys are those in ``keys``. A value that could not be read is absent.
  public let values: [String: Value]
  public let energy: FuelEntry.Energy?
  /// The unit of the quantity; `nil` if the receipt does not show it.
  public let unit: FuelEntry.Unit?
  /// Whether the receipt itself states that it is not the final receipt.
  public let isPreliminary: Bool
  private let isOdometerInMiles: Bool

  /// Creates a reading from the answer of the image helper.
  ///
  /// - Throws: an error if a value has the wrong type.
  public init(json: JSON) throws(FieldError) {
    var values: [String: Value] = [:]
    for key in Self.keys { values[key] = try Value.optional(key, in: json) }
    self.values = values
    energy = try json["energy"].map { json throws(FieldError) in try FuelEntry.Energy(json: json) }
    unit =
      switch json["unit"]?.textValue {
      case "L": .litre
      case "kWh": .kilowattHour
      case "kg": .kilogram
      // `gal` can mean two units. A receipt in pounds is British and uses the imperial gallon.
      case "gal": values["currency"]?.value.textValue == "GBP" ? .imperialGallon : .usGallon
      default: nil
      }
    isPreliminary = json["preliminary"] == .bool(true)
    isOdometerInMiles = json["odometerUnit"]?.textValue == "mi"
  }

  /// The reading as clients receive it.
  public var json: JSON {
    var members: [String: JSON] = values.mapValues(\.json)
    members["energy"] = energy?.json
    members["unit"] = unit?.json
    members["preliminary"] = .bool(isPreliminary)
    return .object(members)
  }

  /// The JSON Schema of ``json``.
  public static var schema: String {
    let values = keys.map { "\"\($0)\":\(Value.schema)" }.joined(separator: ",")
    return #"{"type":"object","required":["preliminary"],"properties":{\#(values),"#
      + #""energy":\#(FuelEntry.Energy.schema),"unit":\#(FuelEntry.Unit.schema),"preliminary":{"type":"boolean"}}}"#
  }

  private func text(_ key: String) -> String? { values[key]?.value.textValue }

  private func money(_ key: String) -> Money? {
    guard let amount = text(key), let currency = text("currency") else { return nil }
    return Money(amount: amount, currency: currency)
  }

  /// The time on the receipt; `nil` unless it has a date and a time of day.
  ///
  /// - Parameter zone: the time zone of the receipt.
  public func time(in zone: ZoneRules) -> Timestamp? {
    guard let text = text("date"), let day = try? CalendarDate(json: .text(text)),
      let clock = self.text("time")?.split(separator: ":"), clock.count == 2, let hour = Int64(clock[0]),
      let minute = Int64(clock[1]), (0..<24).contains(hour), (0..<60).contains(minute)
    else { return nil }
    let local = Int64(day.dayNumber) * 86_400 + hour * 3_600 + minute * 60
    let first = local - zone.offset(at: local)
    return Timestamp(limiting: (local - zone.offset(at: first)) * 1_000)
  }

  /// Proposes a thing to create from the receipt: its kind, and its values in the format in which a client sends them.
  /// Required values that could not be read are missing.
  ///
  /// - Parameters:
  ///   - file: the photo.
  ///   - vehicle: the id of the vehicle, if it is known.
  ///   - zone: the time zone of the receipt.
  public func proposal(
    file: UUIDv7, vehicle: String?, in zone: ZoneRules
  ) -> (kind: KindNames, values: [String: JSON]) {
    var members: [String: JSON] = ["fileIds": FileIDs([file]).json]
    members["vehicleId"] = vehicle.map { .text($0) }
    members["at"] = time(in: zone)?.json
    guard let quantity = text("quantity").flatMap({ Double($0) }), let unit else {
      members["amount"] = money("total")?.json
      members["vendorName"] = text("merchant").map { .text($0) }
      return (Expense.names, members)
    }
    members["quantity"] = .number(quantity)
    members["unit"] = unit.json
    members["energy"] = energy?.json
    members["price"] = money("price")?.json
    // The price of the fuel alone, without other goods on the same receipt.
    members["total"] = (money("fuelAmount") ?? money("total"))?.json
    members["place"] = text("merchant").map { .text($0) }
    if let odometer = values["odometer"]?.value.integerValue {
      members["odometer"] = (Double(odometer) * (isOdometerInMiles ? 1.609_344 : 1)).rounded().json
    }
    return (FuelEntry.names, members)
  }
}
