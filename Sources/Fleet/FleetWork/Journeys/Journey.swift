import FleetDomain
import Telemetry

/// A drive that a driver declares. A journey is planned, started, paused and ended.
///
/// The state is computed only from the log (``replay()``). Therefore, events that arrive late, repeatedly or in another
/// order lead to the same journey.
public struct Journey: WorkThing {
  public enum Status: String, FieldChoice, Sendable {
    case planned, inProgress, paused, completed, cancelled

    /// The states in which the journey has begun and not ended.
    public static let underway: [Status] = [.inProgress, .paused]

    /// The states in which the journey has not ended.
    public static let open: [Status] = [.planned] + underway
  }

  public enum Purpose: String, FieldChoice, Sendable {
    case business
    case personal = "private"
    case commute
  }

  public var driverID: UUIDv7?
  public var vehicle = ""
  public var purpose = Purpose.business
  public var plannedFrom: Timestamp?
  public var startTime: Timestamp?
  public var endTime: Timestamp?
  /// Reading of the odometer at the start, km; `nil` if unknown.
  public var startOdometer: Double?
  /// Reading of the odometer at the end, km; `nil` if unknown.
  public var endOdometer: Double?
  public var entered = EnteredAmounts()
  public var notes: String?
  /// The events of the journey, in the order of their times.
  public var log: [JourneyEvent] = []
  public var status = Status.planned
  /// Whether the log has a doubtful entry that no person has reviewed.
  public var needsReview = false
  /// Whether a person with more rights than a driver has declared or reviewed the journey. An unconfirmed journey is
  /// valid only while the vehicle is assigned to the driver.
  public var isConfirmed = false

  public init() {}

  public var vehicleID: String? { vehicle }

  public static let names = KindNames(one: "journey", many: "journeys")
  public static var listTime: ListTime? { .first(["startTime", "plannedFrom"]) }
  public static let fields: [Field<Journey>] = [
    Field("driverId", \.driverID).refers(to: .driver).settable(by: .creation).filledIn().filterable(as: "driver"),
    Field("vehicleId", \.vehicle).refers(to: .vehicle).required().settable(by: .creation).filterable(as: "vehicle"),
    Field("purpose", \.purpose).filterable().sortable(),
    Field("plannedFrom", \.plannedFrom).sortable(),
    Field("startTime", \.startTime).sortable(),
    Field("endTime", \.endTime).sortable(),
    Field("startOdometer", \.startOdometer, in: .odometer).measured(.distance),
    Field("endOdometer", \.endOdometer, in: .odometer).measured(.distance),
    .entered(\.entered, of: ("startOdometer", .distance), ("endOdometer", .distance)),
    Field("notes", \.notes, TextRules.long).textSearched(),
    Field("log", \.log).settable(by: .server),
    Field("status", \.status).settable(by: .server).filterable().sortable(),
    Field("needsReview", \.needsReview).settable(by: .server).filterable(),
    Field("confirmed", \.isConfirmed).settable(by: .server),
  ]

  /// The maximum number of entries in a log. The entry that ends the journey may be one more.
  static let mostEvents = 1_000
  /// The maximum duration of a journey that the driver declares after it has begun, ms.
  static let longest: Int64 = 31 * 86_400_000
  /// The maximum length of all notes in a log together, bytes. Each command writes the whole log to the database. The
  /// notes of the entry that ends the journey may exceed it.
  static let mostNoteBytes = 64 << 10
}

