/// What `obdgate simulate` is told.
public struct SimulatorOptions: Sendable {
  /// Where the host finds the adapter.
  public enum Port: Sendable, Equatable {
    /// A pseudo terminal, and a symbolic link to it.
    case pty(link: String?)
    /// A port on 127.0.0.1; 0: one that is free.
    case tcp(UInt16)
  }

  /// A pty unless said otherwise.
  public var port = Port.pty(link: nil)
  /// A scenario file; nil: ``Scenario/standard``.
  public var scenario: String?
  /// Bits a second; nil: the scenario's.
  public var baud: Int?
  /// From a request to the first frame of its answer, in place of every car's and ECU's own.
  public var latency: Duration?
  /// Faults, added to the scenario's.
  public var faults: String?
  /// A `.capture` file for every byte.
  public var log: String?

  /// All as in ``Scenario/standard``, on a pty.
  public init() {}
}
