import Glibc

/// The host's side of the adapter: a pty or a TCP port.
///
/// Call order: `open`, then `descriptors` before each wait, `accept` after each wait, `read` and `write` while
/// `isConnected`; `close` when the adapter is unplugged, `open` when it is back.
protocol HostLink: ~Copyable {
  /// Makes the port appear.
  mutating func open() throws(SimulatorError)
  /// The port is gone; whoever has it open is told.
  mutating func close()
  /// What to wait for; empty: nothing, look again soon.
  var descriptors: [Int32] { get }
  /// Somebody has the port open.
  var isConnected: Bool { get }
  /// Takes note of who came and went.
  mutating func accept()
  mutating func read(into buffer: inout [UInt8]) -> Descriptor.Input
  mutating func write(_ bytes: ArraySlice<UInt8>) -> Int?
  /// Bits a second that the host has set; nil where the port has none.
  var hostBaud: Int? { get }
  /// Where the host finds it.
  var name: String { get }
}
