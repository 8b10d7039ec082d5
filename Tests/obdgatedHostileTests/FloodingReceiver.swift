import Foundation
import Glibc
import Ports
import TestKit

@testable import DaemonTestKit

/// A satellite receiver on a pseudo-terminal that sends a number of bytes of noise at full speed, and then five epochs
/// a second.
final class FloodingReceiver: @unchecked Sendable {
  let path: String
  private let terminal: PseudoTerminal
  private let changed = NSCondition()
  private var sent = 0
  private var isStopped = false
  private var hasEnded = false

  init(_ noise: Noise, bytes total: Int) throws {
    let terminal = try PseudoTerminal()
    path = NSTemporaryDirectory() + "obdgate-receiver-" + UUID().uuidString
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: terminal.path)
    self.terminal = terminal
    Thread.detachNewThread { [self] in
      flood(noise, total)
      let began = ContinuousClock.now
      var step = 0
      while !isOver {
        let due = (began + .milliseconds(200 * step) - .now) / .milliseconds(1)
        if due > 0 { poll(nil, 0, Int32(due)) }
        let text = SimulatedReceiver.epoch("050327", Double(step) * 0.2, .init(latitude: 48.1, longitude: 11.5))
        _ = write(Array(text.utf8)[...])
        step += 1
      }
      changed.withLock {
        hasEnded = true
        changed.broadcast()
      }
    }
  }

  func stop() {
    changed.lock()
    defer { changed.unlock() }
    isStopped = true
    try? FileManager.default.removeItem(atPath: path)
    while !hasEnded { changed.wait() }
  }

  func awaitNoise(_ count: Int, within limit: TimeInterval) throws {
    let deadline = Date(timeIntervalSinceNow: limit)
    changed.lock()
    defer { changed.unlock() }
    while sent < count {
      guard changed.wait(until: deadline) else { throw DaemonRun.Missing(what: "\(count) bytes read; only \(sent)") }
    }
  }

  private var isOver: Bool { changed.withLock { isStopped } }

  private func flood(_ fresh: Noise, _ total: Int) {
    var noise = fresh
    var piece: ArraySlice<UInt8> = []
    while changed.withLock({ sent < total && !isStopped }) {
      var waiting = pollfd(fd: terminal.descriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&waiting, 1, 200)
      // No process has the other end open, so nothing is sent.
      guard waiting.revents & Int16(POLLHUP) == 0 else {
        poll(nil, 0, 10)
        continue
      }
      if piece.isEmpty { piece = noise.next(4_096)[...] }
      let count = write(piece)
      guard count > 0 else { continue }
      piece = piece.dropFirst(count)
      changed.withLock {
        sent += count
        changed.broadcast()
      }
    }
  }

  private func write(_ bytes: ArraySlice<UInt8>) -> Int {
    unsafe bytes.withUnsafeBytes { unsafe Glibc.write(terminal.descriptor, $0.baseAddress, $0.count) }
  }
}
