import FleetDomain
import Geofencing
import Telemetry

/// Computes the figures of a vehicle's day from the records of the day and of a short time before and after it.
///
///     var builder = DayBuilder(date, in: zone, trips: trips, drivingEvents: events)
///     for sample in samples { builder.add(sample) }       // in the order of their times
///     let figures = builder.finish()
///
/// If two telemetry records are at most two minutes apart, the vehicle is in the state of the first one until the
/// second one:
/// - It *moves* if its speed is above 0. If its speed is unknown, it moves if its speed over ground is at least 3 km/h.
/// - Its *engine runs* if its engine speed is above 0, or if it moves.
/// - It *idles* if its engine runs and it does not move.
///
/// Three kinds of time are *unknown*: time with a running engine but unknown motion, time in which the state of the
/// engine is unknown, and time between two successive records that are more than two minutes apart. However, the
/// vehicle counts as parked while its engine is off, and after the end of a trip. If one trip ends and the next one
/// begins between two records, the vehicle is parked from the end to the start, even if the records are at most two
/// minutes apart.
///
/// A value is used for 15 seconds if the next records do not contain it, because not every record contains every value.
///
/// The distance that the gateway reports for a trip is used if telemetry gives no distance for the part of the trip on
/// this day, or if telemetry is missing for more than two minutes of this part. The part without telemetry is then
/// unknown time, because it is not known when the vehicle stood. If a trip passes midnight, its distance is divided in
/// proportion to its time on each day.
///
/// A figure that neither telemetry nor a trip shows may come from a counter (``neededCounters``).
public struct DayBuilder: Sendable {
  /// If two records are at most this far apart, the vehicle is assumed to keep the state of the first one in between,
  /// ms.
  public static let longestStep: Int64 = 120_000
  /// The time for which a value is used after its record, ms.
  static let hold = margin - longestStep
  /// The figures also depend on the records shortly before and after the day: up to this distance in time, ms.
  public static let margin = StaleDays.margin
  /// The maximum duration of a trip, ms. If a trip passes midnight, the record of its end is searched for within this
  /// time after the day.
  public static let longestTrip = StaleDays.longestTrip
  /// The speed over ground from which a vehicle counts as moving, km/h. Receivers of parked vehicles report lower
  /// speeds.
  static let leastGroundSpeed = 3.0
  /// Maximum plausible mean speed between two odometer readings, km/h. If the readings imply a higher speed, the
  /// distance between them is ignored.
  static let greatestSpeed = 200.0
  /// If it is unknown whether the vehicle moves, a change of its position counts as driven only from this distance on,
  /// m. Reported positions of a vehicle at rest vary by less.
  static let leastDisplacement = 20.0

  private let date: CalendarDate
  private let from: Int64
  private let to: Int64
  /// The records of trips, in the order of ``DayTrip/effectiveTime``.
  private let trips: [DayTrip]
  private let drivingEvents: [DayEvent]
  private var last: Moment?
  /// The time of the first telemetry record, ms since 1970.
  private var start: Int64?
  /// The position from which the next distance is measured. All distances up to this position have been added.
  private var anchor: GeoPosition?
  /// The distances that trips report, in the order of their times.
  private var ownDistances: [TripDistance]
  /// The first of ``ownDistances`` that may end after the newest telemetry record.
  private var nextTrip = 0
  /// The parts of the day without records at its beginning and end, if the vehicle's state in them is unknown: each
  /// lies between two records that are more than ``longestStep`` apart, at least one of them on another day.
  private var gapsAtMidnight: [Range<Int64>] = []
  private var speed: Held?
  private var groundSpeed: Held?
  private var rpm: Held?
  private var fuelRate: Held?
  private var engineOn: Int64 = 0
  private var moving: Int64 = 0
  private var idle: Int64 = 0
  private var unknown: Int64 = 0
  private var distance: Double?
  private var fuelUsed: Double?
  private var firstTime: Int64?
  private var lastTime: Int64?
  private var counters = DayCounters()

  /// Creates a builder for a day.
  ///
  /// - Parameters:
  ///   - trips: the records of trips of the day, of ``margin`` before it and of ``margin`` after it, in any order. Also
  ///     the later records of the ends of trips that began before the end of the day.
  ///   - drivingEvents: the driving events of the day, in any order.
  public init(_ date: CalendarDate, in zone: ZoneRules, trips: [DayTrip], drivingEvents: [DayEvent]) {
    self.date = date
    (from, to) = (zone.start(of: date), zone.start(of: date.next))
    let day = from..<to
    ownDistances = Self.distances(of: trips, from: from, to: to)
    self.trips = trips.sorted { ($0.effectiveTime, $0.time, $0.id) < ($1.effectiveTime, $1.time, $1.id) }
    self.drivingEvents = drivingEvents.filter { day.contains($0.time) }
    for time in trips.map(\.time) + drivingEvents.map(\.time) { record(time) }
  }

