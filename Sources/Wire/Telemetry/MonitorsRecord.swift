/// A record of the readiness of one ECU: which of its on-board monitors are completed (PIDs 01 and 41).
public struct MonitorsRecord: RecordBody, Sendable {
  public static let type = RecordType.monitors

  /// The engine type, which determines the set of monitors.
  public enum Ignition: UInt8, Sendable {
    case spark, compression
    /// Name of the engine type in records.
    public var name: StaticString { self == .spark ? "spark" : "compression" }
  }
  /// The period to which the completion of the monitors refers.
  public enum Scope: UInt8, Sendable {
    /// Since the trouble codes were cleared (PID 01).
    case sinceClear
    /// The current driving cycle (PID 41).
    case thisCycle
    /// Name of the period in records.
    public var name: StaticString { self == .sinceClear ? "sinceClear" : "thisCycle" }
  }

  /// Address of the ECU; `nil` if the adapter sends no headers.
  public var ecu: String?
  /// The engine type; `nil` if unknown.
  public var ignition: Ignition?
  /// The period to which the completion of the monitors refers.
  public var scope: Scope
  /// Names of the completed monitors.
  public var complete: [StaticString] = []
  /// Names of the incomplete monitors.
  public var incomplete: [StaticString] = []

  /// Creates a record that contains no monitors yet.
  public init(ecu: String?, ignition: Ignition?, scope: Scope) {
    self.ecu = ecu
    self.ignition = ignition
    self.scope = scope
  }

  public func write(to line: inout JSONLineEncoder) {
    line.field("ecu", ecu)
    line.field("ignition", ignition?.name)
    line.field("scope", scope.name)
    line.field("complete", complete)
    line.field("incomplete", incomplete)
  }
}
