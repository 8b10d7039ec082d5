import Dispatch
import FleetDomain
import Glibc
import Synchronization

/// Receives notifications about the commits of all fleet store servers that use the database. It has its own thread and
/// connection.
final class PostgreSQLListener: Sendable {
  static let channel = "obdgate_feed"
  /// Interval at which the thread checks whether it must end, and time before it connects again after an error, ms.
  private static let patience: Int32 = 500

  private let address: PostgreSQLAddress
  private let announcer: Announcer
  private let thread = DispatchQueue(label: "postgresql-listener")
  private let isStopping = Atomic(false)
  private let current = Mutex<PostgreSQLConnection?>(nil)

  init(address: PostgreSQLAddress, announcer: Announcer) {
    self.address = address
    self.announcer = announcer
    thread.async { self.run() }
  }

  func close() async {
    isStopping.store(true, ordering: .releasing)
    current.withLock { $0?.interrupt() }
    await withCheckedContinuation { continuation in thread.async { continuation.resume() } }
  }

  private func run() {
    var connection: PostgreSQLConnection?
    while !isStopping.load(ordering: .acquiring) {
      do throws(StoreFailure) {
        if let connection {
          for text in try connection.notifications(within: Self.patience) { announce(text) }
        } else {
          connection = try listen()
        }
      } catch {
        // The error is not reported here, because other calls report it. After the listener has connected again,
        // readers read the feed, which contains the commits during the outage.
        connection = nil
        current.withLock { $0 = nil }
        if isStopping.load(ordering: .acquiring) { return }
        _ = poll(nil, 0, Self.patience)
      }
    }
  }

  private func listen() throws(StoreFailure) -> PostgreSQLConnection {
    let connection = try PostgreSQLConnection(address: address)
    current.withLock { $0 = connection }
    try connection.execute("LISTEN \(Self.channel)")
    let feeds = try connection.query("SELECT id, position FROM tenant")
    for row in 0..<feeds.count {
      let row = feeds.row(row)
      if let tenant = TenantID(row.text(0)) { announcer.announce(tenant, FeedPosition(rawValue: row.integer(1))) }
    }
    return connection
  }

  private func announce(_ text: String) {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let tenant = TenantID(String(parts[0])), let position = Int64(parts[1]) else { return }
    announcer.announce(tenant, FeedPosition(rawValue: position))
  }
}
