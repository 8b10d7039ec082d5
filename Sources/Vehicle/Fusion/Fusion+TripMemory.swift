import Telemetry

// Continues trips after a restart. The caller stores the current trip and passes it to the next session, which
// continues or ends it:
//
//     fusion.resumeTrip(memory, bootId: bootId, at: now)     once, before the first reading
//     fusion.tripMemory(bootId: bootId, at: now)             every few seconds, and when ``Fusion/tripChanges`` grows
extension Fusion {
  /// Returns the current trip so that the caller can store it; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - bootId: boot ID of the system during this session.
  ///   - time: the current time, ns.
  public mutating func tripMemory(bootId: String, at time: Int64) -> TripMemory? {
    // While it is not decided whether the former trip continues, that trip must still be stored, because the power may
    // fail again.
    if let former = tripState.former { return former.memory }
    // The last event may be later than the time that the caller passed.
    let time = max(time, now)
    guard options.trips != nil, let trip = trips.snapshot(at: time) else { return nil }
    let id = tripState.id ?? newTripId(start: trip.start)
    tripState.id = id
    return TripMemory(
      trip, tripId: id, vehicleId: identity.id, vin: identity.vin.isEmpty ? nil : identity.vinText, bootId: bootId,
      time: time,
      date: date(of: time), quality: timeQuality)
  }

  /// Receives the trip that the previous session stored.
  ///
  /// The trip continues if the time between its last activity and the first activity of this session (the interruption)
  /// is less than ``TripOptions/stopTime``. Otherwise it ends with its last known state. It also ends if the length of
  /// the interruption cannot be determined: the boot ID differs, and the stored trip has no trusted date.
  ///
  /// The decision is made when the length of the interruption and the vehicle's VIN are known, but after
  /// ``TripOptions/stopTime`` at the latest. Until then, no other trip is reported.
  ///
  /// - Parameters:
  ///   - memory: the stored trip.
  ///   - bootId: boot ID of the system during this session.
  ///   - time: the current time, ns.
  public mutating func resumeTrip(_ memory: TripMemory, bootId: String, at time: Int64) {
    guard options.trips != nil else { return }
    if time > now { now = time }
    tripState.former = FormerTrip(memory: memory, bootId: bootId, since: now)
    tripState.deadline = now
  }

  /// Reports the end of a stored trip that no session will continue, for example because its adapter was not connected
  /// again.
  ///
  /// - Parameters:
  ///   - memory: the stored trip.
  ///   - bootId: boot ID of the system during this session.
  public mutating func endTrip<Sink: RecordSink & ~Copyable>(
    of memory: TripMemory, bootId: String, at time: Int64, into sink: inout Sink
  ) {
    tick(time, into: &sink)
    let waiting = tripState.former
    tripState.former = FormerTrip(memory: memory, bootId: bootId, since: now)
    closeFormerTrip(into: &sink)
    tripState.former = waiting
  }

  /// Decides whether the trip of the previous session continues or ends.
  ///
  /// - Returns: `false` if this cannot be decided yet.
  mutating func resolveFormerTrip<Sink: RecordSink & ~Copyable>(into sink: inout Sink) -> Bool {
    guard let former = tripState.former, let stopTime = options.trips?.stopTime else { return true }
    let limit = TripWatch.after(former.since, stopTime)
    let memory = former.memory
    let isSameVehicle: Bool? =
      if let known = memory.vin {
        identity.vin.isEmpty ? (identity.isUnnamed ? false : nil) : known == identity.vinText
      } else { true }
    let trip = memory.trip(bootId: former.bootId, offset: wallOffset, quality: timeQuality)
    let canBeDated = memory.isDateTrusted || memory.bootId == former.bootId
    if isSameVehicle == false || !canBeDated || trip == nil && now >= limit {
      closeFormerTrip(into: &sink)
      return true
    }
    tripState.deadline = limit
    guard let trip else { return false }
    let next = trips.hasTrip ? trips.trip.start : now
    // If the date is earlier than the end of the trip, the clock was set back.
    if next - trip.end >= stopTime || next < trip.end - FormerTrip.clockJitter {
      closeFormerTrip(into: &sink)
      return true
    }
    guard isSameVehicle == true || now >= limit else { return false }
    tripState.id = memory.tripId
    trips.continueTrip(trip, at: now)
    tripState.former = nil
    return true
  }

  /// Ends the trip of the previous session, and reports this with the trip's last known state.
  mutating func closeFormerTrip<Sink: RecordSink & ~Copyable>(into sink: inout Sink) {
    guard let former = tripState.former else { return }
    tripState.former = nil
    let memory = former.memory
    guard memory.trip.isReported else { return }
    let report = TripReport(memory.trip, isSpeedAbsent: true, hasSpark: false)
    let current = (tripState.id, tripState.formerVehicleId)
    tripState.id = memory.tripId
    tripState.formerVehicleId = memory.vehicleId
    let onThisClock = memory.trip(bootId: former.bootId, offset: wallOffset, quality: timeQuality)
    let start = onThisClock.map { date(of: $0.start) } ?? memory.date(of: memory.trip.start)
    let end = onThisClock.map { date(of: $0.end) } ?? memory.date(of: memory.trip.end)
    write(record(of: report, .end, start: start, end: end), into: &sink)
    (tripState.id, tripState.formerVehicleId) = current
  }
}

/// A trip of the previous session for which it is not decided yet whether it continues.
struct FormerTrip {
  var memory: TripMemory
  /// Boot ID of this session.
  var bootId: String
  /// Time at which the stored trip was passed to this session.
  var since: Int64

  /// Maximum difference between the clocks of the previous session and of this session if the dates of both are
  /// accurate, ns.
  static let clockJitter: Int64 = 2_000_000_000
}
