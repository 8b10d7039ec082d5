import Glibc
import Ports

/// The device at the other end of a serial line.
final class Adapter: Sendable {
  private let line: PseudoTerminal
  /// The path that the port opens.
  var path: String { line.path }
  /// The descriptor of the device's end.
  var master: Int32 { line.descriptor }

  init() throws { line = try PseudoTerminal() }

  func write(_ text: String) { Peer.write(text, to: master) }

  /// Waits until this number of bytes has arrived.
  func hear(_ count: Int) -> String { Peer.read(count, from: master) }
}

/// Transfers of the other side, which block.
enum Peer {
  static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes[done...].withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 && errno == EAGAIN { wait(descriptor, POLLOUT) } else if count <= 0 { return }
      done += max(count, 0)
    }
  }

  /// Reads this many bytes, or until nothing has arrived for a minute.
  static func read(_ count: Int, from descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while bytes.count < count {
      guard wait(descriptor, POLLIN) else { break }
      let taken = unsafe Glibc.read(descriptor, &buffer, count - bytes.count)
      if taken <= 0 { break }
      bytes += buffer[..<taken]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @discardableResult
  private static func wait(_ descriptor: Int32, _ events: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return unsafe poll(&waiting, 1, 60_000) > 0
  }
}
