import FleetDomain
import FleetWork
import Telemetry

/// Judges readings of a vehicle's meter again, after one of the readings has changed. They are judged in the order of
/// their places (``Meter/Place``).
///
/// The decision about a reading depends only on the last used reading before it, and on the used readings of the 24
/// hours before it. When both are the same as before the change, all later decisions remain as they are.
struct MeterChain {
  /// The approximate maximum number of readings that one transaction judges. Other transactions judge the rest.
  static let step = 128

  let meter: Meter
  let vehicle: String
  /// The reading that has no valid earlier decision and must still be judged, because it is new, was corrected, or was
  /// moved from another vehicle; `nil` if there is none.
  private var changed: UUIDv7?
  /// The place of the first reading that is judged.
  private let start: Meter.Place
  /// The late replacements of the meter. The decisions about those before ``start`` remain as they are.
  private let late: [Stored<MeterReading>]
  /// The last used reading before ``start``; `nil` if there is none.
  private let base: Meter.Point?
  /// The used readings since ``start``, in the order of their places and times.
  private var used: [Meter.Point] = []
  private(set) var last: Meter.Point?
  /// The last used reading up to the current place, according to the decisions before the change.
  private var formerLast: Meter.Point?
  /// If a reading was corrected or removed: its place and value before the change. `point` is `nil` if the reading was
  /// not used before the change. The property becomes `nil` when the judgement has passed the place.
  private var former: (place: Meter.Place, point: Meter.Point?)?
  /// The times of the earliest and the latest reading about which the decision has changed; `nil` if no decision has
  /// changed.
  private(set) var differing: (first: Timestamp, last: Timestamp)?

  init(
    _ meter: Meter, vehicle: String, from start: Meter.Place, _ late: [Stored<MeterReading>],
    after base: Meter.Point?, changed: UUIDv7?, former: (place: Meter.Place, point: Meter.Point?)?
  ) {
    (self.meter, self.vehicle, self.start, self.late) = (meter, vehicle, start, late)
    (self.base, self.changed, self.former) = (base, changed, former)
    (last, formerLast) = (base, base)
    if let point = former?.point { note(point.at) }
  }

  private mutating func note(_ time: Timestamp) {
    differing = (min(differing?.first ?? time, time), max(differing?.last ?? time, time))
  }

  /// Whether the decisions about all later readings remain as they are.
  var isSettled: Bool {
    guard changed == nil, former == nil, last == formerLast else { return false }
    guard let differing else { return true }
    return last.map { differing.last.milliseconds < $0.at.milliseconds - Meter.day / 1_000_000 } ?? false
  }

  /// Judges the next reading.
  ///
  /// - Returns: the reading with the new decision.
  mutating func judge(_ stored: Stored<MeterReading>, _ view: some FleetView) throws(ThingError) -> MeterReading {
    if let known = former, known.place < Meter.Place(stored) { passFormer() }
    var reading = stored.value
    var before = Meter.Point(reading, of: meter)
    if stored.id == changed { (before, changed) = (nil, nil) }
    reading.set(reading.isVoid ? .agrees : meter.judge(reading, after: last, day: try day(before: reading.at, view)))
    if !reading.isVoid { reading.comparison = .of(reading, meter, after: try previous(of: reading.at, view)) }
    let now = Meter.Point(reading, of: meter)
    if before != now { note(stored.value.at) }
    if let before { formerLast = before }
    if let now {
      used.append(now)
      last = now
    }
    return reading
  }

  /// Removes ``former``. Call this when all readings before the old place of the changed reading were judged.
  mutating func passFormer() {
    if let point = former?.point { formerLast = point }
    former = nil
  }

  /// Returns the oldest used reading of the 24 hours before a time; `nil` if there is none.
  private func day(before time: Timestamp, _ view: some FleetView) throws(ThingError) -> Meter.Point? {
    let start = time.adding(nanoseconds: -Meter.day)
    if let base, start <= base.at,
      let found = try view.point(
        of: meter, vehicle: vehicle, since: start, until: base.at, before: self.start, late)
    {
      return found
    }
    return used.first { $0.at.milliseconds >= start.milliseconds }
  }

  /// Returns the newest used reading up to a time, among the readings that were already judged; `nil` if there is none.
  private func previous(of time: Timestamp, _ view: some FleetView) throws(ThingError) -> Meter.Point? {
    if let found = used.last(where: { $0.at <= time }) { return found }
    guard let base else { return nil }
    if base.at <= time { return base }
    return try view.point(of: meter, vehicle: vehicle, until: time, before: start, late)
  }
}

