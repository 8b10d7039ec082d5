import FleetAccess
import FleetDomain
import Logging
import Synchronization
import Telemetry

/// Records when each session was last used, and writes these times to the storage at intervals. Rejects sessions that
/// were idle for too long.
final class SessionActivity: Sendable {
  /// The time between two writes to the storage.
  private static let period = Duration.seconds(30)
  /// Maximum number of sessions in one transaction.
  private static let most = 256
  /// Maximum number of sessions in memory. If it is reached, sessions whose last use is already stored are removed.
  private static let capacity = 200_000

  private struct Use {
    var time: Timestamp
    /// The time of the last use that the database contains, or will contain after the next write.
    var storedTime: Timestamp
    var address: String?
    var tenant: TenantID
    var isStored: Bool
  }

  private let storage: any FleetStorage
  private let limits: SessionLimits
  private let logger: Logger
  private let now: TimeSource
  private let uses = Mutex<[UUIDv7: Use]>([:])

  init(
    storage: any FleetStorage, limits: SessionLimits, logger: Logger, now: @escaping TimeSource = { WallClock.now }
  ) {
    self.storage = storage
    self.now = now
    self.limits = limits
    self.logger = logger
  }

  /// Checks that a session has not ended, and records its use.
  ///
  /// - Parameter address: the client's address.
  /// - Throws: 401 if the session has ended.
  func admit(_ signedIn: SignedIn, _ tenant: TenantID, from address: String?) throws(APIError) {
    let now = self.now()
    let isGood = uses.withLock { uses in
      let last = last(signedIn, uses)
      guard end(of: signedIn, lastUsed: last) > now else { return false }
      if uses.count >= Self.capacity { uses = uses.filter { !$0.value.isStored } }
      // Times are stored with a resolution of one minute. So a session that is used constantly is written only once a
      // minute.
      let storedTime = max(uses[signedIn.session]?.storedTime ?? signedIn.lastSeenAt, signedIn.lastSeenAt)
      let isStored = uses[signedIn.session]?.isStored ?? true && storedTime.adding(seconds: 60) > now
      uses[signedIn.session] = Use(
        time: now, storedTime: isStored ? storedTime : now, address: address, tenant: tenant, isStored: isStored)
      return true
    }
    guard isGood else {
      throw APIError(.unauthorized, "sessionEnded", "the session has ended; sign in again")
    }
  }

  /// Returns the time at which a session ends if it is not used again, according to the uses that this server has
  /// recorded.
  func end(of signedIn: SignedIn) -> Timestamp {
    end(of: signedIn, lastUsed: uses.withLock { last(signedIn, $0) })
  }

  private func end(of signedIn: SignedIn, lastUsed: Timestamp) -> Timestamp {
    let idle = signedIn.transport == .cookie ? limits.idleSeconds : limits.appIdleSeconds
    return min(signedIn.expiresAt, lastUsed.adding(seconds: idle))
  }

  private func last(_ signedIn: SignedIn, _ uses: borrowing [UUIDv7: Use]) -> Timestamp {
    max(uses[signedIn.session]?.time ?? signedIn.lastSeenAt, signedIn.lastSeenAt)
  }

  /// Writes to the storage all times that were recorded since the last call.
  func write() async {
    let pending = uses.withLock { uses in
      let pending = uses.filter { !$0.value.isStored }
      for id in pending.keys { uses[id]?.isStored = true }
      return pending
    }
    for (tenant, sessions) in Dictionary(grouping: pending, by: \.value.tenant) {
      var rest = sessions[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Self.most).map { (id: $0.key, time: $0.value.time, address: $0.value.address) }
        rest = rest.dropFirst(Self.most)
        do {
          try await storage.change(tenant: tenant, by: Actor(.server), at: self.now()) {
            transaction throws(ThingError) in
            for (id, time, address) in piece {
              guard let session = try transaction.find(id, Session.self), session.value.revokedAt == nil,
                session.value.lastSeenAt < time
              else { continue }
              var seen = session.value
              seen.lastSeenAt = time
              seen.address = address
              try transaction.update(session, to: seen, action: "use")
            }
          }
        } catch {
          // The times are lost. The next request of each session records a new time.
          logger.warning("cannot store when sessions of \(tenant) were used: \(error)")
        }
      }
    }
  }

  /// Writes recorded times to the storage at intervals, until the task is cancelled.
  func run() async {
    while (try? await Task.sleep(for: Self.period)) != nil { await write() }
  }
}
