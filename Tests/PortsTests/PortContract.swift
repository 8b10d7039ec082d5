import Glibc
import Ports
import Testing

/// The requirements for every ``Port``. The caller opens it, and controls the other end.
enum PortContract {
  static func carriesBytesBothWays<P: Port & ~Copyable>(_ port: inout P, peer: Int32) throws {
    #expect(port.isOpen == true)
    #expect(try read(&port) == "", "nothing was sent yet")
    Peer.write("41 0C 1A F8\r\r>", to: peer)
    waitUntilReadable(port)
    #expect(try read(&port) == "41 0C 1A F8\r\r>")
    #expect(try write("010C\r", &port) == 5)
    #expect(Peer.read(5, from: peer) == "010C\r")
  }

  static func readsNoMoreThanThereIsRoomFor<P: Port & ~Copyable>(_ port: inout P, peer: Int32) throws {
    Peer.write("SEARCHING...", to: peer)
    waitUntilReadable(port)
    #expect(try read(&port, room: 4) == "SEAR")
    #expect(try read(&port, room: 100) == "CHING...")
  }

  /// Checks a port whose other end has been closed, with `left` still to be read.
  static func findsThatTheDeviceWent<P: Port & ~Copyable>(_ port: inout P) throws {
    waitUntilReadable(port)
    #expect(kind { () throws(PortError) in _ = try read(&port) } == .gone)
    port.close()
    #expect(port.isOpen == false)
    #expect(port.descriptor == -1)
    port.close()
  }

  static func read<P: Port & ~Copyable>(_ port: inout P, room: Int = 256) throws(PortError) -> String {
    var buffer = [UInt8](repeating: 0, count: room)
    var span = buffer.mutableSpan
    let count = try port.read(into: &span)
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  static func write<P: Port & ~Copyable>(_ text: String, _ port: inout P) throws(PortError) -> Int {
    try port.write(Array(text.utf8).span)
  }

  static func waitUntilReadable<P: Port & ~Copyable>(_ port: borrowing P) {
    var waiting = pollfd(fd: port.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&waiting, 1, 60_000) == 1)
  }

  /// The kind of error with which a call ends; `nil` for none.
  static func kind(_ body: () throws(PortError) -> Void) -> PortError.Kind? { error(body)?.kind }

  static func error(_ body: () throws(PortError) -> Void) -> PortError? {
    do {
      try body()
      return nil
    } catch {
      return error
    }
  }
}
