import FleetAccess
import Synchronization
import Telemetry

@testable import FleetAPI

/// A clock that stands still until a test sets it.
final class TestClock: Sendable {
  private let time = Mutex(WallClock.now)

  var now: Timestamp { time.withLock { $0 } }

  /// Sets the clock forward, or back if the number is negative.
  func advance(_ seconds: Int) { time.withLock { $0 = $0.adding(seconds: seconds) } }
}
