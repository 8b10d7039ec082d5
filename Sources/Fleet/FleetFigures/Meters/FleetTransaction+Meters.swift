import FleetDomain
import FleetWork
import Telemetry

extension FleetTransaction {
  /// Adds a meter reading that another thing contains. See ``followReadings(of:)``.
  ///
  /// - Parameter evaluatesServices: `false` if the caller then calls ``evaluateServices(ofVehicles:)``.
  /// - Throws: `invalid` for a vehicle that does not exist, or a time in the future.
  @discardableResult
  public func add(
    _ reading: MeterReading, action: String = "create", evaluatesServices: Bool = true
  ) throws(ThingError) -> Stored<MeterReading> {
    var reading = reading
    try judge(&reading)
    let stored = try insert(reading, id: nil, action: action)
    try follow(stored, evaluatesServices: evaluatesServices)
    return stored
  }

  /// Decides whether a new reading is used, and sets its flag and total. If it has no time, sets the current time.
  ///
  /// - Throws: `invalid`; `limitReached` if too many late replacements of the vehicle's meter are stored
  ///   (``Meter/mostLateReplacements``).
  public func judge(_ reading: inout MeterReading) throws(ThingError) {
    if reading.at == MeterReading().at { reading.at = now }
    guard let meter = Meter(of: reading) else {
      throw .invalid(FieldErrors([FieldError("odometer", "expected either odometer or engineHours")]))
    }
    try reading.at.requirePast(at: now, "at")
    reading.judgedFrom = try placeOfReplacement(reading, meter)
    let last = try point(
      of: meter, vehicle: reading.vehicle, until: reading.judgedFrom == nil ? nil : reading.at)
    let day = reading.at.adding(nanoseconds: -Meter.day)
    let judgement = meter.judge(
      reading, after: last, day: last == nil ? nil : try point(of: meter, vehicle: reading.vehicle, since: day))
    reading.set(judgement)
    reading.comparison = try comparison(of: reading, meter, after: last)
  }

  /// Updates the vehicle's meter and services after a reading was added or changed. If necessary, decides again whether
  /// other readings are used.
  ///
  /// - Parameter change: `nil` if the reading was added, became void, or became valid.
  public func follow(
    _ reading: Stored<MeterReading>, after change: MeterChange? = nil, evaluatesServices: Bool = true
  ) throws(ThingError) {
    guard let meter = Meter(of: reading.value) else { return }
    let change = change ?? (reading.version == 1 ? .added : .validity)
    try judgeAgain(meter, after: change, of: try existing(reading.id, MeterReading.self))
    if change == .added {
      let judged = try existing(reading.id, MeterReading.self)
      if judged.value.lifetime == nil { return try announceContradiction(of: judged, meter) }
    }
    try updateMeter(meter, ofVehicle: reading.value.vehicle, evaluatesServices: evaluatesServices)
  }

  /// Decides again which readings of a vehicle are used, after a reading was removed or moved to another vehicle.
  ///
  /// - Parameter reading: the reading before the change.
  func judgeAfterRemoval(of reading: Stored<MeterReading>) throws(ThingError) {
    guard let meter = Meter(of: reading.value) else { return }
    try judgeAgain(meter, after: .removed, of: reading)
    try updateMeter(meter, ofVehicle: reading.value.vehicle, evaluatesServices: true)
  }

  /// If the odometer or the hour meter of a vehicle has no value, sets the value to the newest used reading that is
  /// stored for the vehicle's id. Such a reading exists if an earlier vehicle with this id was removed. New readings
  /// are compared with the stored reading, so the vehicle must show it.
  public func continueMeters(of vehicle: Stored<Vehicle>) throws(ThingError) {
    for meter in Meter.allCases where vehicle.value.point(of: meter) == nil {
      guard try point(of: meter, vehicle: vehicle.value.id) != nil else { continue }
      try updateMeter(meter, ofVehicle: vehicle.value.id, evaluatesServices: false)
    }
  }

  /// Sets the current value of a vehicle's meter to the newest used reading, and requests a new estimate from the trips
  /// after it. An estimate that is newer than the reading remains until then, so that services do not change their
  /// states for a moment.
  func updateMeter(_ meter: Meter, ofVehicle id: String, evaluatesServices: Bool) throws(ThingError) {
    guard let vehicle = try vehicle(named: id), vehicle.value.id == id else { return }
    let last = try point(of: meter, vehicle: id)
    var daily: Double?
    if let last, Meter.days(from: last.at, to: now) <= Double(Meter.usageDays) {
      let start = last.at.adding(nanoseconds: -(Int64(Meter.usageDays) * 86_400_000_000_000))
      daily = try point(of: meter, vehicle: id, since: start).flatMap { Meter.daily(from: $0, to: last) }
    }
    var changed = vehicle.value
    if let last, let estimate = changed.point(of: meter), changed.isEstimated(meter), estimate.at > last.at {
      changed.set(meter, to: estimate, isEstimated: true, daily: daily)
    } else {
      changed.set(meter, to: last, isEstimated: last.map { _ in false }, daily: daily)
    }
    if last != nil { try requestEstimate(ofVehicle: id) }
    let refreshed = try refresh(vehicle, to: changed)
    if evaluatesServices { try evaluateServices(of: refreshed) }
  }
}

