import FleetAccess
import FleetDomain
import FleetProviders
import Telemetry

/// A telemetry record that is sent to another program.
struct ForwardedRecord: Equatable, Sendable {
  let id: UUIDv7
  let vehicle: String
  let time: Timestamp
  /// The members of the record, except the members that all records have (``head``).
  var values: [String: JSON]

  /// The names of the members that all records have. They are not forwarded as values.
  private static let head: Set<String> = [
    "type", "id", "timestamp", "timeQuality", "gatewayId", "vehicleId", "epoch", "seq", "vss", "ecus",
  ]

  /// Creates a record to send; `nil` if the stored record is not telemetry, or has no credible time.
  init?(_ record: StoredRecord) {
    guard record.recordClass == .known(.telemetry), !record.isTimeAhead, let time = record.time,
      let json = try? JSON(parsing: record.body)
    else { return nil }
    (id, vehicle, self.time) = (record.id, record.vehicle, time)
    values = json.members.filter { !Self.head.contains($0.key) }
  }
}

/// The credentials that a request or a login contains.
enum ForwardKey: Sendable {
  case none
  /// A header with its value.
  case header(String)
  case signature(WebhookSignature)
  case password(String)

  var headers: [String] { if case .header(let text) = self { [text] } else { [] } }
}

extension Forward.Format {
  /// The greatest number of records in one request.
  var most: Int {
    switch self {
    case .traccar: 1
    case .webhook: 100
    case .influx, .prometheus, .homeAssistant: 500
    }
  }

  /// Whether the status of an answer shows that the same request would fail again. For example, samples may be too old
  /// or out of order, or a value may have the wrong type. Always `false` for a webhook: its receiver may accept the
  /// request after a correction of its program.
  func isFinal(_ status: Int) -> Bool { self != .webhook && [400, 409, 413, 422].contains(status) }

  /// Returns the request for some records; `nil` if they contain nothing that this format can represent, or if the
  /// format is not sent with HTTP.
  func request(
    _ records: [ForwardedRecord], to address: String, key: ForwardKey, at now: Timestamp
  ) -> ProviderClient.Request? {
    let headers = key.headers
    switch self {
    case .influx:
      let text = records.compactMap(InfluxLine.text).joined(separator: "\n")
      guard !text.isEmpty else { return nil }
      return .init(address, headers: headers + ["Content-Type: text/plain; charset=utf-8"], body: Array(text.utf8))
    case .prometheus:
      guard let body = RemoteWrite.body(records) else { return nil }
      let own = [
        "Content-Encoding: snappy", "Content-Type: application/x-protobuf", "X-Prometheus-Remote-Write-Version: 0.1.0",
      ]
      return .init(address, headers: headers + own, body: body)
    case .traccar:
      guard let record = records.first, let json = TraccarPosition.json(record, at: now) else { return nil }
      return .init(
        address, headers: headers + ["Content-Type: application/json"], body: Array(json.canonicalText.utf8))
    case .webhook:
      guard case .signature(let signature) = key, let body = ForwardWebhook.body(records) else { return nil }
      return .init(
        address, headers: signature.headers(body, id: ForwardWebhook.id(of: body), at: now), body: body)
    case .homeAssistant: return nil
    }
  }
}

/// InfluxDB's line protocol.
///
///     telemetry,vehicle=VAN\ 1 rpm=1726,speed=50 1714809659000000000
enum InfluxLine {
  /// Returns the line of a record; `nil` if it has no values.
  static func text(_ record: ForwardedRecord) -> String? {
    var fields: [String] = []
    for (key, value) in record.values.sorted(by: { $0.key < $1.key }) where isFieldName(key) {
      let text: String? =
        switch value {
        case .integer(let number): "\(Double(number))"
        case .number(let number): "\(number)"
        case .bool(let flag): flag ? "true" : "false"
        case .text(let text): "\"\(escaped(text, "\\\""))\""
        default: nil
        }
      if let text { fields.append("\(name(key))=\(text)") }
    }
    guard !fields.isEmpty else { return nil }
    return "telemetry,vehicle=\(name(record.vehicle)) \(fields.joined(separator: ",")) \(record.time.nanoseconds)"
  }

  /// Whether a key can be the name of a field. A line break would begin another line, and `time` is the name of the
  /// time.
  private static func isFieldName(_ key: String) -> Bool {
    !key.isEmpty && key != "time" && !key.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  /// Returns a text as a tag value or a field name.
  ///
  /// The result never ends with a backslash, because InfluxDB would not read the following space or `=` as a separator.
  /// Therefore, `x5C` is appended to a text that ends with a backslash. It is also appended to a text that ends with a
  /// backslash and `x5C`, so that different texts have different results.
  private static func name(_ text: String) -> String {
    var rest = text.utf8[...]
    while rest.suffix(3).elementsEqual("x5C".utf8) { rest = rest.dropLast(3) }
    return escaped(rest.last == UInt8(ascii: "\\") ? text + "x5C" : text, "\\,= ")
  }

  /// Returns a text with a backslash before each of some characters.
  ///
  /// A comma with a combining mark is another `Character` than a comma, but begins with the same byte. Therefore,
  /// scalars are compared.
  private static func escaped(_ text: String, _ special: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if special.unicodeScalars.contains(scalar) { result.append("\\") }
      result.append(scalar)
    }
    return String(result)
  }
}

