import OBDWire
import Telemetry

// The keys of records for which ``RecordField`` has rules, grouped by the type of record.

extension RecordField {
  /// The keys that the record format defines, in the order of the format's table.
  public static let contract: [RecordField] =
    signals + position + vehicle + codes + monitors + geofence + trip + driving + adapter + gap + [
      // Keys of all types of records.
      RecordField(
        "elapsed", .all, .number(0 ... .infinity), unit: "s",
        "Time of a count that only goes up, while the date is not known"),
      RecordField("truncated", .all, .flag, "Whether the record was cut to the length of a line"),
    ]

  /// Keys of telemetry that SAE J1979-DA defines but the table of the record format does not list.
  public static let otherSignals: [RecordField] = {
    let named = Set(contract.filter { $0.types.contains(.telemetry) }.map(\.name))
    return signalRows.values.filter { !named.contains($0.name) }.sorted { $0.name < $1.name }
  }()

  // MARK: Telemetry

  /// Keys of telemetry that existing fleet applications use.
  private static let signals: [RecordField] =
    [
      "rpm", "speed", "throttlePosition", "engineLoad", "coolantTemp", "intakeAirTemp", "maf", "fuelLevel", "fuelType",
      "fuelRate", "fuelPressure", "mil", "controlModuleVoltage", "oxygenSensor",
    ].compactMap { signalRows[$0] } + [
      RecordField("batteryVoltage", .telemetry, .number(0...1_000), unit: "V", "Battery voltage at the adapter"),
      RecordField(
        "distanceMIL", [.telemetry, .dtc], .number(0...65_535), unit: "km", "Distance travelled while the lamp is on"),
      RecordField("dtcCodes", [.telemetry, .dtc], .texts, "Stored trouble codes"),
      RecordField("ecus", .telemetry, .telemetryByECU, "Values of further ECUs, by address"),
      RecordField("vss", .telemetry, .text, "Version of the COVESA Vehicle Signal Specification that names the values"),
      RecordField("vin", [.telemetry, .vehicle], .text, "Vehicle identification number"),
    ]

  private static let position: [RecordField] = [
    RecordField("latitude", .all, .number(-90...90), unit: "°", "Latitude, WGS 84"),
    RecordField("longitude", .all, .number(-180...180), unit: "°", "Longitude, WGS 84"),
    RecordField("altitude", .telemetry, .number(-20_000...1_000_000), unit: "m", "Height above mean sea level"),
    RecordField("heading", .telemetry, .number(0...360), unit: "°", "Course over ground, true"),
    RecordField("trueHeading", .telemetry, .number(0...360), unit: "°", "Heading, true"),
    RecordField("gpsSpeed", .telemetry, .number(0...100_000), unit: "km/h", "Speed over ground"),
    RecordField("hdop", .telemetry, .number(0...1_000_000), "Horizontal dilution of precision"),
    RecordField("satellites", .telemetry, .integer(0...1_000), "Satellites in use"),
    RecordField(
      "fixType", .telemetry, .text, "none, 2d, 3d, dgps, rtkFloat, rtkFixed or estimated; more may come"),
  ]

  /// The valid values of the signals of SAE J1979-DA, by name. If several PIDs contain a signal of the same name, a
  /// value is valid if it is valid for one of them.
  private static let signalRows: [String: RecordField] = {
    var rows: [String: RecordField] = [:]
    for index in 0..<saeSignals.count {
      let signal = saeSignals.span[index]
      let name = "\(signal.name)"
      let values: Values =
        switch signal.definition.kind {
        case .flag: .flag
        case .enumeration: .code
        case .number: .number(range(of: signal.definition).map(decimal) ?? -.infinity ... .infinity)
        }
      let row = RecordField(
        name, .telemetry, rows[name].map { Values($0.values, or: values) } ?? values,
        unit: "\(signal.definition.unit.symbol)", "\(signal.title)")
      rows[name] = row
    }
    return rows
  }()

  /// Returns the range of all values that the bits of a signal can represent; `nil` if the range depends on other
  /// values of the vehicle. The range includes values that mean "not available", because earlier gateways send them.
  private static func range(of definition: SignalDefinition) -> ClosedRange<Double>? {
    definition.rescale == .none ? definition.bitRange.map { $0.low...$0.high } : nil
  }

  /// Rounds the bounds of a range to at most six decimals, which are easy to read in messages. The rounded range is
  /// never smaller.
  private static func decimal(_ range: ClosedRange<Double>) -> ClosedRange<Double> {
    func rounded(_ bound: Double, _ rule: FloatingPointRoundingRule) -> Double {
      let nearest = (bound * 1e6).rounded() / 1e6
      return abs(nearest - bound) <= Values.slack(at: bound) ? nearest : (bound * 1e6).rounded(rule) / 1e6
    }
    return rounded(range.lowerBound, .down)...rounded(range.upperBound, .up)
  }

  // MARK: Other types

  private static let vehicle: [RecordField] = [
    RecordField("vinValid", .vehicle, .flag, "Whether the VIN is well formed"),
    RecordField("make", .vehicle, .text, "Maker, from the VIN"),
    RecordField("modelYear", .vehicle, .integer(1_900...2_200), "Model year, from the VIN"),
    RecordField("protocol", [.vehicle, .adapter], .text, "Diagnostic protocol"),
    RecordField("ecus", .vehicle, .objects, "ECUs: address, name, calibrations, supportedPids"),
    RecordField("fuelType", .vehicle, .code, "Fuel type"),
    RecordField("obdStandard", .vehicle, .code, "OBD requirements to which the vehicle is designed"),
  ]

