/// Options of `obdgate simulate`.
public struct SimulatorOptions: Sendable {
  /// The port by which the host reaches the adapter.
  public enum Port: Sendable, Equatable {
    /// A pseudo-terminal. `link` is the path of a symbolic link to it; `nil` for no link.
    case pty(link: String?)
    /// A TCP port on 127.0.0.1; 0 for any free port.
    case tcp(UInt16)
  }

  /// The port; a pseudo-terminal by default.
  public var port = Port.pty(link: nil)
  /// Path of a scenario file; `nil` for ``Scenario/standard``.
  public var scenario: String?
  /// Baud rate of the adapter, 300 to 4,000,000; `nil` for the rate of the scenario.
  public var baud: Int?
  /// Time from a request to the start of the answer, for all cars and ECUs; `nil` for the times of the scenario.
  public var latency: Duration?
  /// A list of faults in addition to those of the scenario (see ``Fault/list(_:)``); `nil` for none.
  public var faults: String?
  /// Path of the `.capture` file to which all bytes are logged; `nil` for no log.
  public var log: String?

  /// Creates options for ``Scenario/standard`` on a pseudo-terminal.
  public init() {}
}
