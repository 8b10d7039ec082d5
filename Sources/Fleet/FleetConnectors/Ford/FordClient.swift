import FleetDomain
import Telemetry

/// A client of FordConnect's query API. It reads the newest values of the vehicle to which the owner has granted
/// access.
struct FordClient: ConnectorClient {
  let session: ConnectorSession

  var streams: [ConnectorStream] {
    [ConnectorStream(name: "garage", pause: 3_600), ConnectorStream(name: "telemetry")]
  }

  func pull(_ stream: ConnectorStream, after cursor: JSON) async throws(ConnectorError) -> PulledPage {
    let base = session.settings.address ?? session.settings.service.address ?? ""
    let url = "\(base)/fcon-query/v1/\(stream.name)"
    guard stream.name == "garage" else { return try FordMapping.telemetry(try await session.json(url)) }
    do throws(ConnectorError) {
      return try FordMapping.garage(try await session.json(url))
    } catch {
      // The API has no garage for some vehicles. Their telemetry contains the VIN.
      guard error.description.hasPrefix("status 404") else { throw error }
      var page = PulledPage()
      page.ignore("garage: not available for this vehicle")
      return page
    }
  }
}

/// Converts FordConnect's answers to assets and records. Each value has a metric unit and its own time.
enum FordMapping {
  /// Converts the answer about the garage: a list of vehicles, or one vehicle.
  static func garage(_ json: JSON) throws(ConnectorError) -> PulledPage {
    guard case .object = json else { throw ConnectorError(.malformed, "expected an object, found \(json.summary)") }
    var page = PulledPage()
    let vehicles = json["vehicles"]?.elements ?? [json]
    for vehicle in vehicles {
      guard let id = vehicle["vin"]?.filledText ?? vehicle["vehicleId"]?.filledText else {
        page.ignore("vehicle without VIN")
        continue
      }
      var asset = PulledAsset(id)
      asset.setVIN(vehicle["vin"]?.filledText)
      asset.name = vehicle["nickName"]?.filledText
      asset.make = vehicle["make"]?.filledText.map { $0 == "F" ? "Ford" : $0 }
      asset.model = vehicle["modelName"]?.filledText
      asset.modelYear = vehicle["modelYear"]?.looseNumber.flatMap { Int64(exactly: $0) }
      page.assets.append(asset)
    }
    return page
  }

  /// The key under which each metric is stored, and the range of the metric's possible values.
  private static let numbers: [String: (key: String, range: ClosedRange<Double>)] = [
    "speed": ("speed", 0...255), "odometer": ("odometer", 0...9_999_999), "fuelLevel": ("fuelLevel", 0...100),
    "fuelRange": ("range", 0...10_000), "xevBatteryRange": ("range", 0...10_000),
    "xevBatteryStateOfCharge": ("hybridBatteryPackRemainingCharge", 0...100),
    "xevBatteryActualStateOfCharge": ("batteryActualCharge", 0...100),
    "xevBatteryVoltage": ("hybridBatterySystemVoltage", 0...1_023),
    "xevBatteryTemperature": ("tractionBatteryTemperature", -60...150),
    "xevBatteryEnergyRemaining": ("energyRemaining", 0...1_000), "xevBatteryCapacity": ("energyCapacity", 0...1_000),
    "outsideTemperature": ("ambientAirTemperature", -40...215), "ambientTemp": ("ambientAirTemperature", -40...215),
    "batteryVoltage": ("batteryVoltage", 0...100), "batteryStateOfCharge": ("starterBatteryCharge", 0...100),
    "oilLifeRemaining": ("oilLifeRemaining", 0...100), "engineSpeed": ("rpm", 0...16_383.75),
    "engineCoolantTemp": ("coolantTemp", -40...215),
  ]

  static func telemetry(_ json: JSON) throws(ConnectorError) -> PulledPage {
    guard let id = json["vin"]?.filledText ?? json["vehicleId"]?.filledText,
      case .object(let metrics)? = json["metrics"]
    else { throw ConnectorError(.malformed, "expected an object with vin and metrics") }
    var page = PulledPage()
    var asset = PulledAsset(id)
    asset.setVIN(json["vin"]?.filledText)
    page.assets = [asset]
    for (name, metric) in metrics.sorted(by: { $0.key < $1.key }) {
      guard case .object = metric else {
        page.ignore("metric \(name.prefix(40))")
        continue
      }
      guard let value = metric["value"], value != .null else { continue }
      guard let values = values(of: name, value, metrics: metrics, metric) else {
        page.ignore("metric \(name.prefix(40))")
        continue
      }
      guard !values.isEmpty else {
        page.ignore("\(name.prefix(40)) that cannot be true")
        continue
      }
      guard let time = metric["updateTime"]?.time else {
        page.ignore("\(name.prefix(40)) without a time")
        continue
      }
      page.records.append(PulledRecord(asset: id, time: time, series: name, values: values))
      if let odometer = values["odometer"]?.numberValue {
        page.readings.append(PulledReading(asset: id, at: time, meter: .odometer, value: odometer))
      }
    }
    return page
  }

  /// Returns the members of the record for a metric; empty if the metric's value is impossible, and `nil` if the metric
  /// is unknown.
  private static func values(
    of name: String, _ value: JSON, metrics: [String: JSON], _ metric: JSON
  ) -> [String: JSON]? {
    if let rule = numbers[name] {
      guard let number = value.numberValue, rule.range.contains(number) else { return [:] }
      return [rule.key: number.json]
    }
    switch name {
    case "position":
      let location = value["location"] ?? .null
      guard
        var values = SourcePosition.values(
          latitude: location["lat"]?.numberValue, longitude: location["lon"]?.numberValue)
      else { return [:] }
      values["altitude"] = location["alt"]?.numberValue.flatMap { (-1_000...20_000).contains($0) ? $0.json : nil }
      // The heading is a separate metric. It belongs to the position if both have the same time.
      if let heading = metrics["heading"], heading["updateTime"] == metric["updateTime"] {
        values["heading"] = SourcePosition.heading(heading["value"]?["heading"]?.numberValue)
      }
      return values
    case "heading":
      return SourcePosition.heading(value["heading"]?.numberValue).map { ["heading": $0] } ?? [:]
    case "ignitionStatus":
      return value.filledText.map { ["ignition": .text(String($0.prefix(16)).lowercased())] } ?? [:]
    case "xevPlugChargerStatus", "xevBatteryChargeDisplayStatus":
      return value.filledText.map {
        [name == "xevPlugChargerStatus" ? "plug" : "chargingState": .text(String($0.prefix(32)))]
      } ?? [:]
    default: return nil
    }
  }
}
