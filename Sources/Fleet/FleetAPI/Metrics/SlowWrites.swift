import FleetDomain
import Logging

/// Logs transactions that occupied the only writer of a SQLite database for too long, so that other tenants had to
/// wait.
struct SlowWrites {
  private static let pause = Duration.seconds(10)

  let storage: any FleetStorage
  let logger: Logger

  /// Checks periodically for slow transactions, until the task is cancelled.
  func run() async {
    var known: [String: Int] = [:]
    while (try? await Task.sleep(for: Self.pause)) != nil {
      guard let sums = try? await storage.counts().writes else { continue }
      report(sums, since: &known)
    }
  }

  /// Logs each operation that has had slow transactions since the last call.
  func report(_ sums: [String: WriteTimes], since known: inout [String: Int]) {
    for (operation, sum) in sums.sorted(by: { $0.key < $1.key }) where sum.slow > known[operation] ?? 0 {
      logger.warning("\(operation): a transaction took more than \(WriteTimes.bound); all other writes waited for it")
      known[operation] = sum.slow
    }
  }
}
