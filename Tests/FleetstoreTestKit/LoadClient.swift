import CZstd
import Foundation
import Glibc

/// A client that uses little processor time, so that it does not disturb the measured server. Batches are compressed
/// beforehand, and each connection has a thread that only sends batches and reads answers.
enum LoadClient {
  /// Compressed batches of records of usual length, all different.
  ///
  /// - Parameters:
  ///   - gateways: number of gateways, which send alternately; each has one vehicle.
  ///   - records: number of records in each batch.
  ///   - first: number of batches made before.
  static func batches(_ count: Int, gateways: Int, records: Int = 100, from first: Int = 0) -> [[UInt8]] {
    (first..<(first + count)).map { batch in
      let gateway = batch % gateways
      var text = ""
      for number in 0..<records { text += record(batch / gateways * records + number + 1, gateway) + "\n" }
      return packed(Array(text.utf8))
    }
  }

  /// Sends batches for a time, in rounds. The batches of a round are created before it, which is not measured.
  ///
  /// - Parameters:
  ///   - least: minimum total time of the rounds, s.
  ///   - round: creates and sends the batches of a round; its parameter is the number of the round.
  static func send(
    for least: Double, round: (Int) throws -> (seconds: Double, stored: Int)
  ) throws -> (seconds: Double, stored: Int) {
    var (seconds, stored, number) = (0.0, 0, 0)
    while seconds < least {
      let one = try round(number)
      seconds += one.seconds
      stored += one.stored
      number += 1
    }
    return (seconds, stored)
  }

  /// Sends all batches over this number of connections.
  ///
  /// - Returns: seconds from the first to the last answer, and the number of stored records.
  static func send(
    _ batches: [[UInt8]], port: Int, keys: [String], connections: Int
  ) throws -> (seconds: Double, stored: Int) {
    try send(batches, port: port, connections: connections) { socket, index in
      let answer = try socket.post(batches[index], key: keys[index % keys.count])
      guard answer.contains(" 200 "), let range = answer.range(of: "\"stored\":") else { return nil }
      return Int(answer[range.upperBound...].prefix { $0.isNumber }) ?? 0
    }
  }

  /// Sends any content over this number of connections.
  ///
  /// - Parameter post: sends the batch with an index; returns the number of stored records, or `nil` on failure.
  static func send(
    _ batches: [[UInt8]], port: Int, connections: Int, post: @escaping @Sendable (LoadSocket, Int) throws -> Int?
  ) throws -> (seconds: Double, stored: Int) {
    let (stored, next, failures) = (Counter(), Counter(), Counter())
    let group = DispatchGroup()
    let start = ContinuousClock.now
    for _ in 0..<connections {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        do {
          let socket = try LoadSocket(port: port)
          while true {
            let index = next.add(1) - 1
            guard index < batches.count else { return }
            guard let count = try post(socket, index) else {
              _ = failures.add(1)
              return
            }
            _ = stored.add(count)
          }
        } catch {
          _ = failures.add(1)
        }
      }
    }
    group.wait()
    guard failures.value == 0 else { throw LoadSocket.Failure(what: "\(failures.value) connections failed") }
    return ((ContinuousClock.now - start) / .seconds(1), stored.value)
  }

  static func record(_ number: Int, _ gateway: Int, quality: String = "gps") -> String {
    let milliseconds = 1_767_225_600_000 + number * 1_000
    let time = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    let digits = String(milliseconds, radix: 16)
    let high = String(repeating: "0", count: 12 - digits.count) + digits
    let tail = String(format: "%04x%08x", gateway, number)
    let id = "\(high.prefix(8))-\(high.suffix(4))-7abc-8def-\(tail)"
    return #"{"type":"telemetry","id":"\#(id)","timestamp":"\#(time.formatted(style))","timeQuality":"\#(quality)","#
      + #""gatewayId":"gw-\#(gateway)","vehicleId":"VAN-\#(gateway)","epoch":"0193e0f2-7c11-7a5e-8f3b-2d1c0b9a8877","#
      + #""seq":\#(number),"rpm":\#(800 + number % 3_000),"speed":\#(number % 130).5,"engineLoad":42.7,"coolantTemp":88,"#
      + #""intakeAirTemp":23,"maf":12.34,"fuelLevel":64.3,"throttlePosition":17.6,"batteryVoltage":13.9,"#
      + #""controlModuleVoltage":13.87,"latitude":47.\#(100_000 + number % 900_000),"longitude":9.1773941,"altitude":412.3,"#
      + #""heading":271.4,"gpsSpeed":\#(number % 130).2,"hdop":0.9,"satellites":11,"fixType":"3d"}"#
  }

  private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  static func packed(_ bytes: [UInt8]) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
    let count = unsafe ZSTD_compress(&out, out.count, bytes, bytes.count, 1)
    return Array(out[..<count])
  }
}

