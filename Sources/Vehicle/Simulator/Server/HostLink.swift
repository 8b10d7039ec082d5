import Glibc

/// The port on which the host finds the adapter: a pseudo terminal or a TCP port.
///
/// Call order: `open`; then, in a loop, wait for `descriptors`, call `accept`, and `read` and `write` while
/// `isConnected`. Call `close` when the adapter is unplugged and `open` when it is plugged in again.
protocol HostLink: ~Copyable {
  /// Creates the port.
  mutating func open() throws(SimulatorError)
  /// Removes the port and disconnects the host.
  mutating func close()
  /// File descriptors to wait for; empty if the caller should poll with a short interval.
  var descriptors: [Int32] { get }
  /// Whether a host has opened the port.
  var isConnected: Bool { get }
  /// Updates `isConnected` after a host connected or disconnected.
  mutating func accept()
  /// Reads available bytes without blocking.
  mutating func read(into buffer: inout [UInt8]) -> Descriptor.Input
  /// Writes bytes without blocking.
  ///
  /// - Returns: number of bytes written; `nil` if the host is gone.
  mutating func write(_ bytes: ArraySlice<UInt8>) -> Int?
  /// Baud rate that the host has set; `nil` if the port has none.
  var hostBaud: Int? { get }
  /// Name under which the host finds the port.
  var name: String { get }
}
