/// Which on-board monitors of one control unit have run (readiness; PIDs 01 and 41).
public struct MonitorsRecord: RecordBody, Sendable {
  public static let type = RecordType.monitors

  /// Which set of monitors the control unit has.
  public enum Ignition: UInt8, Sendable {
    case spark, compression
    /// As records print it.
    public var name: StaticString { self == .spark ? "spark" : "compression" }
  }
  /// Since when the monitors are watched.
  public enum Scope: UInt8, Sendable {
    /// Since the trouble codes were cleared (PID 01).
    case sinceClear
    /// In this driving cycle (PID 41).
    case thisCycle
    /// As records print it.
    public var name: StaticString { self == .sinceClear ? "sinceClear" : "thisCycle" }
  }

  /// Address of the control unit; nil without headers.
  public var ecu: String?
  /// Nil where the answer did not say.
  public var ignition: Ignition?
  /// Since when the monitors are watched.
  public var scope: Scope
  /// Names of the monitors that have run.
  public var complete: [StaticString] = []
  /// Names of those that have not.
  public var incomplete: [StaticString] = []

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