  private func contains(_ time: Int64) -> Bool { from <= time && time < to }

  private mutating func record(_ time: Int64) {
    guard contains(time) else { return }
    firstTime = min(firstTime ?? time, time)
    lastTime = max(lastTime ?? time, time)
  }

  /// Adds the next record of telemetry.
  public mutating func add(_ sample: DaySample) {
    record(sample.time)
    let moment = moment(sample)
    if contains(sample.time) { counters.add(sample, isEngineOn: moment.isEngineOn) }
    if let last { addStep(last, moment) }
    start = start ?? sample.time
    last = moment
  }

  private mutating func moment(_ sample: DaySample) -> Moment {
    let (time, values) = (sample.time, sample.values)
    func newest(_ value: Double?, _ held: inout Held?) -> Double? {
      if let value { held = Held(time: time, value: value) }
      return held?.value(at: time)
    }
    let speed = newest(values.speed, &self.speed)
    let groundSpeed = newest(values.gpsSpeed, &self.groundSpeed)
    let rpm = newest(values.rpm, &self.rpm)
    let isMoving = speed.map { $0 > 0 } ?? groundSpeed.map { $0 >= Self.leastGroundSpeed }
    var position: GeoPosition?
    if let latitude = values.latitude, let longitude = values.longitude {
      position = GeoPosition(latitude: latitude, longitude: longitude)
    }
    return Moment(
      time: time, isMoving: isMoving,
      isEngineOn: rpm.map { $0 > 0 || isMoving == true } ?? (isMoving == true ? true : nil),
      speed: speed, fuelRate: newest(values.fuelRate, &fuelRate), odometer: values.odometer, position: position)
  }

  // MARK: Steps

  private mutating func addStep(_ first: Moment, _ second: Moment) {
    let length = second.time - first.time
    guard length > 0 else { return }
    if length > Self.longestStep { return addGap(first, second) }
    let parked = pause(between: first.time, and: second.time)
    let inside = lengthInDay(first.time..<second.time) - lengthInDay(parked)
    guard inside > 0 else {
      if !parked.isEmpty { anchor = nil }
      return
    }
    switch first.isEngineOn {
    case true?:
      engineOn += inside
      switch first.isMoving {
      case true?: moving += inside
      case false?: idle += inside
      case nil: unknown += inside
      }
    case false?: break
    case nil: if !isParked(at: first.time) { unknown += inside }
    }
    let share = Double(inside) / Double(length)
    if let way = way(first, second) { add(way, share: share, from: first, to: second) }
    if let rate = first.fuelRate {
      let mean = (rate + (second.fuelRate ?? rate)) / 2
      fuelUsed = (fuelUsed ?? 0) + mean * Double(inside) / 3_600_000
    }
  }

  private func lengthInDay(_ time: Range<Int64>) -> Int64 {
    let inside = time.clamped(to: from..<to)
    return inside.upperBound - inside.lowerBound
  }

  /// Returns the part of the time between two successive records in which the vehicle was parked because a trip had
  /// ended and the next one had not begun. Empty if there is no such part, or if it is at most ``hold``.
  private func pause(between first: Int64, and second: Int64) -> Range<Int64> {
    let none = first..<first
    guard second - first > Self.hold else { return none }
    // The reported times of trips may differ slightly from the times of the records.
    let ending = trips.last {
      $0.hasEnded && $0.effectiveTime >= first - Self.hold && $0.effectiveTime < second
    }
    guard let end = ending?.effectiveTime, isParked(at: end) else { return none }
    let starts = trips.compactMap { $0.startTime ?? ($0.hasEnded ? nil : $0.time) }
    guard let start = starts.filter({ $0 > end }).min(), start <= second + Self.hold else { return none }
    let parked = (end..<start).clamped(to: first..<second)
    return parked.upperBound - parked.lowerBound > Self.hold ? parked : none
  }

  /// Returns the distance between two successive records that are close together in time, km; `nil` if unknown. It is
  /// computed from the vehicle's speed or, if that is unknown, from the positions.
  private mutating func way(_ first: Moment, _ second: Moment) -> Double? {
    if let start = first.speed, let end = second.speed {
      anchor = second.position
      return (start + end) / 2 * Double(second.time - first.time) / 3_600_000
    }
    anchor = anchor ?? first.position
    guard let end = second.position else { return nil }
    guard let start = anchor else {
      anchor = end
      return nil
    }
    let way = start.distance(to: end)
    if first.isMoving != true, second.isMoving != true {
      let isAtRest = first.isEngineOn == false || (first.isMoving == false && second.isMoving == false)
      if !isAtRest, way < Self.leastDisplacement { return 0 }
      anchor = end
      return isAtRest ? 0 : way / 1_000
    }
    anchor = end
    return way / 1_000
  }