  private static let codes: [RecordField] = [
    RecordField("ecu", [.dtc, .monitors, .adapter], .text, "Address of the ECU"),
    RecordField("event", .dtc, .text, "snapshot, appeared, changed or cleared; more may come"),
    RecordField("pending", .dtc, .texts, "Pending trouble codes"),
    RecordField("permanent", .dtc, .texts, "Permanent trouble codes"),
    RecordField("changed", .dtc, .texts, "Codes that came or went"),
    RecordField("mil", .dtc, .flag, "Whether the malfunction indicator lamp is on"),
    RecordField("freezeFrame", .dtc, .object, "frame, dtc and readings of the freeze frame"),
  ]

  private static let monitors: [RecordField] = [
    RecordField("ignition", .monitors, .text, "spark or compression"),
    RecordField("scope", .monitors, .text, "sinceClear or thisCycle"),
    RecordField("complete", .monitors, .texts, "Monitors that are complete"),
    RecordField("incomplete", .monitors, .texts, "Monitors that are not complete"),
  ]

  private static let geofence: [RecordField] = [
    RecordField("fenceId", .geofence, .text, "The fence's id"),
    RecordField("fenceName", .geofence, .text, "The fence's name"),
    RecordField("event", .geofence, .text, "enter, exit or dwell; more may come"),
  ]

  private static let trip: [RecordField] = [
    RecordField("tripId", .trip, .text, "The same in the records of start and end"),
    RecordField("event", .trip, .text, "start or end"),
    RecordField("startTime", .trip, .time, "When the trip began"),
    RecordField("endTime", .trip, .time, "When the trip ended"),
    RecordField("distance", .trip, .number(0...10_000_000), unit: "km", "Distance"),
    RecordField("distanceSource", .trip, .text, "odometer, speed, gps or mixed; more may come"),
    RecordField("startOdometer", .trip, .number(0...1_000_000_000), unit: "km", "Odometer at the start"),
    RecordField("endOdometer", .trip, .number(0...1_000_000_000), unit: "km", "Odometer at the end"),
    RecordField("fuelUsed", .trip, .number(0...1_000_000), unit: "L", "Fuel used, from PID 5E"),
    RecordField(
      "fuelUsedEstimated", .trip, .number(0...1_000_000), unit: "L", "Fuel used, estimated from the mass of air"),
    RecordField(
      "idleSeconds", .trip, .number(0...1_000_000_000), unit: "s", "Time at a standstill with a running engine"),
    RecordField("maxSpeed", .trip, .number(0...100_000), unit: "km/h", "Highest speed"),
  ]

  private static let driving: [RecordField] =
    [
      RecordField(
        "event", .driving, .text,
        "harshBraking, harshAcceleration, overspeed, idling or lowVoltage; more may come"),
      RecordField("acceleration", .driving, .number(-1_000...1_000), unit: "m/s²", "Acceleration"),
      RecordField("threshold", .driving, .number(-1_000...1_000), unit: "m/s²", "Configured acceleration"),
      RecordField("limit", .driving, .number(0...1_000_000), "Configured limit"),
      RecordField("rpm", .driving, .number(0...100_000), unit: "rpm", "Engine speed"),
      RecordField("voltage", .driving, .number(0...1_000), unit: "V", "Voltage"),
      RecordField("seconds", .driving, .number(0...1_000_000_000), unit: "s", "How long it lasted"),
    ]
    + ["speed", "fromSpeed", "toSpeed", "maxSpeed"].map {
      RecordField($0, .driving, .number(0...100_000), unit: "km/h", "Speed")
    }

  private static let adapter: [RecordField] = [
    RecordField(
      "event", .adapter, .text,
      "found, connected, lost, recovered, quirk, sleeping, awake, error or positionSource; more may come"),
    RecordField("device", .adapter, .text, "The adapter's or receiver's address"),
    RecordField("identity", .adapter, .text, "How the adapter identifies itself"),
    RecordField("reason", .adapter, .text, "Why"),
    RecordField("bytes", .adapter, .text, "Bytes of the error"),
    RecordField(
      "count", [.adapter, .gap], .integer(0...0x1p63), "How many there were; in a gap, the most that can be lost"),
  ]

  private static let gap: [RecordField] = [
    RecordField("fromSeq", .gap, .integer(1...0x1p63), "First sequence number that will never arrive"),
    RecordField("toSeq", .gap, .integer(1...0x1p63), "Last sequence number that will never arrive"),
    RecordField("types", .gap, .texts, "Types of the lost records"),
    RecordField(
      "reason", .gap, .text, "spoolFull, powerLoss, processKilled, damagedSpool, slowReader, slowDisk; more may come"),
    RecordField("sink", .gap, .text, "The only sink that lost them"),
    RecordField("lostEpoch", .gap, .identifier, "The epoch of the lost records, if it is another"),
  ]
}

extension RecordField.Values {
  /// Creates a rule that allows the values that at least one of two rules allows.
  fileprivate init(_ first: Self, or second: Self) {
    switch (first, second) {
    case (.number(let one), .number(let other)):
      self = .number(min(one.lowerBound, other.lowerBound)...max(one.upperBound, other.upperBound))
    case (.number, .code), (.code, .number): self = .code
    default: self = second
    }
  }
}
