import Glibc

/// The port by which the host reaches the adapter: a pseudo-terminal or a TCP port.
///
/// Call `open` first. Then, in a loop, wait for `descriptors` and call `accept`; while `isConnected` is true, also call
/// `read` and `write`. Call `close` when the adapter is unplugged, and `open` when it is plugged in again.
protocol HostLink: ~Copyable {
  /// Creates the port, so that a host can open it.
  mutating func open() throws(SimulatorError)
  /// Removes the port, and disconnects the host.
  mutating func close()
  /// File descriptors to wait for. If there are none, the caller must call `accept` at short intervals instead.
  var descriptors: [Int32] { get }
  /// Whether a host has the port open.
  var isConnected: Bool { get }
  /// Checks whether a host has connected or disconnected, and updates `isConnected`.
  mutating func accept()
  /// Reads the bytes that are available, without blocking.
  mutating func read(into buffer: inout [UInt8]) -> Descriptor.Input
  /// Writes bytes without blocking.
  ///
  /// - Returns: number of bytes that were written; `nil` if the host has disconnected.
  mutating func write(_ bytes: ArraySlice<UInt8>) -> Int?
  /// The baud rate that the host has set; `nil` if the port has no baud rate, or if the rate is not known.
  var hostBaud: Int? { get }
  /// The name with which the host opens the port, such as `/dev/pts/3` or `127.0.0.1:35000`.
  var name: String { get }
}