extension FleetTransaction {
  /// Judges a changed reading again, and the readings whose decisions depend on it: at most about ``MeterChain/step``
  /// readings. The rest is judged later (``PendingMeter``).
  ///
  /// - Parameter reading: the reading after the change. If it was removed or moved to another vehicle, the reading
  ///   before the change.
  func judgeAgain(
    _ meter: Meter, after change: MeterChange, of reading: Stored<MeterReading>
  ) throws(ThingError) {
    var start = Meter.Place(reading)
    var former: (place: Meter.Place, point: Meter.Point?)?
    switch change {
    case .removed:
      guard reading.value.lifetime != nil else { return }
      former = (start, Meter.Point(reading.value, of: meter))
    case .corrected(let old):
      former = (Meter.Place(old), Meter.Point(old.value, of: meter))
      start = min(start, Meter.Place(old))
    case .added, .validity, .moved: break
    }
    let pending = try pendingMeter(meter, vehicle: reading.value.vehicle)
    if let pending, pending.value.position <= start.created.milliseconds {
      // The readings from here on are judged later in any case. Only the changed reading needs a decision now.
      if change != .removed, change != .added { try judgeAlone(reading, meter) }
      return
    }
    let late = try lateReplacements(of: meter, vehicle: reading.value.vehicle)
    let base = try lastUsed(before: start, of: meter, vehicle: reading.value.vehicle, late)
    var chain = MeterChain(
      meter, vehicle: reading.value.vehicle, from: start, late, after: base,
      changed: change == .validity || change == .removed ? nil : reading.id, former: former)
    let rest = try judge(&chain, from: start, late, until: pending?.value.position, stopsWhenSettled: true)
    if let rest { try markPending(meter, vehicle: reading.value.vehicle, from: rest, pending) }
    try compareLate(chain)
  }

  /// Judges readings in the order of their places, and stores the decisions that differ.
  ///
  /// - Parameter end: the creation time from which on readings are skipped, because they are already waiting to be
  ///   judged (``PendingMeter``), ms; `nil` if none wait.
  /// - Returns: the creation time of the first reading that was not judged, ms; `nil` if none remains.
  func judge(
    _ chain: inout MeterChain, from start: Meter.Place, _ late: [Stored<MeterReading>], until end: Int64?,
    stopsWhenSettled: Bool
  ) throws(ThingError) -> Int64? {
    var late = late.filter { Meter.Place($0) >= start }[...]
    let after = Timestamp(limiting: start.created.milliseconds + 1)
    var query = ThingQuery<MeterReading>(
      .atLeast(key: "createdAt", start.created.json), order: [.init("createdAt"), .init("at")], limit: 8)
    query.conditions += Self.readings(of: chain.meter, vehicle: chain.vehicle)
    if start.at.nanoseconds > 0 {
      query.conditions.append(
        .anyOf([[.atLeast(key: "createdAt", after.json)], [.atLeast(key: "at", start.at.json)]]))
    }
    var (judged, lastCreated) = (0, Timestamp?.none)
    func take(_ stored: Stored<MeterReading>) throws(ThingError) -> (isDone: Bool, rest: Int64?) {
      let place = Meter.Place(stored)
      if let end, place.created.milliseconds >= end { return (true, nil) }
      // Readings with the same creation time are judged together, because the remaining readings are found by their
      // creation times.
      if judged >= MeterChain.step, place.created != lastCreated { return (true, place.created.milliseconds) }
      try refresh(stored, to: try chain.judge(stored, self))
      (judged, lastCreated) = (judged + 1, place.created)
      return (stopsWhenSettled && chain.isSettled, nil)
    }
    repeat {
      let page = try list(query)
      for stored in page.items where stored.value.judgedFrom == nil && Meter.Place(stored) >= start {
        while let next = late.first, Meter.Place(next) < Meter.Place(stored) {
          late.removeFirst()
          let taken = try take(next)
          if taken.isDone { return taken.rest }
        }
        let taken = try take(stored)
        if taken.isDone { return taken.rest }
      }
      query.cursor = page.next
    } while query.cursor != nil
    for next in late {
      let taken = try take(next)
      if taken.isDone { return taken.rest }
    }
    chain.passFormer()
    return nil
  }

  /// Judges one reading, but not the readings after it.
  private func judgeAlone(_ stored: Stored<MeterReading>, _ meter: Meter) throws(ThingError) {
    let late = try lateReplacements(of: meter, vehicle: stored.value.vehicle)
    let place = Meter.Place(stored)
    let base = try lastUsed(before: place, of: meter, vehicle: stored.value.vehicle, late)
    var chain = MeterChain(
      meter, vehicle: stored.value.vehicle, from: place, late, after: base, changed: stored.id, former: nil)
    try refresh(stored, to: try chain.judge(stored, self))
  }

  /// Computes the comparisons (``FleetWork/MeterReading/comparison``) of unused readings again, if the decisions about
  /// the readings before them have changed. An unused reading may have arrived late, so these readings are found by
  /// their own times. If there are many, only about ``MeterChain/step`` are compared.
  private func compareLate(_ chain: MeterChain) throws(ThingError) {
    guard let differing = chain.differing else { return }
    // The chain may have changed the decisions about late replacements.
    let late = try lateReplacements(of: chain.meter, vehicle: chain.vehicle)
    var query = ThingQuery<MeterReading>(
      .atLeast(key: "at", differing.first.json), order: [.init("at")], limit: 8)
    query.conditions += Self.readings(of: chain.meter, vehicle: chain.vehicle)
    var read = 0
    repeat {
      let page = try list(query)
      for stored in page.items {
        if stored.value.lifetime != nil, stored.value.at > differing.last { return }
        guard stored.value.lifetime == nil, !stored.value.isVoid else { continue }
        var reading = stored.value
        let previous = try point(
          of: chain.meter, vehicle: chain.vehicle, until: reading.at, before: Meter.Place(stored), late)
        reading.comparison = .of(reading, chain.meter, after: previous)
        try refresh(stored, to: reading)
      }
      read += page.items.count
      query.cursor = page.next
    } while query.cursor != nil && read < MeterChain.step
  }
}