/// A position in Traccar's format. Its speeds are in knots (1.852 km/h).
enum TraccarPosition {
  /// Returns the message for a record; `nil` if the record has no position.
  static func json(_ record: ForwardedRecord, at now: Timestamp) -> JSON? {
    guard let latitude = record.values["latitude"]?.numberValue, let longitude = record.values["longitude"]?.numberValue
    else { return nil }
    let speed = record.values["speed"]?.numberValue ?? record.values["gpsSpeed"]?.numberValue
    var attributes = record.values.filter { !["latitude", "longitude", "altitude", "heading"].contains($0.key) }
    // Traccar expects the odometer in m.
    if let odometer = attributes.removeValue(forKey: "odometer")?.numberValue {
      attributes["odometer"] = (odometer * 1_000).json
    }
    let device = number(record.vehicle)
    var position: [String: JSON] = [
      "id": .integer(0), "deviceId": .integer(device), "protocol": .text("fleetstore"), "serverTime": now.json,
      "deviceTime": record.time.json, "fixTime": record.time.json, "valid": .bool(true), "latitude": latitude.json,
      "longitude": longitude.json, "attributes": .object(attributes),
    ]
    position["altitude"] = record.values["altitude"] ?? .integer(0)
    position["course"] = record.values["heading"] ?? .integer(0)
    position["speed"] = Units.rounded((speed ?? 0) / 1.852).json
    position["accuracy"] = record.values["accuracy"] ?? .integer(0)
    return .object([
      "position": .object(position),
      "device": .object([
        "id": .integer(device), "name": .text(record.vehicle), "uniqueId": .text(record.vehicle),
        "status": .text("online"), "attributes": .object([:]),
      ]),
    ])
  }

  /// Returns a number for a vehicle, because Traccar's IDs are numbers: the 32-bit FNV-1a hash without its sign bit.
  private static func number(_ vehicle: String) -> Int64 {
    Int64(vehicle.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } & 0x7FFF_FFFF)
  }
}

/// Prometheus' remote write 1.0: a protobuf message, compressed with Snappy.
enum RemoteWrite {
  /// Returns the body for some records; `nil` if they have no numbers.
  ///
  /// Each value belongs to a time series `fleet_NAME{vehicle="…"}`. The samples of a series are sorted by time.
  static func body(_ records: [ForwardedRecord]) -> [UInt8]? {
    var series: [String: (name: String, vehicle: String, samples: [Int64: Double])] = [:]
    for record in records {
      for (key, value) in record.values {
        guard let number = value.numberValue ?? value.boolValue.map({ $0 ? 1 : 0 }), let name = name(key) else {
          continue
        }
        let id = "\(name)\n\(record.vehicle)"
        series[id, default: (name, record.vehicle, [:])].samples[record.time.milliseconds] = number
      }
    }
    guard !series.isEmpty else { return nil }
    var message: [UInt8] = []
    for (_, one) in series.sorted(by: { $0.key < $1.key }) {
      var text: [UInt8] = []
      // Labels must be sorted by name.
      text += field(1, field(1, "__name__") + field(2, one.name))
      text += field(1, field(1, "vehicle") + field(2, one.vehicle))
      for (time, value) in one.samples.sorted(by: { $0.key < $1.key }) {
        let bits = value.bitPattern
        let double: [UInt8] = [0x09] + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
        text += field(2, double + [0x10] + varint(UInt64(bitPattern: time)))
      }
      message += field(1, text)
    }
    return snappy(message)
  }

  /// Returns the metric's name for a key, such as `fleet_coolant_temp` for `coolantTemp`; `nil` if the result is not a
  /// valid name.
  private static func name(_ key: String) -> String? {
    let name = KindNames(one: key, many: key).table
    guard name.utf8.count <= 100,
      name.utf8.allSatisfy({ byte in
        byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      })
    else { return nil }
    return "fleet_\(name)"
  }

  private static func field(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  /// Encodes a length-delimited field of a protobuf message.
  private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [number << 3 | 2] + varint(UInt64(bytes.count)) + bytes
  }

  private static func varint(_ number: UInt64) -> [UInt8] {
    var (rest, bytes): (UInt64, [UInt8]) = (number, [])
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  /// Encodes bytes in Snappy's block format without compressing them: the result contains only literals.
  private static func snappy(_ bytes: [UInt8]) -> [UInt8] {
    var text = varint(UInt64(bytes.count))
    for start in stride(from: 0, to: bytes.count, by: 65_536) {
      let part = bytes[start..<min(start + 65_536, bytes.count)]
      // The tag 61 << 2 means that the length minus 1 follows in two bytes.
      let length = part.count - 1
      text += [61 << 2, UInt8(truncatingIfNeeded: length), UInt8(truncatingIfNeeded: length >> 8)]
      text += part
    }
    return text
  }
}
