import Glibc
import Ports
import TestKit
import Testing

@Suite struct TCPPortTests {
  @Test func bytes_go_both_ways() throws {
    let server = try Listening()
    var port = TCPPort(host: "127.0.0.1", port: server.port)
    try port.open()
    let peer = server.accepted()
    try PortContract.carriesBytesBothWays(&port, peer: peer)
    try PortContract.readsNoMoreThanThereIsRoomFor(&port, peer: peer)
    close(peer)
    try PortContract.findsThatTheDeviceWent(&port)
  }

  @Test func a_peer_that_sends_no_more_is_gone_once_all_is_read() throws {
    let server = try Listening()
    var port = TCPPort(host: "127.0.0.1", port: server.port)
    try port.open()
    let peer = server.accepted()
    defer { close(peer) }
    Peer.write("STOPPED\r", to: peer)
    #expect(shutdown(peer, Int32(SHUT_WR)) == 0)
    PortContract.waitUntilReadable(port)
    #expect(try PortContract.read(&port) == "STOPPED\r")
    try PortContract.findsThatTheDeviceWent(&port)
  }

  @Test func writing_to_a_peer_that_reset_is_an_error_and_no_signal() throws {
    let server = try Listening()
    var port = TCPPort(host: "127.0.0.1", port: server.port)
    try port.open()
    let peer = server.accepted()
    // Closing with no lingering resets the connection.
    var abort = linger(l_onoff: 1, l_linger: 0)
    #expect(unsafe setsockopt(peer, SOL_SOCKET, SO_LINGER, &abort, socklen_t(MemoryLayout<linger>.size)) == 0)
    close(peer)
    PortContract.waitUntilReadable(port)
    #expect(PortContract.kind { () throws(PortError) in _ = try PortContract.write("ATZ\r", &port) } == .gone)
    #expect(PortContract.kind { () throws(PortError) in _ = try PortContract.write("ATZ\r", &port) } == .gone)
  }

  @Test func a_connection_to_a_closed_port_is_refused() throws {
    let closed = try ReservedPort()
    var port = TCPPort(host: "127.0.0.1", port: Int(closed.number))
    let error = PortContract.error { () throws(PortError) in try port.open() }
    #expect(error?.kind == .refused)
    #expect(error?.description.hasPrefix("tcp:127.0.0.1:\(closed.number): refused: nothing listens on port") == true)
  }

  /// A listener with a full queue does not answer further connections, like a host that does not exist.
  @Test func a_connection_without_an_answer_ends_at_the_limit() throws {
    let server = try Listening(queue: 0)
    let filler = try Filled(server)
    var port = TCPPort(host: "127.0.0.1", port: server.port)
    let began = BootClock.now
    #expect(
      PortContract.kind { () throws(PortError) in try port.open(within: .milliseconds(80), unless: nil) } == .timedOut)
    #expect((80_000_000..<20_000_000_000).contains(BootClock.now - began))
    #expect(port.isOpen == false)
    _ = filler
  }

  @Test func a_wake_up_ends_connecting_and_remains_signalled() throws {
    let server = try Listening(queue: 0)
    let filler = try Filled(server)
    var port = TCPPort(host: "127.0.0.1", port: server.port)
    let wakeUp = try WakeUp()
    wakeUp.signal()
    #expect(
      PortContract.kind { () throws(PortError) in try port.open(within: .seconds(30), unless: wakeUp) } == .interrupted)
    #expect(wakeUp.clear())
    _ = filler
  }

  @Test func each_address_of_a_name_is_tried() throws {
    let server = try Listening()
    var port = TCPPort(host: "localhost", port: server.port)
    // The first address may be ::1, where nothing listens; the next one is tried.
    try port.open()
    let peer = server.accepted()
    try PortContract.carriesBytesBothWays(&port, peer: peer)
    close(peer)
  }

  @Test func a_name_that_does_not_exist_is_unreachable() {
    // A name that is never that of a host (RFC 6761, 6.4).
    var port = TCPPort(host: "adapter.invalid")
    let error = PortContract.error { () throws(PortError) in try port.open(within: .seconds(1), unless: nil) }
    #expect(error?.kind == .unreachable || error?.kind == .timedOut, "\(error?.description ?? "connected")")
  }

  @Test(arguments: [0, -1, 65_536]) func an_invalid_tcp_port_is_rejected(_ number: Int) {
    var port = TCPPort(host: "127.0.0.1", port: number)
    #expect(PortContract.kind { () throws(PortError) in try port.open() } == .invalid)
  }

  @Test func reopening_after_the_peer_went_works() throws {
    let server = try Listening()
    var port = TCPPort(host: "127.0.0.1", port: server.port)
    for _ in 0..<3 {
      try port.open()
      let peer = server.accepted()
      try PortContract.carriesBytesBothWays(&port, peer: peer)
      close(peer)
      try PortContract.findsThatTheDeviceWent(&port)
    }
  }
}

/// A listener on a port of 127.0.0.1 that was free.
final class Listening: Sendable {
  let port: Int
  private let socket: Int32

  struct Unavailable: Error { let code: Int32 }

  init(queue: Int32 = 8) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    var address = Self.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let socket = socket
    let bound = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(socket, address, size) == 0 && listen(socket, queue) == 0
          && getsockname(socket, address, &size) == 0
      }
    }
    guard bound else { throw Unavailable(code: errno) }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(socket) }

  func accepted() -> Int32 { accept(socket, nil, nil) }

  static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}

/// Connections that are not accepted. There are as many as the listener's queue can hold.
final class Filled: Sendable {
  private let sockets: [Int32]

  init(_ server: Listening) throws {
    var address = Listening.loopback(server.port)
    sockets = (0..<4).map { _ in
      let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC | O_NONBLOCK, 0)
      _ = unsafe withUnsafePointer(to: &address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      return socket
    }
  }

  deinit { for socket in sockets { close(socket) } }
}
