import Foundation
import Glibc
import TestKit

@testable import FleetstoreTestKit

/// A tenant that works while another one attacks: a gateway that sends; an operator that reads on new connections, signs
/// in, changes a vehicle and reads lists; and a WebSocket that follows. Each wait belongs to the phase in which it began.
///
/// Gateway and operator have something to do every ``Probe/interval``, whether or not they are still waiting. A wait
/// that is longer than the interval therefore counts for each request that was due during it, with what was left of the
/// wait. Otherwise a server that stops for a second would cost a single sample.
final class Victim: @unchecked Sendable {
  /// The kinds of measured waits.
  enum Probe: String, CaseIterable {
    case ingest, read, follow, signIn, change, list

    /// Time from one request to the next. A sign-in costs much processor time.
    var interval: Duration { self == .signIn ? .milliseconds(400) : .milliseconds(self == .change ? 40 : 20) }
  }

  struct Figures {
    var waits: [Probe: [Double]] = [:]
    var refusals: [String] = []

    /// Returns the waits of both.
    static func + (first: Figures, second: Figures) -> Figures {
      Figures(
        waits: first.waits.merging(second.waits) { $0 + $1 }, refusals: first.refusals + second.refusals)
    }

    /// Returns the wait in ms that 99 of 100 waits do not exceed.
    func p99(_ probe: Probe) -> Double {
      let sorted = waits[probe, default: []].sorted()
      return sorted.isEmpty ? .infinity : sorted[(sorted.count * 99 - 1) / 100]
    }
  }

  private let port: Int
  private let gatewayKey: String
  private let readerToken: String
  private let adminToken: String
  private let lock = NSCondition()
  private var phase = 0
  private var figures: [Int: Figures] = [:]
  private var isOver = false
  /// The number of samples that are not complete yet, by the phase in which they began.
  private var open: [Int: Int] = [:]
  /// For each record by its number: when it was sent, and in which phase.
  private var sent: [Int: (time: ContinuousClock.Instant, phase: Int)] = [:]
  private let threads = DispatchGroup()
  private var follower: LoadSocket?

  init(port: Int, _ keys: AttackKeys) {
    self.port = port
    gatewayKey = keys.victimGateway
    readerToken = keys.victimReader
    adminToken = keys.victimAdmin
  }

