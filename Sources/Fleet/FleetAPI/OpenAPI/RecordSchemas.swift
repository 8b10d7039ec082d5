import FleetDomain
import Telemetry

/// The schemas of records, generated from the table that is also used to validate records (``RecordField``).
enum RecordSchemas {
  /// The schemas with their names, as members of a JSON object, without the braces of the object.
  static let text = RecordType.allCases.map { "\"\(name(of: $0))\":\(schema(of: $0))" }.joined(separator: ",")

  /// Returns the name of the schema for a type of record, for example `TelemetryRecord`.
  static func name(of type: RecordType) -> String {
    let name = type.text
    return (name == "dtc" ? "DTC" : name.prefix(1).uppercased() + name.dropFirst()) + "Record"
  }

  private static func schema(of type: RecordType) -> String {
    let members = RecordField.contract.filter { $0.types.contains(RecordTypes(type)) }.map { field in
      (field.name, schema(of: field))
    }
    // If a request selects `fields`, the telemetry records in its answer may lack all keys except `id` and `timestamp`.
    // A record without a known date lacks `timestamp`. Therefore only `id` is required.
    let required =
      type == .telemetry ? ["id"] : ["type", "id", "timeQuality", "gatewayId", "vehicleId", "epoch", "seq"]
    return #"{"description":"\#(descriptions[type] ?? "")","type":"object","required":["#
      + required.map { "\"\($0)\"" }.joined(separator: ",") + #"],"properties":{"type":{"const":"\#(type.name)"},"#
      + head + members.map { ",\"\($0)\":\($1)" }.joined() + "}}"
  }

  private static let descriptions: [RecordType: String] = [
    .telemetry:
      "Values and position of a vehicle. Besides these keys it may have any signal that `obdgate signals` lists, and those of signal sets, whose names begin with a capital letter. With `fields` only the chosen keys, `id` and `timestamp`.",
    .vehicle: "What a vehicle says of itself.", .dtc: "Trouble codes of one ECU.",
    .monitors: "Emission monitors of one ECU.", .geofence: "A vehicle entered or left a fence, or stays in it.",
    .trip: "The start or the end of a trip.",
    .driving: "Something about the driving, with the figures that decided it.",
    .adapter: "Something about an adapter or receiver.", .gap: "Sequence numbers that will never arrive.",
  ]

  /// The schemas of the keys that records of all types can have, except `type`.
  private static let head = #"""
    "id":{"description":"Created once by the gateway; a UUID of version 7.","type":"string","format":"uuid"},"timestamp":{"description":"Absent if the date is unknown.","$ref":"#/components/schemas/Time"},"timeQuality":{"description":"The source of the time.","enum":["gps","ntp","system","unset"]},"gatewayId":{"$ref":"#/components/schemas/Name"},"vehicleId":{"$ref":"#/components/schemas/Name"},"epoch":{"description":"The epoch in which seq counts.","type":"string","format":"uuid"},"seq":{"description":"Number of the record, from 1 in each gateway and epoch.","type":"integer","minimum":1,"maximum":9223372036854775807}
    """#

  private static func schema(of field: RecordField) -> String {
    var description = field.title
    if !field.unit.isEmpty { description += ", " + field.unit }
    return #"{"description":"\#(description)","# + type(of: field.values) + "}"
  }

  private static func type(of values: RecordField.Values) -> String {
    switch values {
    case .number(let range): #""type":"number""# + limits(range)
    case .integer(let range): #""type":"integer""# + limits(range)
    case .flag: #""type":"boolean""#
    case .text: #""type":"string""#
    case .code: #""type":["string","number"]"#
    case .time: #""type":"string","format":"date-time""#
    case .identifier: #""type":"string","format":"uuid""#
    case .texts: #""type":"array","items":{"type":"string"}"#
    case .objects: #""type":"array","items":{"type":"object"}"#
    case .object: #""type":"object""#
    case .telemetryByECU: #""type":"object","additionalProperties":{"type":"object"}"#
    }
  }

  private static func limits(_ range: ClosedRange<Double>) -> String {
    var text = ""
    if range.lowerBound.isFinite { text += #","minimum":"# + number(range.lowerBound) }
    if range.upperBound.isFinite { text += #","maximum":"# + number(range.upperBound) }
    return text
  }

  private static func number(_ bound: Double) -> String {
    // The bound 2^63 cannot be converted to Int64. The largest valid whole number is 2^63 - 1.
    bound >= 0x1p63 ? "9223372036854775807" : Int64(exactly: bound).map { "\($0)" } ?? "\(bound)"
  }
}
