/// A record of the trouble codes of one ECU and how they changed.
public struct DTCRecord: RecordBody, Equatable, Sendable {
  public static let type = RecordType.dtc

  /// The change since the previous record of this ECU.
  public enum Event: UInt8, Sendable {
    /// The record contains all codes: it is the first record of this ECU, or it repeats codes that have not changed.
    case snapshot
    /// Codes were added, and none removed.
    case appeared
    /// Codes were added and others removed, codes moved between the lists, or only a freeze frame is new.
    case changed
    /// Codes were removed, and none added.
    case cleared

    /// Name of the event in records.
    public var name: StaticString {
      switch self {
      case .snapshot: "snapshot"
      case .appeared: "appeared"
      case .changed: "changed"
      case .cleared: "cleared"
      }
    }
  }

  /// Data that an ECU stored when a fault occurred (service 02).
  public struct FreezeFrame: Equatable, Sendable {
    /// Number of the freeze frame in the ECU.
    public var frame: Int
    /// The trouble code of the fault for which the frame was stored; `nil` if unknown.
    public var dtc: String?
    /// The values, with the names that telemetry records use.
    public var readings: [NamedValue]

    /// Creates a freeze frame.
    public init(frame: Int, dtc: String?, readings: [NamedValue]) {
      self.frame = frame
      self.dtc = dtc
      self.readings = readings
    }
  }

  /// Address of the ECU; `nil` if the adapter sends no headers.
  public var ecu: String?
  /// The change since the previous record of this ECU.
  public var event: Event
  /// Confirmed codes (service 03); `nil` if not read yet.
  public var stored: [String]?
  /// Codes from the current or last driving cycle that are not confirmed (service 07); `nil` if not read yet.
  public var pending: [String]?
  /// Codes that a request to clear codes does not remove (service 0A); `nil` if not read yet.
  public var permanent: [String]?
  /// Codes that moved between the lists since the previous record.
  public var changed: [String] = []
  /// Whether the malfunction indicator lamp is on; `nil` if unknown.
  public var mil: Bool?
  /// Distance driven since the lamp came on, km; `nil` if unknown.
  public var distanceMIL: Double?
  /// A freeze frame that no earlier record contains; `nil` if there is none.
  public var freezeFrame: FreezeFrame?

  /// Creates a record that contains no codes yet.
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