extension Journey {
  /// Checks that an event can be added to the log. The event that ends the journey can always be added. Otherwise, a
  /// full log would prevent the end of the journey, and with it the retirement of the vehicle.
  ///
  /// - Throws: `rule` with the code `logFull`.
  func requireSpace(for event: JourneyEvent) throws(ThingError) {
    // A journey ends once, so only one entry can exceed the limits.
    if isOpen {
      var next = self
      next.log.append(event)
      next.replay()
      if !next.isOpen { return }
    }
    guard log.count < Self.mostEvents else {
      throw .rule(code: "logFull", message: "a journey has at most \(Self.mostEvents) events; make another one")
    }
    let bytes = log.reduce(event.noteBytes) { $0 + $1.noteBytes }
    guard event.noteBytes == 0 || bytes <= Self.mostNoteBytes else {
      throw .rule(
        code: "logFull",
        message:
          "the notes of a journey's log have at most \(Self.mostNoteBytes) bytes together; shorten them, or leave them out"
      )
    }
  }

  /// Whether the journey has not ended.
  private var isOpen: Bool { Status.open.contains(status) }

  /// Computes the state, the times and the readings from the log, and stores them in the properties.
  mutating func replay() {
    log.sort(by: JourneyEvent.precedes)
    status = .planned
    (startTime, endTime, startOdometer, endOdometer) = (nil, nil, nil, nil)
    entered = EnteredAmounts()
    for index in log.indices {
      let event = log[index]
      log[index].doubt = nil
      guard event.event.allowedFrom.contains(status) else {
        log[index].doubt = .invalidState
        continue
      }
      status = event.event.result ?? status
      switch event.event {
      case .started:
        (startTime, startOdometer) = (event.timestamp, event.odometer)
        entered["startOdometer"] = event.entered["odometer"]
        if event.isOverlapping == true { log[index].doubt = .overlap }
        if event.isAssigned == false { log[index].doubt = .notAssigned }
      case .completed:
        (endTime, endOdometer) = (event.timestamp, event.odometer)
        entered["endOdometer"] = event.entered["odometer"]
        if let startOdometer, let endOdometer, endOdometer < startOdometer { log[index].doubt = .odometer }
      case .paused, .resumed, .cancelled, .incident: break
      }
    }
    needsReview = log.contains { $0.doubt != nil && $0.isReviewed != true }
  }

  /// Whether the journey was in progress at a time: it had begun, and was neither paused nor ended.
  public func isUnderway(at time: Timestamp) -> Bool {
    var status = Status.planned
    for event in log where event.timestamp <= time && event.doubt != .invalidState {
      status = event.event.result ?? status
    }
    return status == .inProgress
  }

  /// Whether the vehicle was assigned to the driver at the start; `nil` if that was not checked, or if the journey has
  /// not begun.
  var isAssigned: Bool? {
    get { index(of: .started).flatMap { log[$0].isAssigned } }
    set {
      guard let index = index(of: .started) else { return }
      log[index].isAssigned = newValue
    }
  }

  /// Whether the driver or the vehicle was on another journey at the same time; `nil` if that was not checked. It is
  /// checked only for journeys that are declared afterwards.
  var isOverlapping: Bool? {
    get { index(of: .started).flatMap { log[$0].isOverlapping } }
    set {
      guard let index = index(of: .started) else { return }
      log[index].isOverlapping = newValue
    }
  }

  /// Makes the journey unconfirmed, and marks all its log entries as not reviewed. A person must then review each
  /// doubtful entry again.
  mutating func endReview() {
    isConfirmed = false
    for index in log.indices { log[index].isReviewed = nil }
  }

  /// Returns the index of the log entry that determines the journey's start or end; `nil` if there is none.
  private func index(of event: JourneyEvent.Event) -> Int? {
    log.firstIndex { $0.event == event && $0.doubt != .invalidState }
  }

