import Glibc

/// The port by which the host reaches the adapter: a pseudo-terminal or a TCP port.
///
/// Call `open` first. Then, in a loop, wait for `descriptors`, call `accept` and, as long as `isConnected`, `read` and
/// `write`. Call `close` when the adapter is unplugged, and `open` when it is plugged in again.
protocol HostLink: ~Copyable {
  /// Creates the port, so that a host can open it.
  mutating func open() throws(SimulatorError)
  /// Removes the port, and disconnects the host.
  mutating func close()
  /// File descriptors to wait for; empty if the caller must instead call `accept` again and again, at a short interval.
  var descriptors: [Int32] { get }
  /// Whether a host has the port open.
  var isConnected: Bool { get }
  /// Finds out whether a host has connected or disconnected, and updates `isConnected`.
  mutating func accept()
  /// Reads the bytes that are available, without blocking.
  mutating func read(into buffer: inout [UInt8]) -> Descriptor.Input
  /// Writes bytes without blocking.
  ///
  /// - Returns: number of bytes that were written; `nil` if the host is gone.
  mutating func write(_ bytes: ArraySlice<UInt8>) -> Int?
  /// Baud rate that the host has set; `nil` if the port has none.
  var hostBaud: Int? { get }
  /// The name by which the host finds the port.
  var name: String { get }
}
