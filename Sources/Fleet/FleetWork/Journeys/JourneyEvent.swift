import FleetDomain
import Telemetry

/// An entry of a journey's log.
public struct JourneyEvent: NestedValue {
  public enum Event: String, FieldChoice, Sendable {
    case started, paused, resumed, completed, cancelled
    /// An accident, a breakdown, or another event that does not change the state.
    case incident

    /// The states of the journey in which the event may happen.
    public var allowedFrom: [Journey.Status] {
      switch self {
      case .started: [.planned]
      case .paused: [.inProgress]
      case .resumed: [.paused]
      case .completed: [.inProgress, .paused]
      case .cancelled: [.planned, .inProgress, .paused]
      case .incident: Journey.Status.allCases
      }
    }

    /// The state of the journey after the event; `nil` if the event does not change it.
    var result: Journey.Status? {
      switch self {
      case .started, .resumed: .inProgress
      case .paused: .paused
      case .completed: .completed
      case .cancelled: .cancelled
      case .incident: nil
      }
    }
  }

  /// The reason why a person should review a log entry.
  public enum Doubt: String, FieldChoice, Sendable {
    /// The state did not allow the event, so the entry has no effect.
    case invalidState
    /// The vehicle was not assigned to the driver.
    case notAssigned
    /// The reading of the odometer is lower than at the start of the journey.
    case odometer
    /// The driver or the vehicle was on another journey at the same time.
    case overlap
  }

  public var id = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  public var timestamp = Timestamp(nanoseconds: 0)
  public var event = Event.incident
  /// Reading of the odometer, km; `nil` if it was not read.
  public var odometer: Double?
  public var entered = EnteredAmounts()
  public var notes: String?
  /// Whether the vehicle was assigned to the driver when the journey started; `nil` if that was not checked.
  public var isAssigned: Bool?
  /// Whether the driver or the vehicle was on another journey at the same time; `nil` if that was not checked. It is
  /// checked only for journeys that are declared afterwards.
  public var isOverlapping: Bool?
  public internal(set) var doubt: Doubt?
  /// Whether a person has reviewed this doubtful entry; `nil` if no person has.
  public var isReviewed: Bool?

  public init() {}

  public init(_ event: Event, id: UUIDv7, at time: Timestamp, odometer: Double? = nil, notes: String? = nil) {
    (self.event, self.id, timestamp) = (event, id, time)
    (self.odometer, self.notes) = (odometer, notes)
  }

  public static let fields: [Field<JourneyEvent>] = [
    Field("id", \.id).required(),
    Field("timestamp", \.timestamp).required(),
    Field("event", \.event).required(),
    Field("odometer", \.odometer, in: .odometer).measured(.distance),
    .entered(\.entered, of: ("odometer", .distance)),
    Field("notes", \.notes, TextRules.long),
    Field("assigned", \.isAssigned),
    Field("overlapping", \.isOverlapping),
    Field("doubt", \.doubt),
    Field("reviewed", \.isReviewed),
  ]

  /// The length of the notes in bytes.
  var noteBytes: Int { notes?.utf8.count ?? 0 }

  /// Whether another entry is a copy of this one. The results of checks and reviews are not compared.
  func isCopy(of other: JourneyEvent) -> Bool {
    id == other.id && timestamp == other.timestamp && event == other.event && odometer == other.odometer
      && notes == other.notes
  }

  /// Whether an entry comes before another one in the log. Entries with the same time are sorted by their IDs.
  static func precedes(_ left: JourneyEvent, _ right: JourneyEvent) -> Bool {
    (left.timestamp, left.id.high, left.id.low) < (right.timestamp, right.id.high, right.id.low)
  }
}
