import Telemetry

// Trips over a restart. What was under way is told by its owner to the next session, which goes on with it or closes it:
//
//     fusion.resumeTrip(memory, bootId: bootId, at: now)     once, before anything is read
//     fusion.tripMemory(bootId: bootId, at: now)             every few seconds, and when ``Fusion/tripChanges`` counts on
extension Fusion {
  /// What is to be remembered of the trip under way; nil: there is none, and nothing is to be remembered.
  ///
  /// - Parameters:
  ///   - bootId: which boot `time` counts from.
  ///   - time: now.
  public mutating func tripMemory(bootId: String, at time: Int64) -> TripMemory? {
    // Not decided yet: a further cut must find the same.
    if let formerTrip { return formerTrip.memory }
    // What was counted may be newer than the caller's clock look.
    let time = max(time, now)
    guard options.trips != nil, let trip = trips.snapshot(at: time) else { return nil }
    let id = tripId ?? newTripId(start: trip.start)
    tripId = id
    return TripMemory(
      trip, tripId: id, vehicleId: vehicleId, vin: vin.isEmpty ? nil : vinText, bootId: bootId, time: time,
      date: date(of: time), quality: timeQuality)
  }

  /// Says what was under way when the session before ended. Whether the trip goes on shows when it is known how long that
  /// is ago, and which vehicle this is; until then, at most for ``TripOptions/stopTime``, no other trip is told.
  ///
  /// It goes on where less than ``TripOptions/stopTime`` lies between its last sign and the first one now. Otherwise, and
  /// where neither boot nor a trusted date tell how long that was, it is closed with its last known state.
  public mutating func resumeTrip(_ memory: TripMemory, bootId: String, at time: Int64) {
    guard options.trips != nil else { return }
    if time > now { now = time }
    formerTrip = FormerTrip(memory: memory, bootId: bootId, since: now)
    tripDeadline = now
  }

  /// Tells the end of a trip that no session goes on with.
  public mutating func endTrip<Sink: RecordSink & ~Copyable>(
    of memory: TripMemory, bootId: String, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    let waiting = formerTrip
    formerTrip = FormerTrip(memory: memory, bootId: bootId, since: now)
    closeFormerTrip(into: &sink)
    formerTrip = waiting
  }

  /// Decides what becomes of the former trip; false: it is not known yet.
  mutating func settleFormerTrip<Sink: RecordSink & ~Copyable>(into sink: inout Sink) -> Bool {
    guard let former = formerTrip, let stopTime = options.trips?.stopTime else { return true }
    let limit = TripWatch.after(former.since, stopTime)
    let memory = former.memory
    let isSameVehicle: Bool? =
      if let known = memory.vin { vin.isEmpty ? (isUnnamed ? false : nil) : known == vinText } else { true }
    let trip = memory.trip(bootId: former.bootId, offset: wallOffset, quality: timeQuality)
    let canBeDated = memory.isDateTrusted || memory.bootId == former.bootId
    if isSameVehicle == false || !canBeDated || trip == nil && now >= limit {
      closeFormerTrip(into: &sink)
      return true
    }
    tripDeadline = limit
    guard let trip else { return false }
    let next = trips.hasTrip ? trips.trip.start : now
    // A date before its end is of a clock that ran back.
    if next - trip.end >= stopTime || next < trip.end - FormerTrip.clockJitter {
      closeFormerTrip(into: &sink)
      return true
    }
    guard isSameVehicle == true || now >= limit else { return false }
    tripId = memory.tripId
    trips.goOn(trip, at: now)
    formerTrip = nil
    return true
  }

  /// Tells the end of the former trip with its last known state.
  mutating func closeFormerTrip<Sink: RecordSink & ~Copyable>(into sink: inout Sink) {
    guard let former = formerTrip else { return }
    formerTrip = nil
    let memory = former.memory
    guard memory.trip.isTold else { return }
    let report = TripReport(memory.trip, isSpeedAbsent: true, hasSpark: false)
    let current = (tripId, formerVehicleId)
    tripId = memory.tripId
    formerVehicleId = memory.vehicleId
    let onThisClock = memory.trip(bootId: former.bootId, offset: wallOffset, quality: timeQuality)
    let start = onThisClock.map { date(of: $0.start) } ?? memory.date(of: memory.trip.start)
    let end = onThisClock.map { date(of: $0.end) } ?? memory.date(of: memory.trip.end)
    write(record(of: report, .end, start: start, end: end), into: &sink)
    (tripId, formerVehicleId) = current
  }
}

/// A trip of the session before, of which is not known yet whether it goes on.
struct FormerTrip {
  var memory: TripMemory
  /// This boot.
  var bootId: String
  /// When this session was told.
  var since: Int64

  /// Two readings of a good clock may differ by so much, ns.
  static let clockJitter: Int64 = 2_000_000_000
}
