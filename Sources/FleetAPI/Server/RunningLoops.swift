import NIOCore
import Synchronization

/// The event loops of a server while it runs, for whoever wants to know whether they go on.
final class RunningLoops: Sendable {
  private let loops = Mutex<[any EventLoop]>([])

  func begin(_ new: [any EventLoop]) { loops.withLock { $0 = new } }

  func end() { loops.withLock { $0 = [] } }

  /// Returns once each of them has made a turn.
  func turn() async {
    let turns = loops.withLock { $0 }.map { $0.submit {} }
    for turn in turns {
      do {
        try await turn.get()
      } catch {
        // It has ended, and so holds nobody up.
      }
    }
  }
}