  /// Adds the time between two successive records that are more than ``longestStep`` apart. The time counts as unknown,
  /// unless the vehicle was parked: its engine was off, or its trip had ended.
  private mutating func addGap(_ first: Moment, _ second: Moment) {
    anchor = nil
    guard contains(first.time), contains(second.time) else { return addGapAtMidnight(first, second) }
    if let start = first.odometer, let end = second.odometer {
      let hours = Double(second.time - first.time) / 3_600_000
      if end >= start, end - start <= Self.greatestSpeed * hours {
        add(end - start, from: first, to: second)
      }
    }
    switch first.isEngineOn {
    case false?: return
    case nil: if isParked(at: first.time) { return }
    case true?: break
    }
    // The reported end of a trip may be slightly earlier than the last record.
    let ending = trips.first {
      $0.hasEnded && $0.effectiveTime >= first.time - Self.hold && $0.effectiveTime < second.time
    }
    unknown += max((ending?.effectiveTime ?? second.time) - first.time, 0)
  }

  /// Handles two successive records that are more than ``longestStep`` apart, if at least one of them is outside the
  /// day. Adds that part of the time between them that is inside the day to ``gapsAtMidnight``. Does nothing if the
  /// vehicle was parked.
  private mutating func addGapAtMidnight(_ first: Moment, _ second: Moment) {
    guard first.isEngineOn ?? !isParked(at: first.time) else { return }
    let inside = (first.time..<second.time).clamped(to: from..<to)
    if !inside.isEmpty { gapsAtMidnight.append(inside) }
  }

  /// Whether the vehicle was parked at `time`. This is the case if the newest trip record up to `time` is the end of a
  /// trip, and no trip began at `time` or earlier and ended after it. The second condition finds trips whose start has
  /// no record of its own.
  private func isParked(at time: Int64) -> Bool {
    guard let index = trips.lastIndex(where: { $0.effectiveTime <= time }), trips[index].hasEnded else { return false }
    return !trips[(index + 1)...].contains { $0.hasEnded && ($0.startTime ?? .max) <= time }
  }

  // MARK: Trips

  /// Returns the distances of the ended trips that were in progress on the day. Trips without a known distance are left
  /// out. Trips that overlap are one trip.
  ///
  /// If a trip began before the day or ended after it, the result contains only the share of its distance that belongs
  /// to the day.
  private static func distances(of trips: [DayTrip], from: Int64, to: Int64) -> [TripDistance] {
    let parts = trips.compactMap { trip -> MergedTrip.Part? in
      let end = trip.effectiveTime
      guard trip.hasEnded, let start = trip.startTime, start < end, let kilometers = trip.distance, kilometers >= 0,
        kilometers <= greatestSpeed * Double(end - start) / 3_600_000
      else { return nil }
      return MergedTrip.Part(time: start...end, amount: kilometers)
    }
    return MergedTrip.merge(parts).compactMap { trip in
      let (start, end) = (trip.time.lowerBound, trip.time.upperBound)
      guard start < to, from < end, let kilometers = trip.amount else { return nil }
      let time = max(start, from)..<min(end, to)
      let share = Double(time.upperBound - time.lowerBound) / Double(end - start)
      return TripDistance(time: time, kilometers: kilometers * share)
    }
  }

  /// Adds a distance from telemetry to the distance of the day, and to the measured distances of the trips during which
  /// it was driven.
  ///
  /// - Parameters:
  ///   - way: the distance, km.
  ///   - share: the part of the distance that belongs to the day.
  private mutating func add(_ way: Double, share: Double = 1, from first: Moment, to second: Moment) {
    distance = (distance ?? 0) + way * share
    while nextTrip < ownDistances.count, ownDistances[nextTrip].end <= first.time { nextTrip += 1 }
    var index = nextTrip
    while index < ownDistances.count, ownDistances[index].time.lowerBound < second.time {
      let inside = ownDistances[index].time.clamped(to: first.time..<second.time)
      let length = inside.upperBound - inside.lowerBound
      ownDistances[index].measuredTime += length
      ownDistances[index].measuredDistance += way * Double(length) / Double(second.time - first.time)
      index += 1
    }
  }

