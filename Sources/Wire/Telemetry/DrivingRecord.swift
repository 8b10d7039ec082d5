/// A record of a driving event, such as harsh braking.
public struct DrivingRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.driving

  /// The kind of event.
  public enum Event: UInt8, Sendable {
    case harshBraking, harshAcceleration, overspeed, idling, lowVoltage
    /// Name of the event in records.
    public var name: StaticString {
      switch self {
      case .harshBraking: "harshBraking"
      case .harshAcceleration: "harshAcceleration"
      case .overspeed: "overspeed"
      case .idling: "idling"
      case .lowVoltage: "lowVoltage"
      }
    }
  }

  /// The kind of event.
  public var event: Event
  /// Values that describe the event, such as the speed and the speed limit.
  public var figures: [NamedValue]

  /// Creates a record.
  public init(event: Event, figures: [NamedValue]) {
    self.event = event
    self.figures = figures
  }

  public func write(to line: inout JSONLineEncoder) {
    line.field("event", event.name)
    for figure in figures {
      line.key(figure.name)
      _ = figure.value.write(to: &line)
    }
  }
}
