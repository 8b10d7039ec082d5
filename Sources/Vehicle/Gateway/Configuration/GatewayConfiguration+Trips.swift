import Fusion
import JSONText

extension GatewayConfiguration {
  /// Conditions for the start and the end of a trip. A value that is `nil` is not configured, and its default applies.
  /// Times are in seconds, distances in km. Voltages refer to a 12 V system.
  public struct Trips: Equatable, Sendable {
    /// Whether trips are recorded.
    public var isEnabled = true
    /// Time after which a trip ends if the engine is off and the vehicle does not move, 60…3600 s.
    public var stopTime: Double?
    /// Time after which a trip ends if the engine runs and the vehicle does not move, 60…86,400 s.
    public var idleTime: Double?
    /// Minimum distance of a trip, 0…10 km. Shorter drives are not reported as trips.
    public var leastDistance: Double?
    /// Longest time between two readings that still belongs to a trip, 2…60 s. A longer time is not counted, nor is the
    /// distance that is driven in it.
    public var longestGap: Double?
    /// Voltage at or above which the battery is being charged, 12.5…15 V.
    public var chargingVoltage: Double?

    public init() {}
  }

  /// The driving events to record, and their thresholds. Accelerations are in m/s², speeds in km/h, times in seconds.
  /// Voltages refer to a 12 V system.
  public struct Driving: Equatable, Sendable {
    /// The configured threshold of a driving event.
    public enum Threshold: Equatable, Sendable {
      /// Nothing is configured: the default of `Fusion.DrivingOptions` applies.
      case usual
      /// `false` is configured: the event is not recorded.
      case never
      /// This threshold is configured.
      case at(Double)
    }

    /// Minimum deceleration that is recorded as harsh braking, 1…10 m/s².
    public var harshBraking = Threshold.usual
    /// Minimum acceleration that is recorded as harsh acceleration, 1…10 m/s².
    public var harshAcceleration = Threshold.usual
    /// Speed limit, 5…300 km/h; `nil` if only the speed limits of fences apply.
    public var speedLimit: Double?
    /// Time above the speed limit after which overspeed is recorded, 1…600 s; `nil` for the default.
    public var overspeedTime: Double?
    /// Time of idling after which idling is recorded, 10…86,400 s.
    public var idlingTime = Threshold.usual
    /// Voltage at or below which the battery's low voltage is recorded, 6…14 V.
    public var lowVoltage = Threshold.usual
    /// Time for which the voltage must be at or below ``lowVoltage`` before low voltage is recorded, 5…3600 s; `nil`
    /// for the default.
    public var lowVoltageTime: Double?

    public init() {}
  }
}

extension GatewayConfiguration.Trips {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    isEnabled = try reader.optionalBool("enabled") ?? isEnabled
    stopTime = try reader.optionalDouble("stopTime", in: 60...3_600)
    idleTime = try reader.optionalDouble("idleTime", in: 60...86_400)
    leastDistance = try reader.optionalDouble("leastDistance", in: 0...10)
    longestGap = try reader.optionalDouble("longestGap", in: 2...60)
    chargingVoltage = try reader.optionalDouble("chargingVoltage", in: 12.5...15)
    try reader.finish()
  }
}

extension GatewayConfiguration.Driving {
  init(_ reader: inout JSONObjectReader) throws(JSONError) {
    self.init()
    harshBraking = try Threshold(&reader, "harshBraking", in: 1...10)
    harshAcceleration = try Threshold(&reader, "harshAcceleration", in: 1...10)
    speedLimit = try reader.optionalDouble("speedLimit", in: 5...300)
    overspeedTime = try reader.optionalDouble("overspeedTime", in: 1...600)
    idlingTime = try Threshold(&reader, "idlingTime", in: 10...86_400)
    lowVoltage = try Threshold(&reader, "lowVoltage", in: 6...14)
    lowVoltageTime = try reader.optionalDouble("lowVoltageTime", in: 5...3_600)
    try reader.finish()
  }
}

extension GatewayConfiguration.Driving.Threshold {
  /// Reads a threshold: `false` or a number; `usual` if the key is missing.
  fileprivate init(
    _ reader: inout JSONObjectReader, _ key: String, in range: ClosedRange<Double>
  ) throws(JSONError) {
    self = .usual
    guard let value = reader.optional(key) else { return }
    if value.kind == .number {
      self = .at(try value.requireDouble(in: range))
    } else {
      guard value.bool == false else { throw value.invalid(expected: "a number or false") }
      self = .never
    }
  }

  /// The threshold as a number; `nil` if the event is not recorded.
  ///
  /// - Parameter usual: the default threshold.
  fileprivate func value(usual: Double?) -> Double? {
    switch self {
    case .usual: usual
    case .never: nil
    case .at(let value): value
    }
  }
}

// MARK: Conversion to options

extension TripOptions {
  /// Creates the options for trips from the keys `trips` and `vehicle`; `nil` if trips are not recorded.
  init?(_ trips: GatewayConfiguration.Trips, _ vehicle: GatewayConfiguration.Vehicle) {
    guard trips.isEnabled else { return nil }
    self.init()
    stopTime = nanoseconds(trips.stopTime) ?? stopTime
    idleTime = nanoseconds(trips.idleTime) ?? idleTime
    leastDistance = trips.leastDistance ?? leastDistance
    longestGap = nanoseconds(trips.longestGap) ?? longestGap
    chargingVoltage = trips.chargingVoltage ?? chargingVoltage
    displacement = vehicle.displacement
    volumetricEfficiency = vehicle.volumetricEfficiency
    cylinders = vehicle.cylinders
    switch vehicle.fuel {
    case .gasoline: fuel = .gasoline
    case .diesel: fuel = .diesel
    case .ethanol: fuel = .ethanol
    // The consumption of these fuels is measured by mass, and the mass is not converted to a volume.
    case .cng, .lpg: fuel = .other
    case .electric:
      fuel = .electricity
      mayDriveElectrically = true
    case .hybrid: mayDriveElectrically = true
    case nil: break
    }
  }
}

extension DrivingOptions {
  /// Creates the options for driving events from the key `driving`.
  init(_ driving: GatewayConfiguration.Driving) {
    self.init()
    harshBraking = driving.harshBraking.value(usual: harshBraking)
    harshAcceleration = driving.harshAcceleration.value(usual: harshAcceleration)
    speedLimit = driving.speedLimit
    overspeedTime = nanoseconds(driving.overspeedTime) ?? overspeedTime
    idlingTime = nanoseconds(driving.idlingTime.value(usual: idlingTime.map { Double($0) / 1e9 }))
    lowVoltage = driving.lowVoltage.value(usual: lowVoltage)
    lowVoltageTime = nanoseconds(driving.lowVoltageTime) ?? lowVoltageTime
  }
}

private func nanoseconds(_ seconds: Double?) -> Int64? { seconds.map { Int64(($0 * 1e9).rounded()) } }
