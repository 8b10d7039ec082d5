import FleetDomain
import FleetWork
import Telemetry

/// Readings of a vehicle's meter that are judged again, in the order of their places (``Meter/Place``).
///
/// The decision about a reading depends only on the last used reading before it, and on the used readings of the 24 hours
/// before it. Therefore, all later decisions remain as they are once these are the same as before the change.
struct MeterChain {
  /// The number of readings after which the rest is judged later, in other transactions.
  static let step = 128

  let meter: Meter
  let vehicle: String
  /// A reading without a valid earlier decision that is still to be judged; `nil` if there is none.
  private var changed: UUIDv7?
  /// The first place.
  private let start: Meter.Place
  /// The late replacements of the meter, of which those before the first place remain as they are.
  private let late: [Stored<MeterReading>]
  /// The last used reading before the first place.
  private let base: Meter.Point?
  /// The used readings since the first place, in the order of their places and times.
  private var used: [Meter.Point] = []
  private(set) var last: Meter.Point?
  /// The reading that was the last used one before the change.
  private var formerLast: Meter.Point?
  /// The former place of a corrected or removed reading, and the reading if it was used.
  private var former: (place: Meter.Place, point: Meter.Point?)?
  /// The earliest and the latest time of the readings about which the decision differs from before; `nil` if there is
  /// none.
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

  /// Passes the former place of the changed reading, after which no reading follows.
  mutating func passFormer() {
    if let point = former?.point { formerLast = point }
    former = nil
  }

  /// Returns the oldest used reading of the 24 hours before a time; `nil` if there is none.
  private func day(before time: Timestamp, _ view: some FleetView) throws(ThingError) -> Meter.Point? {
    let start = Timestamp(nanoseconds: time.nanoseconds - Meter.day)
    if let base, start <= base.at,
      let found = try view.point(
        of: meter, vehicle: vehicle, since: start, until: base.at, before: self.start, late)
    {
      return found
    }
    return used.first { $0.at.milliseconds >= start.milliseconds }
  }

  /// Returns the newest used reading until a time, of those that were judged already; `nil` if there is none.
  private func previous(of time: Timestamp, _ view: some FleetView) throws(ThingError) -> Meter.Point? {
    if let found = used.last(where: { $0.at <= time }) { return found }
    guard let base else { return nil }
    if base.at <= time { return base }
    return try view.point(of: meter, vehicle: vehicle, until: time, before: start, late)
  }
}

extension FleetTransaction {
  /// Judges the readings again that a change of a reading affects, at most about ``MeterChain/step`` of them. The rest is
  /// judged later (``PendingMeter``).
  ///
  /// - Parameter reading: the changed reading; the former one if it was removed or moved away.
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
      // These readings are judged later in any case. Only this one needs a decision now.
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
  /// - Parameter end: the creation time, ms, of readings that are judged later in any case; `nil` if there are none.
  /// - Returns: the creation time of the first reading that was not judged, ms; `nil` if none remains.
  func judge(
    _ chain: inout MeterChain, from start: Meter.Place, _ late: [Stored<MeterReading>], until end: Int64?,
    stopsWhenSettled: Bool
  ) throws(ThingError) -> Int64? {
    var late = late.filter { Meter.Place($0) >= start }[...]
    let after = Timestamp(nanoseconds: (start.created.milliseconds + 1) * 1_000_000)
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
      // Readings with equal times of creation are judged together, because the rest is found by this time.
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

  /// Judges a reading without the readings after it.
  private func judgeAlone(_ stored: Stored<MeterReading>, _ meter: Meter) throws(ThingError) {
    let late = try lateReplacements(of: meter, vehicle: stored.value.vehicle)
    let place = Meter.Place(stored)
    let base = try lastUsed(before: place, of: meter, vehicle: stored.value.vehicle, late)
    var chain = MeterChain(
      meter, vehicle: stored.value.vehicle, from: place, late, after: base, changed: stored.id, former: nil)
    try refresh(stored, to: try chain.judge(stored, self))
  }

  /// Compares unused readings again, which may have arrived late, if the readings before them have changed. Of many such
  /// readings at the same times, only about ``MeterChain/step`` are compared.
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
