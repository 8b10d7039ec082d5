import FleetDomain

/// A type of Samsara's vehicle statistics. The raw value is its name in the feed.
enum SamsaraStat: String, CaseIterable {
  case gps, engineStates, fuelPercents, obdOdometerMeters, gpsOdometerMeters, gpsDistanceMeters, obdEngineSeconds
  case syntheticEngineSeconds, engineRpm, ecuSpeedMph, engineLoadPercent, engineCoolantTemperatureMilliC
  case engineOilPressureKPa, ambientAirTemperatureMilliC, intakeManifoldTemperatureMilliC, barometricPressurePa
  case batteryMilliVolts, defLevelMilliPercent, fuelConsumedMilliliters, faultCodes
  case evStateOfChargeMilliPercent

  /// All types. The keys are the names in the feed and the names in snapshots.
  static let named: [String: SamsaraStat] = {
    var named = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    named["engineState"] = .engineStates
    named["fuelPercent"] = .fuelPercents
    return named
  }()

  /// Returns the members of a record for one reading; `nil` if its value is impossible.
  func values(_ json: JSON) -> [String: JSON]? {
    if self == .gps { return Self.position(json) }
    if self == .engineStates {
      guard let state = json["value"]?.filledText, ["Off", "On", "Idle"].contains(state) else { return nil }
      return ["engineState": .text(state.lowercased())]
    }
    guard let number = json["value"]?.numberValue else { return nil }
    guard let (key, value) = converted(number) else { return nil }
    return [key: value.json]
  }

  private func converted(_ value: Double) -> (String, Double)? {
    func ranged(_ key: String, _ value: Double, _ range: ClosedRange<Double>) -> (String, Double)? {
      range.contains(value) ? (key, Units.rounded(value)) : nil
    }
    return switch self {
    case .gps, .engineStates, .faultCodes: nil
    case .fuelPercents: ranged("fuelLevel", value, 0...100)
    case .obdOdometerMeters: ranged("odometer", value / 1_000, 0...9_999_999)
    // The distances from GPS differ from the instrument's odometer, so they have their own names.
    case .gpsOdometerMeters: ranged("gpsOdometer", value / 1_000, 0...9_999_999)
    case .gpsDistanceMeters: ranged("gpsDistance", value / 1_000, 0...9_999_999)
    case .obdEngineSeconds: ranged("totalEngineRunTime", value, 0...4_294_967_295)
    case .syntheticEngineSeconds: ranged("gpsEngineRunTime", value, 0...4_294_967_295)
    case .engineRpm: ranged("rpm", value, 0...16_383.75)
    case .ecuSpeedMph: ranged("speed", value * 1.609344, 0...255)
    case .engineLoadPercent: ranged("engineLoad", value, 0...100)
    case .engineCoolantTemperatureMilliC: ranged("coolantTemp", value / 1_000, -40...215)
    case .engineOilPressureKPa: ranged("engineOilPressure", value, 0...10_000)
    case .ambientAirTemperatureMilliC: ranged("ambientAirTemperature", value / 1_000, -40...215)
    case .intakeManifoldTemperatureMilliC: ranged("intakeAirTemp", value / 1_000, -40...215)
    case .barometricPressurePa: ranged("barometricPressure", value / 1_000, 0...255)
    case .batteryMilliVolts: ranged("batteryVoltage", value / 1_000, 0...1_000)
    case .defLevelMilliPercent: ranged("defLevel", value / 1_000, 0...100)
    case .fuelConsumedMilliliters: ranged("totalFuelUsed", value / 1_000, 0...100_000_000)
    case .evStateOfChargeMilliPercent: ranged("hybridBatteryPackRemainingCharge", value / 1_000, 0...100)
    }
  }

  private static func position(_ json: JSON) -> [String: JSON]? {
    guard
      var values = SourcePosition.values(
        latitude: json["latitude"]?.numberValue, longitude: json["longitude"]?.numberValue)
    else { return nil }
    values["heading"] = SourcePosition.heading(json["headingDegrees"]?.numberValue)
    if let speed = SourcePosition.atLeastZero(json["speedMilesPerHour"]?.numberValue) {
      let key = json["isEcuSpeed"]?.boolValue == true ? "speed" : "gpsSpeed"
      values[key] = Units.kilometers(miles: speed).json
    }
    return values
  }
}
