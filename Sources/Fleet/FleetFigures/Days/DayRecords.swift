import FleetDomain
import Telemetry

/// The values of a telemetry record with their time.
public struct DaySample: Equatable, Sendable {
  /// Time of the record, ms since 1970.
  public let time: Int64
  public let values: TelemetryValues

  public init(time: Int64, values: TelemetryValues) {
    self.time = time
    self.values = values
  }
}

/// A driving event.
public struct DayEvent: Equatable, Sendable {
  /// The kinds of events for which the driver is responsible. Low voltage and idling are not among them: the vehicle
  /// causes the first, and traffic may cause the second.
  public static let ofDriver = Set(
    [DrivingRecord.Event.harshBraking, .harshAcceleration, .overspeed].map { "\($0.name)" })

  /// The time of the event, ms since 1970.
  public var time: Int64
  public var isOfDriver: Bool

  public init(time: Int64, isOfDriver: Bool) { (self.time, self.isOfDriver) = (time, isOfDriver) }

  /// Reads the record of a driving event.
  ///
  /// - Parameter json: the record; `nil` if it cannot be read.
  public init(time: Int64, record json: JSON?) {
    self.time = time
    isOfDriver = json?["event"]?.textValue.map { Self.ofDriver.contains($0) } ?? false
  }
}

/// The start or the end of a trip, as a record reports it.
public struct DayTrip: Equatable, Sendable {
  /// The time of the record, ms since 1970.
  public var time: Int64
  /// The id of the trip; empty if the record has none.
  public var id = ""
  public var hasEnded = false
  /// The start of the trip, ms since 1970; `nil` if unknown.
  public var startTime: Int64?
  /// The end of the trip, ms since 1970; `nil` if unknown.
  public var endTime: Int64?
  /// Fuel used, L: measured or, if not measured, estimated; `nil` if unknown.
  public var fuelUsed: Double?
  /// Distance, km: as reported or, if not reported, the difference of the odometer readings; `nil` if unknown.
  public var distance: Double?

  public init(time: Int64) { self.time = time }

  /// Reads a record of a trip.
  ///
  /// - Parameter json: the record.
  public init(time: Int64, record json: JSON) {
    func moment(_ key: String) -> Int64? {
      json[key].flatMap { value in try? Timestamp(json: value) }?.milliseconds
    }
    self.time = time
    id = json["tripId"]?.textValue ?? ""
    hasEnded = json["event"]?.textValue == "end"
    startTime = moment("startTime")
    endTime = moment("endTime")
    fuelUsed = json["fuelUsed"]?.numberValue ?? json["fuelUsedEstimated"]?.numberValue
    distance = json["distance"]?.numberValue
    if distance == nil, let start = json["startOdometer"]?.numberValue, let end = json["endOdometer"]?.numberValue {
      distance = end - start
    }
  }

  /// The time at which the trip began or ended.
  var effectiveTime: Int64 { (hasEnded ? endTime : startTime) ?? time }
}
