import FleetAccess
import FleetDomain
import Telemetry

/// The formats in which apps report positions.
public enum PhoneFormat: String, CaseIterable, Sendable {
  /// OwnTracks over HTTP.
  case ownTracks = "owntracks"
  /// Traccar Client: query parameters in OsmAnd's format, or JSON.
  case osmAnd = "osmand"
  case overland
  /// The location updates of Home Assistant's companion app.
  case homeAssistant = "home-assistant"

  /// Reads a JSON body.
  ///
  /// - Parameters:
  ///   - now: the time of reception. It is used for formats without a time.
  ///   - key: the key of OwnTracks' encrypted messages; `nil` if there is none.
  /// - Throws: ``PhoneReportError`` if the body is not valid JSON or does not have this format.
  func report(
    json body: [UInt8], at now: Timestamp, key: [UInt8]? = nil
  ) throws(PhoneReportError) -> PhoneReport {
    // OwnTracks sends empty bodies.
    if body.allSatisfy({ $0 <= 0x20 }) { return PhoneReport() }
    let json: JSON
    do throws(FieldError) {
      json = try JSON(parsing: body)
    } catch {
      throw PhoneReportError(message: "expected JSON: \(error.message)")
    }
    return switch self {
    case .ownTracks: try Self.ownTracks(json, key)
    case .osmAnd: try Self.traccar(json)
    case .overland: try Self.overland(json)
    case .homeAssistant: try Self.homeAssistant(json, at: now)
    }
  }

  // MARK: OwnTracks

  /// Reads a message of OwnTracks:
  /// `{"_type":"location","lat":48.85833,"lon":2.29513,"tst":1497349316,"acc":5,"alt":167,"vel":61,"cog":271,"batt":67}`
  ///
  /// `vel` has the unit km/h. Messages of other types are ignored. An encrypted message,
  /// `{"_type":"encrypted","data":"…"}`, contains another message.
  private static func ownTracks(_ json: JSON, _ key: [UInt8]?) throws(PhoneReportError) -> PhoneReport {
    var report = PhoneReport()
    let messages: [JSON]
    switch json {
    case .array(let elements): messages = elements
    case .object: messages = [json]
    default: throw PhoneReportError(message: "expected an object, found \(json.summary)")
    }
    for var message in messages {
      if message["_type"]?.textValue == "encrypted", let key {
        guard let bytes = message["data"]?.filledText.flatMap(Base64.bytes),
          let text = SecretBox.open(bytes, key: key), let inner = try? JSON(parsing: text)
        else {
          report.ignore("encrypted message that the key does not open")
          continue
        }
        message = inner
      }
      guard message["_type"]?.textValue == "location" else {
        let type = message["_type"]?.filledText.map { String($0.prefix(32)) }
        report.ignore(type.map { "message of the type \($0)" } ?? "message without a type")
        continue
      }
      guard let time = SourceTime.seconds(message["tst"]?.numberValue) else {
        report.ignore("position without a time")
        continue
      }
      report.add(
        PhonePosition(
          time: time, latitude: message["lat"]?.numberValue, longitude: message["lon"]?.numberValue,
          speed: message["vel"]?.numberValue, heading: message["cog"]?.numberValue,
          altitude: message["alt"]?.numberValue, accuracy: message["acc"]?.numberValue,
          battery: message["batt"]?.numberValue))
    }
    return report
  }

  // MARK: Traccar Client

  /// Returns the device ID in a body of Traccar Client, which is the phone's key; `nil` if there is none.
  static func traccarDevice(_ body: [UInt8]) -> String? {
    (try? JSON(parsing: body))?["device_id"]?.identifier
  }

  /// Reads a message of Traccar Client:
  /// `{"device_id":"…","location":{"timestamp":"2025-06-15T13:45:12.862Z","coords":{"latitude":37.42,"longitude":-122.08,
  /// "accuracy":5,"speed":0,"heading":-1,"altitude":5},"battery":{"level":1}}}`
  ///
  /// `speed` has the unit m/s, `level` is from 0 to 1, and −1 means unknown. A message without `coords` is a heartbeat.
  private static func traccar(_ json: JSON) throws(PhoneReportError) -> PhoneReport {
    guard let location = json["location"] else {
      throw PhoneReportError(message: "expected an object with device_id and location")
    }
    var report = PhoneReport()
    for location in location.elements.isEmpty ? [location] : location.elements {
      guard case .object? = location["coords"] else {
        report.ignore("message without a position")
        continue
      }
      let coordinates = location["coords"] ?? .null
      guard let time = location["timestamp"]?.time ?? SourceTime.milliseconds(location["timestamp"]?.numberValue) else {
        report.ignore("position without a time")
        continue
      }
      var position = PhonePosition(
        time: time, latitude: coordinates["latitude"]?.numberValue, longitude: coordinates["longitude"]?.numberValue,
        speed: coordinates["speed"]?.numberValue.map(speed), heading: coordinates["heading"]?.numberValue,
        altitude: coordinates["altitude"]?.numberValue, accuracy: coordinates["accuracy"]?.numberValue,
        battery: location["battery"]?["level"]?.numberValue.map { $0 * 100 })
      position?.values["alarm"] = location["alarm"]?.filledText.map { .text(String($0.prefix(64))) }
      report.add(position)
    }
    return report
  }

  /// Converts m/s to km/h. A negative speed means that the phone does not know its speed; -1 is then returned.
  private static func speed(metersPerSecond: Double) -> Double {
    metersPerSecond < 0 ? -1 : Units.kilometersPerHour(metersPerSecond: metersPerSecond)
  }

