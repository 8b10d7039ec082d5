import NMEAWire
import OBDWire
import Telemetry

extension Fusion {
  /// Gives trips and driving what a value is for them.
  ///
  /// Only the ECU counts whose value is the plain key: two that both say a speed are not two readings of it.
  mutating func follow<Sink: RecordSink & ~Copyable>(
    _ motion: Column.Motion, _ value: Double, column: Int, ecu: Int, into sink: inout Sink
  ) {
    guard ecu == 0 || Int(columns[column].owner) == ecu else { return }
    if options.trips != nil { tripReading(motion, value) }
    if options.driving != nil { drivingReading(motion, value) }
    tellTrips(into: &sink)
    tellDriving(into: &sink)
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

  /// Gives trips and driving a position.
  mutating func follow<Sink: RecordSink & ~Copyable>(_ fix: Fix, into sink: inout Sink) {
    if options.trips != nil, let latitude = fix.latitude, let longitude = fix.longitude {
      trips.fix(latitude: latitude, longitude: longitude, speed: fix.speed, at: now)
      tellTrips(into: &sink)
    }
    if options.driving != nil, let speed = fix.speed {
      driving.groundSpeed(speed, at: now)
      tellDriving(into: &sink)
    }
  }

  /// The lowest speed limit of the fences that the vehicle is in, km/h; nil: none has one.
  public mutating func setFenceLimit(_ limit: Double?) { driving.setFenceLimit(limit, at: now) }

  // MARK: The vehicle

  /// It is another vehicle: what comes of the old one's trip goes under its name.
  mutating func endTripOfFormerVehicle() {
    if formerVehicleId == nil { formerVehicleId = vehicleId }
    trips.vehicleChanged(at: now)
    driving.vehicleChanged()
    if options.trips != nil { tripDeadline = .min }
  }

  // MARK: Records

  /// Writes what is to be told of trips, and finds out when something is next.
  mutating func tellTrips<Sink: RecordSink & ~Copyable>(into sink: inout Sink) {
    guard options.trips != nil else { return }
    guard settleFormerTrip(into: &sink) else { return }
    while let change = trips.decide(at: now) { write(change, into: &sink) }
    formerVehicleId = nil
    if !trips.hasTrip { tripId = nil }
    tripDeadline = trips.deadline
  }

  mutating func tellDriving<Sink: RecordSink & ~Copyable>(into sink: inout Sink) {
    while let event = driving.next() { write(event.record, at: now, into: &sink) }
  }

  /// Ends the session's trips and manoeuvres.
  mutating func finishTrips<Sink: RecordSink & ~Copyable>(into sink: inout Sink) {
    if options.driving != nil {
      driving.finish()
      tellDriving(into: &sink)
    }
    guard let options = options.trips, options.endsWithSession else { return }
    closeFormerTrip(into: &sink)
    while let change = trips.finish(at: now) { write(change, into: &sink) }
    tripDeadline = .max
  }

  /// Says that the times are made up, not those of the readings: what rests on durations is told no more, neither trips
  /// nor driving. A trip under way ends with what is known of it.
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
    case .end(let report):
      write(record(of: report, .end, start: date(of: report.start), end: date(of: report.end)), into: &sink)
      tripId = nil
    }
  }

  /// Both ends of a trip are dated by the clock as it is when the record is made: a step of it between them bends
  /// nothing.
  func date(of time: Int64) -> Timestamp? {
    timeQuality == .unset ? nil : Timestamp(nanoseconds: time &+ wallOffset)
  }

  mutating func record(
    of report: TripReport, _ event: TripRecord.Event, start: Timestamp?, end: Timestamp?
  ) -> TripRecord {
    let id = tripId ?? newTripId(start: report.start)
    tripId = id
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

  /// Writes a trip's record. Its id follows from the trip's: one that a power cut makes come twice is the same.
  mutating func write<Sink: RecordSink & ~Copyable>(_ record: TripRecord, into sink: inout Sink) {
    let known = vehicleId
    vehicleId = formerVehicleId ?? vehicleId
    var head = head(.trip, at: now)
    vehicleId = known
    head.id = UUIDv7(
      milliseconds: record.tripId.milliseconds, seed: record.tripId.low, number: UInt64(record.event.rawValue) + 1)
    line.record(head, record)
    sink.record(line.line, at: now)
    tripChanges += 1
  }

  /// The seed is not that of the records' ids.
  mutating func newTripId(start: Int64) -> UUIDv7 {
    UUIDv7(
      milliseconds: recordTime(start).milliseconds, seed: options.idSeed ^ 0x7472_6970, number: sequence)
  }
}