extension FleetView {
  /// A time after all readings, 2200-01-01.
  static var latest: Timestamp { Timestamp(nanoseconds: 7_258_118_400_000_000_000) }

  /// Returns a used reading of a vehicle's meter: the newest or the oldest one in a time range; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - start: if `nil`, the newest reading is returned; otherwise the oldest one since this time.
  ///   - end: the latest time of the reading; `nil` for no limit.
  func point(
    of meter: Meter, vehicle: String, since start: Timestamp? = nil, until end: Timestamp? = nil
  ) throws(ThingError) -> Meter.Point? {
    var query = ThingQuery<MeterReading>(
      .oneOf(key: "vehicleId", [.text(vehicle)]), .isSet(key: meter.rawValue), .isSet(key: "lifetime"),
      order: [.init("at", isDescending: start == nil), .init("lifetime", isDescending: start == nil)])
    if let start { query.conditions.append(.atLeast(key: "at", start.json)) }
    // The databases use the index of the times only if the query limits them.
    if start == nil || end != nil { query.conditions.append(.atMost(key: "at", (end ?? Self.latest).json)) }
    return try first(query).flatMap { Meter.Point($0.value, of: meter) }
  }

  /// Returns the newest known value of a vehicle's meter at the end of a day. If none is known, returns the oldest
  /// value after it; `nil` if there is none at all.
  func point(of meter: Meter, near date: CalendarDate, of vehicle: Vehicle) throws(ThingError) -> Meter.Point? {
    guard let newest = vehicle.point(of: meter) else { return nil }
    let zone = try zone(of: vehicle)
    if zone.day(of: newest.at) <= date { return newest }
    let next = Timestamp(limiting: zone.start(of: date.next))
    let end = next.adding(nanoseconds: -1_000_000)
    if let last = try point(of: meter, vehicle: vehicle.id, until: end) { return last }
    return try point(of: meter, vehicle: vehicle.id, since: next) ?? newest
  }

  /// Returns the value that a vehicle's meter showed on a day: the newest reading of that day. If the day is today, the
  /// present value is used if it is at most ``Meter/presentDays`` days old. `nil` if no such value is known.
  func reading(
    of meter: Meter, on date: CalendarDate, today: CalendarDate, of vehicle: Vehicle
  ) throws(ThingError) -> Double? {
    guard let point = try self.point(of: meter, near: date, of: vehicle) else { return nil }
    let day = try zone(of: vehicle).day(of: point.at)
    let isPresent = date >= today && day <= today && day >= today.adding(days: -Meter.presentDays)
    return day == date || isPresent ? point.value : nil
  }
}

extension MeterReading {
  mutating func set(_ judgement: Meter.Judgement) {
    (flag, lifetime) =
      switch judgement {
      case .used(let lifetime): (nil, lifetime)
      case .agrees: (nil, nil)
      case .flagged(let flag): (flag, nil)
      }
  }
}

extension Meter.Point {
  init?(_ reading: MeterReading, of meter: Meter) {
    guard let lifetime = reading.lifetime, let value = meter.value(of: reading) else { return nil }
    self.init(at: reading.at, value: value, lifetime: lifetime)
  }
}

extension Vehicle {
  func isEstimated(_ meter: Meter) -> Bool {
    (meter == .odometer ? isOdometerEstimated : areEngineHoursEstimated) ?? false
  }

  /// Returns the current reading of a meter with its time and total; `nil` if unknown.
  func point(of meter: Meter) -> Meter.Point? {
    switch meter {
    case .odometer:
      guard let odometer, let odometerAt, let lifetimeKilometers else { return nil }
      return Meter.Point(at: odometerAt, value: odometer, lifetime: lifetimeKilometers)
    case .engineHours:
      guard let engineHours, let engineHoursAt, let lifetimeEngineHours else { return nil }
      return Meter.Point(at: engineHoursAt, value: engineHours, lifetime: lifetimeEngineHours)
    }
  }

  mutating func set(_ meter: Meter, to point: Meter.Point?, isEstimated: Bool?, daily: Double?) {
    switch meter {
    case .odometer:
      (odometer, odometerAt, lifetimeKilometers) = (point?.value, point?.at, point?.lifetime)
      (isOdometerEstimated, dailyKilometers) = (isEstimated, daily)
    case .engineHours:
      (engineHours, engineHoursAt, lifetimeEngineHours) = (point?.value, point?.at, point?.lifetime)
      (areEngineHoursEstimated, dailyEngineHours) = (isEstimated, daily)
    }
  }
}