/// One keep-alive connection of the load client. At most one thread reads at a time, and one writes.
final class LoadSocket: @unchecked Sendable {
  struct Failure: Error {
    let what: String
  }

  let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// Connects to the server.
  ///
  /// - Parameters:
  ///   - host: the last number of the client's address, 127.0.0.x.
  ///   - receiveBuffer: size of the kernel's buffer; `nil` for the default.
  init(port: Int, from host: UInt32 = 1, receiveBuffer: Int32? = nil) throws {
    descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var size = receiveBuffer {
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    guard unsafe Self.call(bind, descriptor, host, 0) == 0 else { throw Failure(what: "bind") }
    guard unsafe Self.call(connect, descriptor, 1, port) == 0 else { throw Failure(what: "connect") }
  }

  private static func call(
    _ function: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32, _ descriptor: Int32, _ host: UInt32, _ port: Int
  ) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = (UInt32(0x7F00_0000) | host).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe function(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  deinit { close(descriptor) }

  /// Posts a batch.
  ///
  /// - Parameter coding: content coding; `nil` for none.
  /// - Returns: head and beginning of the response.
  func post(_ batch: [UInt8], key: String, coding: String? = "zstd") throws -> String {
    try post(
      batch, to: "/api/telemetry",
      "Authorization: Bearer \(key)\r\nContent-Type: application/x-ndjson\r\n"
        + (coding.map { "Content-Encoding: \($0)\r\n" } ?? ""))
  }

  /// Posts bytes to a path.
  ///
  /// - Parameter fields: header fields, each with its CR and LF.
  func post(_ batch: [UInt8], to path: String, _ fields: String = "") throws -> String {
    try begin(batch[...], of: batch.count, to: path, fields)
    return try answer()
  }

  /// Sends the head of a request and the first bytes of its body.
  func begin(_ bytes: ArraySlice<UInt8>, of count: Int, to path: String, _ fields: String) throws {
    let head = "POST \(path) HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(count)\r\n\r\n"
    try write(Array(head.utf8) + bytes)
  }

  /// Reads the next answer.
  ///
  /// - Returns: its head and the beginning of its body.
  func answer() throws -> String {
    var count = 0
    var length: Int?
    while true {
      let more = unsafe buffer[count...].withUnsafeMutableBytes {
        unsafe recv(descriptor, $0.baseAddress, $0.count, 0)
      }
      guard more > 0 else { throw Failure(what: "recv") }
      count += more
      if length == nil {
        let text = String(decoding: buffer[..<min(count, 2_000)], as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { continue }
        // An answer 204 has neither a body nor a length.
        let body =
          text.range(of: "Content-Length: ").flatMap { Int(text[$0.upperBound...].prefix { $0.isNumber }) } ?? 0
        length = text.utf8.distance(from: text.startIndex, to: end.upperBound) + body
      }
      if let length, count >= length { return String(decoding: buffer[..<min(count, 2_000)], as: UTF8.self) }
    }
  }

  func write(_ bytes: [UInt8]) throws {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes[done...].withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(what: "send") }
      done += count
    }
  }
}

/// A number to which several threads add.
final class Counter: @unchecked Sendable {
  private let lock = NSCondition()
  private var count = 0

  var value: Int { lock.withLock { count } }

  func add(_ step: Int) -> Int {
    lock.withLock {
      count += step
      lock.broadcast()
      return count
    }
  }

  /// Waits until the number is at least this.
  func wait(for least: Int) {
    lock.withLock {
      while count < least { lock.wait() }
    }
  }
}
