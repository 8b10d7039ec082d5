import Foundation
import Glibc

@testable import DaemonTestKit

/// Correct peers, used after the noise.
enum SanePeer {
  /// Returns a proxy to another port, in both directions.
  static func at(_ name: String) -> @Sendable (Int32, () -> Bool) -> Void {
    { connection, isOver in relay(connection, to: name, isOver) { _ in true } }
  }

  /// Relays bytes to another port, with an action before each answer and during pauses.
  ///
  /// - Parameter meanwhile: the action; returns `false` if the connection is lost.
  static func relay(
    _ connection: Int32, to name: String, _ isOver: () -> Bool, _ meanwhile: (Int32) -> Bool
  ) {
    guard let other = connected(to: name) else { return }
    defer { close(other) }
    while !isOver() {
      var waiting = [
        pollfd(fd: connection, events: Int16(POLLIN), revents: 0), pollfd(fd: other, events: Int16(POLLIN), revents: 0),
      ]
      let ready = unsafe poll(&waiting, 2, 200)
      if ready == 0 || waiting[1].revents != 0, !meanwhile(connection) { return }
      if waiting[0].revents != 0, !carry(from: connection, to: other) { return }
      if waiting[1].revents != 0, !carry(from: other, to: connection) { return }
    }
  }

  /// A gpsd that sends a fix five times a second.
  static let gpsd: @Sendable (Int32, () -> Bool) -> Void = { connection, isOver in
    guard sendLine(#"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#, connection)
    else {
      return
    }
    var tenths = 0
    while !isOver() {
      let seconds = String(format: "%02d.%03d", tenths / 10 % 60, tenths % 10 * 100)
      let time = String(format: "12:%02d:", tenths / 600) + seconds
      let fix = """
        {"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2027-03-05T\(time)Z","lat":48.1,"lon":11.5,"altMSL":520.0,"speed":0.1}
        """
      guard sendLine(fix, connection) else { return }
      tenths += 2
      poll(nil, 0, 200)
    }
  }

  /// Sends all bytes, however slowly the other end reads.
  static func send(_ bytes: [UInt8], _ connection: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { bytes in
        unsafe Glibc.send(connection, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EAGAIN {
        var waiting = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&waiting, 1, 60_000) > 0 else { return false }
        continue
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func sendLine(_ line: String, _ connection: Int32) -> Bool {
    send(Array((line + "\r\n").utf8), connection)
  }

  private static func connected(to name: String) -> Int32? {
    let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = (UInt16(name.split(separator: ":").last ?? "") ?? 0).bigEndian
    let isOpen = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        unsafe connect(other, generic, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isOpen { return other }
    close(other)
    return nil
  }

  private static func carry(from: Int32, to: Int32) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = unsafe recv(from, &buffer, buffer.count, 0)
    return count > 0 && send(Array(buffer[..<count]), to)
  }
}
