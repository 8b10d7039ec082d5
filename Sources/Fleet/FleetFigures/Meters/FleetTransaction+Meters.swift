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
  /// - Throws: `invalid`.
  public func judge(_ reading: inout MeterReading) throws(ThingError) {
    if reading.at == MeterReading().at { reading.at = now }
    guard let meter = Meter(of: reading) else {
      throw .invalid(FieldErrors([FieldError("odometer", "expected either odometer or engineHours")]))
    }
    try reading.at.requirePast(at: now, "at")
    let last = try point(of: meter, vehicle: reading.vehicle)
    let day = Timestamp(nanoseconds: reading.at.nanoseconds - 86_400_000_000_000)
    let judgement = meter.judge(
      reading, after: last, day: last == nil ? nil : try point(of: meter, vehicle: reading.vehicle, since: day))
    reading.set(judgement)
    reading.comparison = try comparison(of: reading, meter, after: last)
  }

  /// Updates the vehicle of a new or changed reading, and its services. Decides about later readings again if
  /// necessary.
  public func follow(_ reading: Stored<MeterReading>, evaluatesServices: Bool = true) throws(ThingError) {
    guard let meter = Meter(of: reading.value) else { return }
    if reading.version > 1 {
      // A reading became void, or is valid again: this changes the decisions about all later readings.
      try judgeAgain(meter, vehicle: reading.value.vehicle)
    } else if reading.value.lifetime == nil {
      return try announceContradiction(of: reading, meter)
    }
    try updateMeter(meter, ofVehicle: reading.value.vehicle, evaluatesServices: evaluatesServices)
  }

  /// Decides again which readings of a vehicle are used, after a reading was removed or moved to another vehicle.
  func judgeAfterCorrection(_ reading: MeterReading) throws(ThingError) {
    guard let meter = Meter(of: reading) else { return }
    try judgeAgain(meter, vehicle: reading.vehicle)
    try updateMeter(meter, ofVehicle: reading.vehicle, evaluatesServices: true)
  }

  private func judgeAgain(_ meter: Meter, vehicle: String) throws(ThingError) {
    var query = ThingQuery<MeterReading>(
      .oneOf(key: "vehicleId", [.text(vehicle)]), .isSet(key: meter.rawValue),
      // The start and end readings of a journey are created at the same time.
      order: [.init("createdAt"), .init("at")], limit: 1_000)
    var used: [Meter.Point] = []
    repeat {
      let page = try list(query)
      for stored in page.items {
        var reading = stored.value
        let start = reading.at.milliseconds - 86_400_000
        var first = used.endIndex
        while first > 0, used[first - 1].at.milliseconds >= start { first -= 1 }
        reading.set(
          reading.isVoid
            ? .agrees
            : meter.judge(reading, after: used.last, day: first < used.endIndex ? used[first] : nil))
        // The estimate at the time of the reading is not known any more, but it remains valid for the same previous
        // reading.
        let known = reading.comparison
        reading.comparison = used.last { $0.at <= reading.at }.flatMap { previous in
          guard !reading.isReplaced, let value = meter.value(of: reading) else { return nil }
          var new = MeterReading.Comparison(of: value, at: reading.at, after: previous, estimate: nil)
          if let known, known.previous == new.previous, known.previousAt == new.previousAt {
            new.telemetry = known.telemetry
            new.difference = known.telemetry.map { ((new.increase - $0) * 1_000).rounded() / 1_000 }
          }
          return new
        }
        if let point = Meter.Point(reading, of: meter) { used.append(point) }
        try refresh(stored, to: reading)
      }
      query.cursor = page.next
    } while query.cursor != nil
  }

  /// Sets the meters of a vehicle that have no values to the newest used readings. Such readings exist if a vehicle was
  /// removed and made again: readings belong to the id of a vehicle, and new readings are compared with them.
  public func continueMeters(of vehicle: Stored<Vehicle>) throws(ThingError) {
    for meter in Meter.allCases where vehicle.value.point(of: meter) == nil {
      guard try point(of: meter, vehicle: vehicle.value.id) != nil else { continue }
      try updateMeter(meter, ofVehicle: vehicle.value.id, evaluatesServices: false)
    }
  }

  /// Sets the current value of a vehicle's meter to the newest used reading.
  private func updateMeter(_ meter: Meter, ofVehicle id: String, evaluatesServices: Bool) throws(ThingError) {
    guard let vehicle = try vehicle(named: id), vehicle.value.id == id else { return }
    let last = try point(of: meter, vehicle: id)
    var daily: Double?
    if let last, Meter.days(from: last.at, to: now) <= Double(Meter.usageDays) {
      let start = Timestamp(nanoseconds: last.at.nanoseconds - Int64(Meter.usageDays) * 86_400_000_000_000)
      daily = try point(of: meter, vehicle: id, since: start).flatMap { Meter.daily(from: $0, to: last) }
    }
    var changed = vehicle.value
    changed.set(meter, to: last, isEstimated: last.map { _ in false }, daily: daily)
    let refreshed = try refresh(vehicle, to: changed)
    if evaluatesServices { try evaluateServices(of: refreshed) }
  }
}

extension FleetView {
  /// Returns a used reading of a vehicle's meter; `nil` if there is none.
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
    if let end { query.conditions.append(.atMost(key: "at", end.json)) }
    return try first(query).flatMap { Meter.Point($0.value, of: meter) }
  }

  /// Returns the newest known value of a vehicle's meter at the end of a day. If none is known, returns the oldest value
  /// after it; `nil` if there is none at all.
  func point(of meter: Meter, near date: CalendarDate, of vehicle: Vehicle) throws(ThingError) -> Meter.Point? {
    guard let newest = vehicle.point(of: meter) else { return nil }
    let zone = try zone(of: vehicle)
    if zone.day(of: newest.at) <= date { return newest }
    let next = Timestamp(nanoseconds: zone.start(of: date.next) * 1_000_000)
    let end = Timestamp(nanoseconds: next.nanoseconds - 1_000_000)
    if let last = try point(of: meter, vehicle: vehicle.id, until: end) { return last }
    return try point(of: meter, vehicle: vehicle.id, since: next) ?? newest
  }

  /// Returns the value that a vehicle's meter showed on a day: the newest one of that day. For today, the present value
  /// counts if it is at most ``Meter/presentDays`` days old. `nil` if no such value is known.
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