  /// Reads a position from query or form parameters:
  /// `id=123456&timestamp=1377177267&lat=60.0&lon=30.0&speed=0.0&bearing=0.0`.
  ///
  /// `speed` is in knots. Without `timestamp`, the time of reception is used.
  static func report(
    parameters: [(name: String, value: String)], at now: Timestamp
  ) -> PhoneReport {
    func text(_ names: String...) -> String? {
      parameters.first { names.contains($0.name) && !$0.value.isEmpty }?.value
    }
    func number(_ names: String...) -> Double? {
      parameters.first { names.contains($0.name) }.flatMap { Double($0.value) }.flatMap { $0.isFinite ? $0 : nil }
    }
    var report = PhoneReport()
    var (latitude, longitude) = (number("lat"), number("lon"))
    if let location = text("location") {
      let parts = location.split(separator: ",", omittingEmptySubsequences: false)
      if parts.count == 2 { (latitude, longitude) = (Double(parts[0]), Double(parts[1])) }
    }
    guard latitude != nil || longitude != nil else {
      report.ignore("message without a position")
      return report
    }
    guard !["0", "false"].contains(text("valid") ?? "") else {
      report.ignore("position that is not valid")
      return report
    }
    guard let time = text("timestamp").map(time(of:)) ?? now else {
      report.ignore("position without a time")
      return report
    }
    var position = PhonePosition(
      time: time, latitude: latitude, longitude: longitude,
      speed: number("speed").map { $0 < 0 ? -1 : Units.kilometersPerHour(knots: $0) },
      heading: number("bearing", "heading"), altitude: number("altitude"), accuracy: number("accuracy"),
      battery: number("batt"))
    if let hdop = number("hdop"), hdop > 0, hdop <= 1_000_000 { position?.values["hdop"] = hdop.json }
    position?.values["alarm"] = text("alarm").map { .text(String($0.prefix(64))) }
    report.add(position)
    return report
  }

  /// Returns the time of a parameter: seconds or milliseconds since 1970, RFC 3339, or `yyyy-MM-dd HH:mm:ss` in UTC.
  /// Returns `nil` for any other text.
  private static func time(of text: String) -> Timestamp? {
    if let number = Double(text), number.isFinite {
      return number < 100_000_000_000 ? SourceTime.seconds(number) : SourceTime.milliseconds(number)
    }
    if let time = SourceTime.parse(text) { return time }
    return SourceTime.parse(text.replacing(" ", with: "T") + "Z")
  }

  // MARK: Overland

  /// Reads a message of Overland:
  /// `{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[4.89517,52.37022]},"properties":
  /// {"timestamp":"2024-05-01T08:00:00Z","speed":-1,"course":-1,"horizontal_accuracy":65,"battery_level":0.42}}]}`
  ///
  /// `speed` has the unit m/s, `battery_level` is from 0 to 1, and −1 means unknown. Features that describe a trip are
  /// ignored.
  private static func overland(_ json: JSON) throws(PhoneReportError) -> PhoneReport {
    guard case .array(let features)? = json["locations"] else {
      throw PhoneReportError(message: "expected an object with locations")
    }
    var report = PhoneReport()
    for feature in features {
      let properties = feature["properties"] ?? .null
      if let type = properties["type"]?.filledText {
        report.ignore("feature of the type \(type.prefix(32))")
        continue
      }
      let coordinates = feature["geometry"]?["coordinates"]?.elements ?? []
      guard feature["geometry"]?["type"]?.textValue == "Point", coordinates.count >= 2 else {
        report.ignore("feature that is not a point")
        continue
      }
      guard let time = properties["timestamp"]?.time else {
        report.ignore("position without a time")
        continue
      }
      report.add(
        PhonePosition(
          time: time, latitude: coordinates[1].numberValue, longitude: coordinates[0].numberValue,
          speed: properties["speed"]?.numberValue.map(speed), heading: properties["course"]?.numberValue,
          altitude: properties["altitude"]?.numberValue, accuracy: properties["horizontal_accuracy"]?.numberValue,
          battery: properties["battery_level"]?.numberValue.map { $0 * 100 }))
    }
    return report
  }

  // MARK: Home Assistant

  /// Reads a message of Home Assistant:
  /// `{"type":"update_location","data":{"gps":[52.37022,4.89517],"gps_accuracy":12,"battery":45,"speed":13,"altitude":2,
  /// "course":271}}`
  ///
  /// `speed` has the unit m/s. The time of reception is used. Messages of other types are ignored.
  private static func homeAssistant(_ json: JSON, at now: Timestamp) throws(PhoneReportError) -> PhoneReport {
    var report = PhoneReport()
    guard let type = json["type"]?.filledText else {
      throw PhoneReportError(message: "expected an object with type and data")
    }
    guard type == "update_location" else {
      report.ignore("message of the type \(type.prefix(32))")
      return report
    }
    let data = json["data"] ?? .null
    guard let gps = data["gps"]?.elements, gps.count == 2 else {
      // The app may send only the name of a zone instead of a position.
      report.ignore("message without a position")
      return report
    }
    report.add(
      PhonePosition(
        time: now, latitude: gps[0].numberValue, longitude: gps[1].numberValue,
        speed: data["speed"]?.numberValue.map(speed), heading: data["course"]?.numberValue,
        altitude: data["altitude"]?.numberValue, accuracy: data["gps_accuracy"]?.numberValue,
        battery: data["battery"]?.numberValue))
    return report
  }
}