  /// For each trip with incomplete telemetry, adds the distance that is missing in telemetry: the distance that the
  /// gateway reported for the trip, minus the distance that telemetry gives.
  private mutating func addTripDistances() {
    for trip in ownDistances where trip.isIncomplete {
      distance = (distance ?? 0) + max(trip.kilometers - trip.measuredDistance, 0)
      unknown += unrecorded(trip.time)
      for gap in gapsAtMidnight {
        let inside = gap.clamped(to: trip.time)
        unknown += inside.upperBound - inside.lowerBound
      }
    }
  }

  /// Returns how much of a period is before the first or after the last telemetry record, ms.
  private func unrecorded(_ time: Range<Int64>) -> Int64 {
    guard let start, let last else { return time.upperBound - time.lowerBound }
    let before = min(time.upperBound, start) - time.lowerBound
    let after = time.upperBound - max(time.lowerBound, last.time)
    return max(before, 0) + max(after, 0)
  }

  // MARK: Counters

  /// Whether the day has readings of counters. The figures of the next day may depend on them.
  public var hasCounters: Bool { !counters.isEmpty }

  /// The counters from which figures of the day are computed, because neither telemetry nor trips show these figures.
  /// For each of them, the caller must pass the last reading on the day before to ``setStart(of:to:)``.
  public var neededCounters: [DayCounter] {
    trips.isEmpty ? counters.needed(engineOn: engineOn, fuelUsed: fuelUsed) : []
  }

  /// Sets the last reading of a counter on the day before.
  public mutating func setStart(of counter: DayCounter, to reading: DayCounter.Reading) {
    counters.setStart(of: counter, to: reading)
  }

  // MARK: Result

  /// The part of the day that belongs to a trip that ended after the day; `nil` if there is no such trip.
  private var passingTrip: Range<Int64>? {
    for trip in trips where trip.hasEnded && trip.effectiveTime >= to {
      if let start = trip.startTime, start < to { return max(start, from)..<to }
    }
    return nil
  }

  /// Returns the figures; `nil` if the day has no records, and no trip was in progress on it.
  public consuming func finish() -> VehicleDay? {
    let passing = passingTrip
    guard let firstTime = firstTime ?? passing?.lowerBound,
      let lastTime = lastTime ?? passing.map({ $0.upperBound - 1 })
    else { return nil }
    addTripDistances()
    func timestamp(_ milliseconds: Int64) -> Timestamp { Timestamp(limiting: milliseconds) }
    var day = VehicleDay(date: date, firstTime: timestamp(firstTime), lastTime: timestamp(lastTime))
    (day.engineOn, day.moving, day.idle, day.unknown) = (engineOn, moving, idle, unknown)
    day.distance = distance
    day.fuelUsed = fuelUsed ?? tripFuel()
    day.trips = tripCount()
    day.drivingEvents = drivingEvents.count
    day.driverEvents = drivingEvents.count { $0.isOfDriver }
    if trips.isEmpty { counters.complete(&day, from: from, to: to) }
    return day
  }

  /// Returns the number of trips that began on the day. Trips that overlap are one trip. If no record of a trip's start
  /// exists, the record of its end contains the time of the start.
  private func tripCount() -> Int {
    // A trip counts if its amount is not `nil`. The two records of a trip without an id cannot be matched, so only the
    // record of its start gets an amount.
    var parts: [MergedTrip.Part] = []
    var places: [String: Int] = [:]
    for trip in trips {
      guard let start = trip.startTime ?? (trip.hasEnded ? nil : trip.time) else { continue }
      let time = start...max(start, trip.effectiveTime)
      if let place = places[trip.id] {
        let known = parts[place].time
        parts[place].time =
          min(known.lowerBound, time.lowerBound)...max(known.upperBound, time.upperBound)
      } else {
        if !trip.id.isEmpty { places[trip.id] = parts.count }
        parts.append(MergedTrip.Part(time: time, amount: trip.id.isEmpty && trip.hasEnded ? nil : 1))
      }
    }
    return MergedTrip.merge(parts).count { $0.amount != nil && contains($0.time.lowerBound) }
  }

  /// Returns the fuel used by all trips that ended on the day, L; `nil` if unknown. Trips that overlap are one trip.
  private func tripFuel() -> Double? {
    let parts = trips.filter(\.hasEnded).map { trip in
      let end = trip.effectiveTime
      return MergedTrip.Part(time: min(trip.startTime ?? end, end)...end, amount: trip.fuelUsed)
    }
    let ended = MergedTrip.merge(parts).filter { contains($0.time.upperBound) }.compactMap(\.amount)
    return ended.isEmpty ? nil : ended.reduce(0, +)
  }
}
