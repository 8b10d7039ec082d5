import FleetDomain
import Telemetry

/// Converts the messages of Tesla's Fleet Telemetry server: vehicles push single signals, one JSON object in each line.
///
///     {"data":[{"key":"VehicleSpeed","value":{"doubleValue":31.5}}],"createdAt":"2025-01-31T16:34:33.180550283Z",
///      "vin":"XP7YGCEK9PB000000"}
///
/// Older firmware writes all values as text, with the same units: miles and mph.
enum TeslaTelemetry {
  /// Converts lines. Lines that are not messages, and unknown signals, are counted.
  static func page(_ body: [UInt8]) -> PulledPage {
    var page = PulledPage()
    for line in body.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) where line.contains(where: { $0 > 0x20 }) {
      guard let json = try? JSON(parsing: Array(line)) else {
        page.ignore("line that is not JSON")
        continue
      }
      add(json, &page)
    }
    return page
  }

  private static func add(_ json: JSON, _ page: inout PulledPage) {
    guard let vin = json["vin"]?.filledText, let time = json["createdAt"]?.time else {
      return page.ignore("message without vin and time")
    }
    var asset = PulledAsset(vin)
    asset.setVIN(vin)
    (asset.make, asset.category) = ("Tesla", .car)
    if !page.assets.contains(asset) { page.assets.append(asset) }
    var values: [String: JSON] = [:]
    var tires: [String: JSON] = [:]
    var charge = PulledCharge(asset: vin, at: time)
    for signal in json["data"]?.elements ?? [] {
      guard let key = signal["key"]?.filledText else {
        page.ignore("signal without key")
        continue
      }
      // An unknown value is an empty object, or has only the member `invalid`.
      guard let value = signal["value"]?.members.sorted(by: { $0.key < $1.key }).first, value.key != "invalid" else {
        continue
      }
      switch key {
      case "Location":
        let position = SourcePosition.values(
          latitude: value.value["latitude"]?.looseNumber, longitude: value.value["longitude"]?.looseNumber)
        if let position { values.merge(position) { $1 } } else { page.ignore("Location that cannot be true") }
      case "DetailedChargeState":
        guard let state = value.value.filledText?.removingPrefix("DetailedChargeState") else { continue }
        values["chargingState"] = .text(String(state.prefix(32)))
        charge.isCharging = state == "Charging"
      case "ACChargingEnergyIn": charge.energy[.ac] = SourcePosition.atLeastZero(value.value.looseNumber)
      case "DCChargingEnergyIn":
        charge.energy[.battery] = SourcePosition.atLeastZero(value.value.looseNumber)
        values["chargeEnergyAdded"] = charge.energy[.battery].map { Units.rounded($0).json }
      case "Gear":
        guard let gear = value.value.filledText?.removingPrefix("ShiftState") else { continue }
        values["shiftState"] = .text(String(gear.prefix(8)))
      case "TpmsPressureFl", "TpmsPressureFr", "TpmsPressureRl", "TpmsPressureRr":
        guard let bar = value.value.looseNumber, bar > 0, bar < 20 else { continue }
        tires[wheels[String(key.suffix(2))] ?? key] = Units.kilopascals(bar: bar).json
      default:
        guard let (name, range, factor) = numbers[key] else {
          page.ignore("signals that are not stored")
          continue
        }
        guard let number = value.value.looseNumber, range.contains(number) else {
          page.ignore("\(key) that cannot be true")
          continue
        }
        values[name] = Units.rounded(number * factor).json
      }
    }
    if !tires.isEmpty { values["tirePressure"] = .object(tires) }
    if let odometer = values["odometer"]?.numberValue {
      page.readings.append(PulledReading(asset: vin, at: time, meter: .odometer, value: odometer))
      charge.odometer = odometer
    }
    if charge.isCharging != nil || !charge.energy.isEmpty { page.charges.append(charge) }
    guard !values.isEmpty else { return }
    // Several messages may have the same time.
    let names = values.keys.sorted().joined(separator: " ")
    page.records.append(PulledRecord(asset: vin, time: time, series: "telemetry \(names)", values: values))
  }

  private static let wheels = ["Fl": "frontLeft", "Fr": "frontRight", "Rl": "rearLeft", "Rr": "rearRight"]

  /// For each signal with a number: the member of the record, the valid range, and the factor that converts the unit.
  private static let numbers: [String: (name: String, range: ClosedRange<Double>, factor: Double)] = [
    "VehicleSpeed": ("speed", 0...158, 1.609344), "Odometer": ("odometer", 0.001...6_000_000, 1.609344),
    "RatedRange": ("range", 0...2_000, 1.609344), "Soc": ("hybridBatteryPackRemainingCharge", 0...100, 1),
    "OutsideTemp": ("ambientAirTemperature", -40...215, 1), "InsideTemp": ("cabinTemperature", -40...215, 1),
    "ACChargingPower": ("chargerPower", 0...1_000, 1), "DCChargingPower": ("chargerPowerDC", 0...1_000, 1),
    "GpsHeading": ("heading", 0...360, 1), "EnergyRemaining": ("energyRemaining", 0...1_000, 1),
  ]
}

extension String {
  /// Returns the text without a prefix; the whole text if it does not begin with the prefix.
  fileprivate func removingPrefix(_ prefix: String) -> String {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
  }
}
