import FleetDomain
import Telemetry

/// A client of Tesla's Fleet API. It reads the list of vehicles and the data of those that are awake, and never wakes a
/// vehicle.
struct TeslaClient: ConnectorClient {
  let session: ConnectorSession

  private static let endpoints = "location_data;charge_state;climate_state;drive_state;vehicle_state"

  var streams: [ConnectorStream] { [ConnectorStream(name: "vehicles")] }

  /// Pulls the list of vehicles, and then one page for each vehicle that is awake. The cursor contains the vehicles
  /// that remain.
  func pull(_ stream: ConnectorStream, after cursor: JSON) async throws(ConnectorError) -> PulledPage {
    let base = (session.settings.address ?? session.settings.service.address ?? "") + "/api/1/vehicles"
    guard case .array(let queue)? = cursor["awake"], let id = queue.first?.textValue else {
      var (page, awake) = try TeslaMapping.list(try await session.json(base))
      page.next(awake)
      return page
    }
    var page = PulledPage()
    do throws(ConnectorError) {
      let query = ConnectorSession.encoded([("endpoints", Self.endpoints)])
      page = try TeslaMapping.data(
        try await session.json("\(base)/\(ConnectorSession.encoded(id))/vehicle_data?\(query)"))
    } catch {
      // The vehicle fell asleep after the list was read.
      guard error.kind == .asleep else { throw error }
      page.ignore("vehicle asleep")
    }
    page.next(queue.dropFirst().compactMap(\.textValue))
    return page
  }
}

extension PulledPage {
  /// Sets the cursor to the vehicles whose data are to be pulled next.
  fileprivate mutating func next(_ awake: [String]) {
    isLast = awake.isEmpty
    cursor = awake.isEmpty ? .null : .object(["awake": .array(awake.map { .text($0) })])
  }
}

/// Converts Tesla's answers to assets and records. Distances and speeds are in miles and mph, even if the screen shows
/// km.
enum TeslaMapping {
  /// Converts the list of vehicles. Also returns the IDs of the vehicles that are awake.
  static func list(_ json: JSON) throws(ConnectorError) -> (PulledPage, awake: [String]) {
    guard case .array(let vehicles)? = json["response"] else {
      throw ConnectorError(.malformed, "expected a list of vehicles in response")
    }
    var (page, awake): (PulledPage, [String]) = (PulledPage(), [])
    for vehicle in vehicles {
      guard let asset = asset(vehicle) else {
        page.ignore("vehicle without id")
        continue
      }
      page.assets.append(asset)
      if vehicle["state"]?.textValue == "online" {
        awake.append(asset.vin ?? asset.id)
      } else {
        page.ignore("vehicle asleep")
      }
    }
    return (page, awake)
  }

  /// Reads an asset; `nil` if it has no identifier. `id` is a 64-bit number, which many programs round; `id_s` is the
  /// same number as text.
  private static func asset(_ json: JSON) -> PulledAsset? {
    guard let id = json["vin"]?.filledText ?? json["id_s"]?.filledText ?? json["id"]?.identifier else { return nil }
    var asset = PulledAsset(id)
    asset.setVIN(json["vin"]?.filledText)
    asset.name = json["display_name"]?.filledText ?? json["vehicle_state"]?["vehicle_name"]?.filledText
    asset.make = "Tesla"
    asset.category = .car
    return asset
  }

