/// Something in how the vehicle is driven that its owner wants to know of.
public struct DrivingRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.driving

  /// What was seen.
  public enum Event: UInt8, Sendable {
    case harshBraking, harshAcceleration, overspeed, idling, lowVoltage
    /// As records print it.
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

  /// What was seen.
  public var event: Event
  /// The figures that decided it, such as the speed and its limit.
  public var figures: [NamedValue]

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
