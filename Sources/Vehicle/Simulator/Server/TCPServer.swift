import Glibc

/// A TCP port on the loopback address, like that of a Wi-Fi adapter. It serves one client and closes further
/// connections.
struct TCPServer: HostLink, ~Copyable {
  private var port: UInt16
  private var listener = Descriptor()
  private var client = Descriptor()
  /// A socket that is bound to the port but does not listen. It reserves the port number while the adapter is
  /// unplugged. Connections are then refused.
  private var reservation = Descriptor()

  /// Creates a server. The port does not exist until `open` is called.
  ///
  /// - Parameter port: the port; 0 for any free port.
  init(port: UInt16) { self.port = port }

  var name: String { "127.0.0.1:\(port)" }

  mutating func open() throws(SimulatorError) {
    let socket = try bound()
    // A second socket can be bound to the port only while no socket listens on it.
    if !reservation.isOpen { reservation = try bound() }
    guard listen(socket.raw, 4) == 0 else { throw .system(.unavailable, "port \(name)") }
    socket.makeNonblocking()
    listener = consume socket
  }

  /// Returns a new socket that is bound to the port. If the port number is 0, the first call chooses a free port.
  private mutating func bound() throws(SimulatorError) -> Descriptor {
    let socket = Descriptor(Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    guard socket.raw >= 0 else { throw .system(.unavailable, "no socket") }
    var on: Int32 = 1
    unsafe setsockopt(socket.raw, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe bind(socket.raw, generic, length) == 0 && getsockname(socket.raw, generic, &length) == 0
      }
    }
    guard isBound else { throw .system(.unavailable, "port \(name)") }
    port = UInt16(bigEndian: address.sin_port)
    return socket
  }

  mutating func close() {
    client = Descriptor()
    listener = Descriptor()
  }

  var descriptors: [Int32] {
    [listener.raw, client.raw].filter { $0 >= 0 }
  }

  var isConnected: Bool { client.isOpen }

  mutating func accept() {
    guard listener.isOpen else { return }
    let accepted = Glibc.accept(listener.raw, nil, nil)
    guard accepted >= 0 else { return }
    let newcomer = Descriptor(accepted)
    guard !client.isOpen else { return }
    newcomer.makeNonblocking()
    var on: Int32 = 1
    unsafe setsockopt(newcomer.raw, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    client = consume newcomer
  }

  mutating func read(into buffer: inout [UInt8]) -> Descriptor.Input {
    let input = client.read(into: &buffer)
    if case .closed = input { client = Descriptor() }
    return input
  }

  mutating func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard client.isOpen else { return nil }
    // With MSG_NOSIGNAL, a client that has disconnected does not end the process by SIGPIPE.
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(client.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return count >= 0 ? count : errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  var hostBaud: Int? { nil }
}
