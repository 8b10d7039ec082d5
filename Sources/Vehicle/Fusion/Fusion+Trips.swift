import NMEAWire
import OBDWire
import Telemetry

extension Fusion {
  /// Uses a value of a reading to detect trips and driving events.
  ///
  /// Only the value that is at the top level of the record is used, because several ECUs may report the same quantity.
  mutating func follow<Sink: RecordSink & ~Copyable>(
    _ motion: Column.Motion, _ value: Double, column: Int, ecu: Int, into sink: inout Sink
  ) {
    guard ecu == 0 || Int(columns[column].owner) == ecu else { return }
    if options.trips != nil { tripReading(motion, value) }
    if options.driving != nil { drivingReading(motion, value) }
    recordTrips(into: &sink)
    recordDriving(into: &sink)
  }

  private mutating func tripReading(_ motion: Column.Motion, _ value: Double) {
    switch motion {
    case .none: break
    case .speed: trips.speed(value, at: now)
    case .engineSpeed: trips.engineSpeed(value, at: now)
    case .batteryVoltage: trips.batteryVoltage(value, at: now)
    case .controlModuleVoltage: trips.controlModuleVoltage(value, at: now)
    case .odometer: trips.odometer(value, at: now)
    case .fuelRate: trips.fuelRate(value, at: now)
    case .fuelMassRate: trips.fuelMassRate(value, at: now)
    case .cylinderFuelRate: trips.cylinderFuelRate(value, at: now)
    case .massAirFlow: trips.massAirFlow(value, at: now)
    case .manifoldPressure: trips.manifoldPressure(value, at: now)
    case .intakeTemperature: trips.intakeTemperature(value, at: now)
    case .commandedLambda: trips.commandedLambda(value, at: now)
    case .measuredLambda: trips.measuredLambda(value, at: now)
    case .fuelType: trips.fuelType(code: value)
    case .ignition: trips.ignition(isSpark: value == 0)
    }
  }

  private mutating func drivingReading(_ motion: Column.Motion, _ value: Double) {
    switch motion {
    case .speed: driving.speed(value, at: now)
    case .engineSpeed: driving.engineSpeed(value, at: now)
    case .batteryVoltage: driving.batteryVoltage(value, at: now)
    case .controlModuleVoltage: driving.controlModuleVoltage(value, at: now)
    default: break
    }
  }

  /// Uses a fix to detect trips and driving events.
  mutating func follow<Sink: RecordSink & ~Copyable>(_ fix: Fix, into sink: inout Sink) {
    if options.trips != nil, let latitude = fix.latitude, let longitude = fix.longitude {
      trips.fix(latitude: latitude, longitude: longitude, speed: fix.speed, at: now)
      recordTrips(into: &sink)
    }
    if options.driving != nil, let speed = fix.speed {
      driving.groundSpeed(speed, at: now)
      recordDriving(into: &sink)
    }
  }

  /// Sets the lowest speed limit of the geofences that contain the vehicle, km/h; `nil` if none has a limit.
  public mutating func setFenceLimit(_ limit: Double?) { driving.setFenceLimit(limit, at: now) }

  // MARK: The vehicle

  /// Ends the trip of the previous vehicle. Its end is reported with the previous vehicle's ID.
  mutating func endTripOfFormerVehicle() {
    if tripState.formerVehicleId == nil { tripState.formerVehicleId = identity.id }
    trips.vehicleChanged(at: now)
    driving.vehicleChanged()
    if options.trips != nil { tripState.deadline = .min }
  }

  // MARK: Records

  /// Writes the trip records that are due, and updates ``TripState/deadline``.
  mutating func recordTrips<Sink: RecordSink & ~Copyable>(into sink: inout Sink) {
    guard options.trips != nil else { return }
    guard resolveFormerTrip(into: &sink) else { return }
    while let change = trips.decide(at: now) { write(change, into: &sink) }
    tripState.formerVehicleId = nil
    if !trips.hasTrip { tripState.id = nil }
    tripState.deadline = trips.deadline
  }

  /// Writes records of the driving events that have been detected.
  mutating func recordDriving<Sink: RecordSink & ~Copyable>(into sink: inout Sink) {
    while let event = driving.next() { write(event.record, at: now, into: &sink) }
  }

  /// At the end of the session, ends the current trip and the current harsh manoeuvre.
  mutating func finishTrips<Sink: RecordSink & ~Copyable>(into sink: inout Sink) {
    if options.driving != nil {
      driving.finish()
      recordDriving(into: &sink)
    }
    guard let options = options.trips, options.endsWithSession else { return }
    closeFormerTrip(into: &sink)
    while let change = trips.finish(at: now) { write(change, into: &sink) }
    tripState.deadline = .max
  }

  /// Stops the detection of trips and driving events, because the times of readings turned out to be inaccurate and
  /// both depend on durations. A current trip ends with its last known state.
  public mutating func distrustTimes<Sink: RecordSink & ~Copyable>(into sink: inout Sink) {
    guard options.trips != nil || options.driving != nil else { return }
    options.trips?.endsWithSession = true
    finishTrips(into: &sink)
    options.trips = nil
    options.driving = nil
  }

  private mutating func write<Sink: RecordSink & ~Copyable>(_ change: TripChange, into sink: inout Sink) {
    switch change {
    case .start(let report):
      write(record(of: report, .start, start: date(of: report.start), end: nil), into: &sink)
      repeatDiagnosisOfTrip()
    case .end(let report):
      write(record(of: report, .end, start: date(of: report.start), end: date(of: report.end)), into: &sink)
      tripState.id = nil
    }
  }

  /// Converts a time to a date; `nil` if the date is unknown. Both start and end of a trip are converted when the
  /// record is made. Therefore a step of the clock between them does not change the trip's duration.
  func date(of time: Int64) -> Timestamp? {
    timeQuality == .unset ? nil : Timestamp(nanoseconds: time &+ wallOffset)
  }

  /// Makes the record of a trip.
  mutating func record(
    of report: TripReport, _ event: TripRecord.Event, start: Timestamp?, end: Timestamp?
  ) -> TripRecord {
    let id = tripState.id ?? newTripId(start: report.start)
    tripState.id = id
    var record = TripRecord(tripId: id, event: event)
    record.startTime = start
    record.endTime = end
    record.distance = report.distance
    record.distanceSource = report.distanceSource
    record.startOdometer = report.startOdometer
    record.endOdometer = event == .end ? report.endOdometer : nil
    record.fuelUsed = report.fuelUsed
    record.fuelUsedEstimated = report.fuelUsedEstimated
    record.idleSeconds = report.idleSeconds
    record.maxSpeed = report.maxSpeed
    return record
  }

  /// Writes a trip record. The record's ID is derived from the trip's ID, so that it is the same if the record is
  /// repeated after a power cut.
  mutating func write<Sink: RecordSink & ~Copyable>(_ record: TripRecord, into sink: inout Sink) {
    let known = identity.id
    identity.id = tripState.formerVehicleId ?? identity.id
    var head = head(.trip, at: now)
    identity.id = known
    head.id = UUIDv7(
      milliseconds: record.tripId.milliseconds, seed: record.tripId.low, number: UInt64(record.event.rawValue) + 1)
    line.record(head, record)
    sink.record(line.line, at: now)
    tripChanges += 1
  }

  /// Makes a trip ID. Its seed differs from the seed of the IDs of records.
  mutating func newTripId(start: Int64) -> UUIDv7 {
    UUIDv7(
      milliseconds: recordTime(start).milliseconds, seed: options.idSeed ^ 0x7472_6970, number: sequence)
  }
}
