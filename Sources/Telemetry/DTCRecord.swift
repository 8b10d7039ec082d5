/// The trouble codes of one control unit, and what became of them.
public struct DTCRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.dtc

  /// What became of the codes since the record before.
  public enum Event: UInt8, Sendable {
    /// A list was read for the first time.
    case snapshot
    /// Codes that were not there.
    case appeared
    /// Codes came and went, or moved between the lists.
    case changed
    /// Codes are gone.
    case cleared

    /// As records print it.
    public var name: StaticString {
      switch self {
      case .snapshot: "snapshot"
      case .appeared: "appeared"
      case .changed: "changed"
      case .cleared: "cleared"
      }
    }
  }

  /// What the control unit stored at the moment of a fault (service 02).
  public struct FreezeFrame: Equatable, Sendable {
    /// Number of the frame.
    public var frame: Int
    /// The code that stored it.
    public var dtc: String?
    /// The values, under the names that telemetry gives them.
    public var readings: [NamedValue]

    public init(frame: Int, dtc: String?, readings: [NamedValue]) {
      self.frame = frame
      self.dtc = dtc
      self.readings = readings
    }
  }

  /// Address of the control unit; nil without headers.
  public var ecu: String?
  /// What became of the codes.
  public var event: Event
  /// Confirmed codes (service 03); nil: not asked yet.
  public var stored: [String]?
  /// Codes of this or the last driving cycle (service 07); nil: not asked yet.
  public var pending: [String]?
  /// Codes that only a repair takes away (service 0A); nil: not asked yet.
  public var permanent: [String]?
  /// The codes that are in other lists than before.
  public var changed: [String] = []
  /// Malfunction indicator lamp.
  public var mil: Bool?
  /// Kilometres driven with the lamp on.
  public var distanceMIL: Double?
  /// A frame that no record has shown yet.
  public var freezeFrame: FreezeFrame?

  public init(ecu: String?, event: Event) {
    self.ecu = ecu
    self.event = event
  }

  public func write(to line: inout JSONLineEncoder) {
    line.field("ecu", ecu)
    line.field("event", event.name)
    line.field("dtcCodes", stored)
    line.field("pending", pending)
    line.field("permanent", permanent)
    line.field("changed", changed)
    line.field("mil", mil)
    line.field("distanceMIL", distanceMIL)
    guard let freezeFrame, line.beginObject("freezeFrame") else { return }
    line.field("frame", freezeFrame.frame)
    line.field("dtc", freezeFrame.dtc)
    line.field("readings", freezeFrame.readings)
    line.end()
  }
}