  /// Converts the data of a vehicle. Each section of the JSON, such as `drive_state`, has its own time.
  static func data(_ json: JSON) throws(ConnectorError) -> PulledPage {
    guard let response = json["response"], let asset = asset(response) else {
      throw ConnectorError(.malformed, "expected the data of a vehicle in response")
    }
    var page = PulledPage()
    page.assets = [asset]
    func add(_ section: String, _ time: Timestamp?, _ values: [String: JSON]) {
      guard !values.isEmpty else { return }
      guard let time else { return page.ignore("\(section) without a time") }
      page.records.append(PulledRecord(asset: asset.id, time: time, series: section, values: values))
    }
    let drive = response["drive_state"] ?? .null
    let driven = SourceTime.milliseconds(drive["timestamp"]?.numberValue)
    if var position = SourcePosition.values(
      latitude: drive["latitude"]?.numberValue, longitude: drive["longitude"]?.numberValue)
    {
      position["heading"] = SourcePosition.heading(drive["heading"]?.numberValue)
      // The position may be much older than the answer.
      add("position", SourceTime.seconds(drive["gps_as_of"]?.numberValue) ?? driven, position)
    }
    var motion: [String: JSON] = [:]
    motion["speed"] = SourcePosition.atLeastZero(drive["speed"]?.numberValue).flatMap {
      $0 <= 158 ? Units.kilometers(miles: $0).json : nil
    }
    motion["shiftState"] = drive["shift_state"]?.filledText.map { .text(String($0.prefix(8))) }
    motion["drivePower"] = drive["power"]?.numberValue?.json
    add("drive_state", driven, motion)
    let charge = response["charge_state"] ?? .null
    var battery: [String: JSON] = [:]
    battery["hybridBatteryPackRemainingCharge"] = charge["battery_level"]?.numberValue.flatMap {
      (0...100).contains($0) ? $0.json : nil
    }
    battery["range"] = SourcePosition.atLeastZero(charge["battery_range"]?.numberValue)
      .map { Units.kilometers(miles: $0).json }
    battery["chargingState"] = charge["charging_state"]?.filledText.map { .text(String($0.prefix(32))) }
    battery["chargeEnergyAdded"] = SourcePosition.atLeastZero(charge["charge_energy_added"]?.numberValue)?.json
    battery["chargerPower"] = SourcePosition.atLeastZero(charge["charger_power"]?.numberValue)?.json
    add("charge_state", SourceTime.milliseconds(charge["timestamp"]?.numberValue), battery)
    if let time = SourceTime.milliseconds(charge["timestamp"]?.numberValue),
      let state = charge["charging_state"]?.filledText
    {
      let energy = SourcePosition.atLeastZero(charge["charge_energy_added"]?.numberValue)
      page.charges.append(
        PulledCharge(
          asset: asset.id, at: time, isCharging: state == "Charging", energy: energy.map { [.battery: $0] } ?? [:],
          odometer: odometer(response)))
    }
    let climate = response["climate_state"] ?? .null
    var air: [String: JSON] = [:]
    for (key, source) in [("ambientAirTemperature", "outside_temp"), ("cabinTemperature", "inside_temp")] {
      air[key] = climate[source]?.numberValue.flatMap { (-40...215).contains($0) ? $0.json : nil }
    }
    add("climate_state", SourceTime.milliseconds(climate["timestamp"]?.numberValue), air)
    let state = response["vehicle_state"] ?? .null
    var body: [String: JSON] = [:]
    let time = SourceTime.milliseconds(state["timestamp"]?.numberValue)
    if let odometer = odometer(response) {
      body["odometer"] = odometer.json
      if let time { page.readings.append(PulledReading(asset: asset.id, at: time, meter: .odometer, value: odometer)) }
    }
    var tires: [String: JSON] = [:]
    for (key, source) in [("frontLeft", "fl"), ("frontRight", "fr"), ("rearLeft", "rl"), ("rearRight", "rr")] {
      // A sensor that has not reported yet has the value 0.
      if let bar = state["tpms_pressure_\(source)"]?.numberValue, bar > 0, bar < 20 {
        tires[key] = Units.kilopascals(bar: bar).json
      }
    }
    if !tires.isEmpty { body["tirePressure"] = .object(tires) }
    add("vehicle_state", time, body)
    return page
  }

  /// Returns the reading of the odometer, km; `nil` if absent or implausible.
  private static func odometer(_ response: JSON) -> Double? {
    SourcePosition.atLeastZero(response["vehicle_state"]?["odometer"]?.numberValue).flatMap {
      $0 > 0 && $0 < 6_000_000 ? Units.kilometers(miles: $0) : nil
    }
  }
}
