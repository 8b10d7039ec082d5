import Foundation
import Glibc
import TestKit

@testable import DaemonTestKit

/// A proxy between the daemon and a simulated adapter: it sends noise before most answers until a total number of bytes
/// is reached, and then only the answers, on the same connection.
final class BabblingAdapter: @unchecked Sendable {
  private let peer: FloodingPeer
  private let total: Int
  private let changed = NSCondition()
  private var sent = 0

  var name: String { peer.name }

  init(_ noise: Noise, bytes total: Int, of adapter: String) throws {
    self.total = total
    let box = Box()
    peer = try FloodingPeer(noise, bytes: 0) { connection, isOver in
      box.owner?.relay(connection, to: adapter, noise, isOver)
    }
    box.owner = self
  }

  func stop() { peer.stop() }

  func awaitNoise(_ count: Int, within limit: TimeInterval) throws {
    let deadline = Date(timeIntervalSinceNow: limit)
    changed.lock()
    defer { changed.unlock() }
    while sent < count {
      guard changed.wait(until: deadline) else { throw DaemonRun.Missing(what: "\(count) bytes read; only \(sent)") }
    }
  }

  /// Set before the first connection.
  private final class Box: @unchecked Sendable { weak var owner: BabblingAdapter? }

  private func relay(_ connection: Int32, to adapter: String, _ fresh: Noise, _ isOver: () -> Bool) {
    var noise = fresh
    var rounds = 0
    SanePeer.relay(connection, to: adapter, isOver) { [self] connection in
      rounds += 1
      // Sometimes the answer is correct, so that the dialogue continues, and noise occurs in each of its states.
      guard rounds % 4 != 0, changed.withLock({ sent < total }) else { return true }
      for _ in 0..<8 {
        let piece = noise.next()
        guard SanePeer.send(piece, connection) else { return false }
        changed.withLock {
          sent += piece.count
          changed.broadcast()
        }
      }
      return true
    }
  }
}
