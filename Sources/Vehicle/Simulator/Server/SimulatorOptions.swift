/// Options of `obdgate simulate`.
public struct SimulatorOptions: Sendable {
  /// The kind of port by which the host reaches the adapter.
  public enum Port: Sendable, Equatable {
    /// A pseudo-terminal; `link` is the path of a symbolic link to it, `nil` for none.
    case pty(link: String?)
    /// A TCP port on 127.0.0.1; 0 for any free one.
    case tcp(UInt16)
  }

  /// The port; a pseudo-terminal by default.
  public var port = Port.pty(link: nil)
  /// Path of a scenario file; `nil` for ``Scenario/standard``.
  public var scenario: String?
  /// Baud rate of the adapter; `nil` for the scenario's.
  public var baud: Int?
  /// Time from a request to the first frame of the answer, for all cars and ECUs; `nil` for the scenario's.
  public var latency: Duration?
  /// Faults in addition to the scenario's; `nil` for none.
  public var faults: String?
  /// Path of a `.capture` file for the log; `nil` for none.
  public var log: String?

  /// Creates options for ``Scenario/standard`` on a pseudo terminal.
  public init() {}
}