  /// Creates the log of a journey that is added after it has begun.
  ///
  /// - Parameters:
  ///   - ids: the ids for the events of the start and of the end.
  ///   - isAssigned: whether the vehicle was assigned to the driver at the start; `nil` if that was not checked.
  /// - Throws: `invalid`.
  mutating func begin(ids: (UUIDv7, UUIDv7), isAssigned: Bool?) throws(ThingError) {
    guard let start = startTime else {
      let values: [(String, Bool)] = [
        ("endTime", endTime != nil), ("startOdometer", startOdometer != nil), ("endOdometer", endOdometer != nil),
      ]
      if let (key, _) = values.first(where: \.1) {
        throw .invalid(
          FieldErrors([FieldError(key, "expected startTime too; or leave this out and start the journey")]))
      }
      return
    }
    if endOdometer != nil, endTime == nil {
      throw .invalid(FieldErrors([FieldError("endOdometer", "expected endTime too")]))
    }
    try requireOrder()
    var started = JourneyEvent(.started, id: ids.0, at: start, odometer: startOdometer)
    started.entered["odometer"] = entered["startOdometer"]
    started.isAssigned = isAssigned
    log = [started]
    if let end = endTime {
      var completed = JourneyEvent(.completed, id: ids.1, at: end, odometer: endOdometer)
      completed.entered["odometer"] = entered["endOdometer"]
      log.append(completed)
    }
    replay()
  }

  /// Writes corrected times and readings to the log.
  ///
  /// - Throws: `invalid` if a time or reading was corrected for a start or end that has not happened; `invalid` if the
  ///   end is before the start.
  mutating func correct(from old: Journey) throws(ThingError) {
    for (event, keys, isChanged, time, odometer) in [
      (
        JourneyEvent.Event.started, ("startTime", "startOdometer"),
        startTime != old.startTime || startOdometer != old.startOdometer
          || entered["startOdometer"] != old.entered["startOdometer"], startTime, startOdometer
      ),
      (
        .completed, ("endTime", "endOdometer"),
        endTime != old.endTime || endOdometer != old.endOdometer
          || entered["endOdometer"] != old.entered["endOdometer"], endTime, endOdometer
      ),
    ] where isChanged {
      guard let index = index(of: event) else {
        let command = event == .started ? "start" : "complete"
        let key = time == nil ? keys.1 : keys.0
        throw .invalid(FieldErrors([FieldError(key, "\(command) the journey first")]))
      }
      guard let time else { throw .invalid(FieldErrors([FieldError(keys.0, "expected a time, found null")])) }
      log[index].timestamp = time
      log[index].odometer = odometer
      log[index].entered["odometer"] = entered[keys.1]
    }
    try requireOrder()
    let (corrected, doubts) = (self, log.filter { $0.doubt == .invalidState }.count)
    replay()
    guard log.filter({ $0.doubt == .invalidState }).count <= doubts else {
      let key = corrected.startTime != old.startTime ? "startTime" : "endTime"
      throw .invalid(
        FieldErrors([FieldError(key, "expected the other events of the log after the start and before the end")]))
    }
  }

  /// Checks the declared times: they are not in the future, and the journey is not too long.
  ///
  /// - Parameters:
  ///   - old: the journey before the change; `nil` if it is new.
  ///   - isOwn: whether the driver declares the journey. A journey that the driver declares without an end must have
  ///     begun at most ``longest`` ago.
  /// - Throws: `invalid`.
  func requireBounds(since old: Journey?, at now: Timestamp, isOwn: Bool) throws(ThingError) {
    guard let startTime, startTime != old?.startTime || endTime != old?.endTime else { return }
    try startTime.requirePast(at: now, "startTime")
    try endTime?.requirePast(at: now, "endTime")
    guard let end = endTime ?? (isOwn ? now : nil) else { return }
    if end.milliseconds - startTime.milliseconds > Self.longest {
      let key = endTime == nil ? "startTime" : "endTime"
      throw .invalid(
        FieldErrors([FieldError(key, "expected a journey of at most \(Self.longest / 86_400_000) days")]))
    }
  }

  private func requireOrder() throws(ThingError) {
    if let startTime, let endTime, endTime < startTime {
      throw .invalid(FieldErrors([FieldError("endTime", "expected a time not before startTime")]))
    }
    if let startOdometer, let endOdometer, endOdometer < startOdometer {
      throw .invalid(FieldErrors([FieldError("endOdometer", "expected startOdometer or more")]))
    }
  }
}