  func begin() throws {
    // The vehicle must exist before the first query.
    _ = try connect().post(Array(LoadClient.record(1_000_000, 0).utf8), key: gatewayKey, coding: nil)
    let follower = try connect()
    try follower.openWebSocket(token: readerToken)
    try follower.send(text: #"{"action":"subscribe","channel":"vehicle:VAN-0"}"#)
    self.follower = follower
    run { [self] in try send() }
    run { [self] in try read() }
    run { [self] in try signIn() }
    run { [self] in try change() }
    run { [self] in try list() }
    run { [self] in try follow(follower) }
  }

  /// Measures a phase.
  ///
  /// - Returns: the waits that began in the phase, including those that ended later.
  func measure(seconds: Double) -> Figures {
    lock.withLock {
      phase += 1
      figures[phase] = Figures()
    }
    let end = ContinuousClock.now + .seconds(seconds)
    return lock.withLock {
      while lock.wait(until: end) {}
      let measured = phase
      phase += 1
      let limit = ContinuousClock.now + .seconds(30)
      while open[measured, default: 0] > 0, lock.wait(until: limit) {}
      if open[measured, default: 0] > 0 { figures[measured]?.refusals.append("no answer within 30 s") }
      return figures[measured] ?? Figures()
    }
  }

  func end() {
    lock.withLock {
      isOver = true
      lock.broadcast()
    }
    if let follower { shutdown(follower.descriptor, Int32(SHUT_RDWR)) }
    threads.wait()
  }

  // MARK: Probes

  private func send() throws {
    let socket = try connect()
    var number = 0
    var due = ContinuousClock.now
    while goesOn(at: &due, .ingest) {
      let records = (1...5).map { LoadClient.record(number + $0, 0) + "\n" }.joined()
      number += 5
      let last = number
      try sample(.ingest, follows: last) {
        let answer = try socket.post(Array(records.utf8), key: gatewayKey, coding: nil)
        return answer.contains(" 200 ") && answer.contains("\"stored\":5") ? nil : answer
      }
    }
  }

  private func read() throws {
    let paths = [
      "/api/vehicles/VAN-0/telemetry?limit=50", "/api/vehicles/VAN-0/latest", "/api/vehicles", "/api/health",
    ]
    var number = 0
    var due = ContinuousClock.now
    while goesOn(at: &due, .read) {
      number += 1
      let path = paths[number % paths.count]
      try sample(.read) {
        let answer = try connect().get(path, key: readerToken)
        return answer.contains(" 200 ") ? nil : answer
      }
    }
  }

  /// Signs in, in a browser that was used before.
  private func signIn() throws {
    let first = try AttackAccounts.signIn(try connect(), AttackAccounts.victim, AttackAccounts.password)
    guard let device = AttackAccounts.device(first) else { throw LoadSocket.Failure(what: first) }
    var due = ContinuousClock.now
    while goesOn(at: &due, .signIn) {
      try sample(.signIn) {
        let answer = try AttackAccounts.signIn(
          try connect(), AttackAccounts.victim, AttackAccounts.password, device: device)
        return answer.contains(" 200 ") ? nil : answer
      }
    }
  }

  private func change() throws {
    let socket = try connect()
    var number = 0
    var due = ContinuousClock.now
    while goesOn(at: &due, .change) {
      number += 1
      let body = Array(#"{"name":"Van \#(number)"}"#.utf8)
      try sample(.change) {
        let answer = try socket.send(
          "PATCH", "/api/vehicles/VAN-0", key: adminToken, body,
          "Content-Type: application/merge-patch+json\r\nIf-Match: *\r\n")
        return answer.contains(" 200 ") ? nil : answer
      }
    }
  }

  private func list() throws {
    let socket = try connect()
    let paths = ["/api/vehicles?q=van&sort=-id&limit=50", "/api/positions", "/api/events?limit=20"]
    var number = 0
    var due = ContinuousClock.now
    while goesOn(at: &due, .list) {
      number += 1
      let path = paths[number % paths.count]
      try sample(.list) {
        let answer = try socket.get(path, key: readerToken)
        return answer.contains(" 200 ") ? nil : answer
      }
    }
  }

  private func follow(_ socket: LoadSocket) throws {
    var text = ""
    while let more = try? socket.receive() {
      // An unsolicited pong keeps the connection open.
      try socket.send(opcode: 10, [])
      text += String(decoding: more, as: UTF8.self)
      let now = ContinuousClock.now
      while let start = text.range(of: "\"seq\":"),
        let end = text[start.upperBound...].firstIndex(where: { !$0.isNumber })
      {
        let number = Int(text[start.upperBound..<end]) ?? 0
        text = String(text[end...])
        lock.withLock {
          guard let (time, phase) = sent.removeValue(forKey: number) else { return }
          record(.follow, (now - time) / .milliseconds(1), phase)
        }
      }
    }
    if !(lock.withLock { isOver }) { throw LoadSocket.Failure(what: "the WebSocket was closed: \(text.suffix(200))") }
  }

  /// Measures one wait.
  ///
  /// - Parameter number: the number of a record that the WebSocket must receive.
  private func sample(_ probe: Probe, follows number: Int? = nil, _ work: () throws -> String?) throws {
    let start = ContinuousClock.now
    let phase = lock.withLock {
      open[self.phase, default: 0] += number == nil ? 1 : 2
      if let number { sent[number] = (start, self.phase) }
      return self.phase
    }
    let refusal: String?
    do { refusal = try work() } catch { refusal = "\(probe.rawValue): \(error)" }
    lock.withLock {
      let step = probe.interval / .milliseconds(1)
      var wait = (ContinuousClock.now - start) / .milliseconds(1)
      record(probe, wait, phase)
      while wait > step {
        wait -= step
        figures[phase]?.waits[probe, default: []].append(wait)
      }
      guard let refusal else { return }
      figures[phase]?.refusals.append(refusal)
      // No update is expected for a record that was not stored.
      if let number, sent.removeValue(forKey: number) != nil { open[phase, default: 0] -= 1 }
    }
    if let refusal, !refusal.hasPrefix("HTTP") { throw LoadSocket.Failure(what: refusal) }
  }

  private func record(_ probe: Probe, _ milliseconds: Double, _ phase: Int) {
    figures[phase]?.waits[probe, default: []].append(milliseconds)
    open[phase, default: 0] -= 1
    lock.broadcast()
  }

  private func run(_ work: @escaping @Sendable () throws -> Void) {
    threads.enter()
    Thread.detachNewThread { [self] in
      defer { threads.leave() }
      do {
        try work()
      } catch {
        lock.withLock { if !isOver { figures[phase]?.refusals.append("\(error)") } }
      }
    }
  }

  /// Connects from a separate address, with a time limit.
  private func connect() throws -> LoadSocket {
    let socket = try LoadSocket(port: port, from: 2)
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    unsafe setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    return socket
  }

  /// Waits until the next request is due.
  ///
  /// - Parameter due: is set to the time of the request after that. Requests that were missed are not sent later.
  /// - Returns: `false` at the end.
  private func goesOn(at due: inout ContinuousClock.Instant, _ probe: Probe) -> Bool {
    let time = due
    defer { due = max(time + probe.interval, .now) }
    return lock.withLock {
      while !isOver, lock.wait(until: time) {}
      return !isOver
    }
  }
}
