import Synchronization

/// How many requests each route has answered, with which status, and how long that took.
final class RequestMetrics: Sendable {
  struct Key: Hashable, Comparable {
    let method: String
    /// As the table writes it: a path with a vehicle in it would be a series of its own.
    let route: String
    let status: Int

    static func < (left: Key, right: Key) -> Bool {
      (left.route, left.method, left.status) < (right.route, right.method, right.status)
    }
  }

  struct Sum {
    var count = 0
    var seconds = 0.0
  }

  private let sums = Mutex<[Key: Sum]>([:])

  func note(_ key: Key, _ duration: Duration) {
    sums.withLock { sums in
      sums[key, default: Sum()].count += 1
      sums[key, default: Sum()].seconds += duration / .seconds(1)
    }
  }

  var all: [(Key, Sum)] { sums.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } } }
}
