import FleetDomain
import FleetWork
import Telemetry

/// A trip that has ended.
public struct EndedTrip: Equatable, Sendable {
  /// The ID of the record of the trip's end.
  public let id: UUIDv7
  public let from: Timestamp
  public let to: Timestamp
  /// Distance, km; `nil` if unknown.
  public let distance: Double?
  /// Reading of the odometer at the end, km; `nil` if unknown.
  public let endOdometer: Double?

  public init(id: UUIDv7, from: Timestamp, to: Timestamp, distance: Double? = nil, endOdometer: Double? = nil) {
    (self.id, self.from, self.to, self.distance, self.endOdometer) = (id, from, to, distance, endOdometer)
  }

  /// Reads a record of a trip.
  ///
  /// - Returns: `nil` if the record is not about the end of a trip, or lacks the start or end time.
  public init?(_ record: StoredRecord) {
    guard record.recordClass == .known(.trip), let json = try? JSON(parsing: record.body),
      json["event"]?.textValue == "end", let from = json["startTime"].flatMap({ try? Timestamp(json: $0) }),
      let to = json["endTime"].flatMap({ try? Timestamp(json: $0) }), from <= to
    else { return nil }
    self.init(
      id: record.id, from: from, to: to, distance: json["distance"]?.numberValue,
      endOdometer: json["endOdometer"]?.numberValue)
  }

  /// Returns the distance in km or the time in h that the trip adds to a meter; `nil` if unknown.
  func amount(on meter: Meter) -> Double? {
    meter == .odometer ? distance : Double(to.milliseconds - from.milliseconds) / 3_600_000
  }
}

extension Meter {
  /// Estimates the current reading of a meter from its last reading and the trips since then. If the last reading was
  /// made during a trip, only the part of the trip after the reading counts.
  ///
  /// - Parameters:
  ///   - reading: the last reading.
  ///   - trips: trips of the vehicle in any order. A trip that occurs twice counts once.
  /// - Returns: `nil` if no trip adds anything.
  public func estimate(after reading: Point, _ trips: [EndedTrip]) -> Point? {
    var (sum, end) = (0.0, reading.at)
    var seen: Set<UUIDv7> = []
    for trip in trips where trip.to > reading.at && seen.insert(trip.id).inserted {
      guard let amount = trip.amount(on: self) else { continue }
      let whole = trip.to.milliseconds - trip.from.milliseconds
      let rest = trip.to.milliseconds - max(trip.from, reading.at).milliseconds
      sum += whole > 0 ? amount * Double(rest) / Double(whole) : amount
      end = max(end, trip.to)
    }
    guard end > reading.at else { return nil }
    let rounded = (sum * 1_000).rounded() / 1_000
    return Point(at: end, value: reading.value + rounded, lifetime: reading.lifetime + rounded)
  }
}

extension FleetView {
  /// Returns the newest used reading of a vehicle's meter; `nil` if there is none.
  public func lastReading(of meter: Meter, vehicle: String) throws(ThingError) -> Meter.Point? {
    try point(of: meter, vehicle: vehicle)
  }
}

extension FleetTransaction {
  /// Adds the reading that a gateway sent with a record. Does nothing if the reading was already added. Afterwards, the
  /// caller must call ``evaluateServices(ofVehicles:)``.
  ///
  /// - Parameter record: the id of the record.
  public func addGatewayReading(
    of meter: Meter, _ value: Double, at time: Timestamp, vehicle: String, record: UUIDv7
  ) throws(ThingError) {
    let known = ThingQuery<MeterReading>(
      .oneOf(key: "originId", [record.json]), .isSet(key: meter.rawValue))
    guard try first(known) == nil else { return }
    var reading = MeterReading()
    reading.vehicle = vehicle
    reading.at = min(time, now)
    (reading.odometer, reading.engineHours) = meter == .odometer ? (value, nil) : (nil, value)
    reading.source = .gateway
    reading.originID = record
    try add(reading, evaluatesServices: false)
  }

  /// Sets the estimated reading of a vehicle's meter, unless another reading was added meanwhile. Afterwards, the
  /// caller must call ``evaluateServices(ofVehicles:)``.
  ///
  /// - Parameters:
  ///   - estimate: the estimate; `nil` to set the value of the last reading.
  ///   - reading: the last reading, from which `estimate` was computed.
  public func set(
    _ estimate: Meter.Point?, of meter: Meter, vehicle id: String, after reading: Meter.Point
  ) throws(ThingError) {
    guard try lastReading(of: meter, vehicle: id) == reading, let vehicle = try vehicle(named: id) else { return }
    var changed = vehicle.value
    let daily = meter == .odometer ? changed.dailyKilometers : changed.dailyEngineHours
    changed.set(meter, to: estimate ?? reading, isEstimated: estimate != nil, daily: daily)
    try refresh(vehicle, to: changed)
  }

  /// Requests that the reader of records estimates the meters of a vehicle again from its trips.
  func requestEstimate(ofVehicle id: String) throws(ThingError) {
    let waiting = ThingQuery<FollowedVehicle>(.oneOf(key: "vehicleId", [.text(id)]))
    guard try first(waiting) == nil else { return }
    let feed = try first(ThingQuery<FollowedFeed>(.oneOf(key: "name", [.text(FollowedFeed.recordReader)])))
    var followed = FollowedVehicle()
    let position = feed?.value.position ?? 0
    (followed.vehicle, followed.after, followed.through) = (id, position, position)
    try insert(followed)
  }
}
