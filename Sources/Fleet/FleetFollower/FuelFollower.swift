import FleetDomain
import FleetFigures
import FleetWork
import Logging
import ServiceLifecycle
import Telemetry

/// Compares fuel entries with the telemetry of their vehicles, after an entry was changed or a trip near it has ended.
///
/// If an entry waits, ``FuelEntry/checkAt`` contains the time since which it has waited. Several servers may use one
/// database.
public final class FuelFollower: Service {
  /// The time between two searches for entries that wait.
  private static let pause = Duration.seconds(1)

  private let storage: any FleetStorage
  private let logger: Logger
  private let now: @Sendable () -> Timestamp

  /// Creates a follower.
  ///
  /// - Parameter now: returns the current time.
  public init(storage: any FleetStorage, logger: Logger, now: @escaping @Sendable () -> Timestamp) {
    (self.storage, self.logger, self.now) = (storage, logger, now)
  }

  /// Works until its task is cancelled or its service group stops it.
  public func run() async throws {
    await cancelWhenGracefulShutdown {
      await RepeatedWork.runRounds(pause: Self.pause) {
        try await self.round()
      } onFailure: {
        self.logger.warning("checks of fuel entries: \($0); trying again")
      }
    }
  }

  /// Checks one entry of each tenant that has entries waiting, so that a tenant with many entries delays no other
  /// tenant. The entry that has waited longest is first.
  ///
  /// - Returns: whether any entry was waiting, and the last error.
  func round() async throws -> (hasMore: Bool, failure: (any Error)?) {
    var (hasMore, failure) = (false, (any Error)?.none)
    let waiting = ThingQuery<FuelEntry>.Condition.isSet(key: "checkAt")
    await TenantRound.run(for: try await storage.tenants(having: [waiting])) { tenant in
      var query = ThingQuery<FuelEntry>(waiting, order: [.init("checkAt")], limit: 20)
      query.leavesOutUnreadable = true
      let wanted = query
      let first = try await storage.view(tenant: tenant) { view throws(ThingError) in
        try view.list(wanted).items.first
      }
      guard let first else { return }
      let check = try await storage.check(of: first, tenant: tenant)
      try await storage.change(tenant: tenant, by: Actor(.server), at: now()) { transaction throws(ThingError) in
        // If the entry was changed or requested again meanwhile, it still waits.
        guard let present = try transaction.find(first.id, FuelEntry.self), present.version == first.version,
          present.value.checkAt == first.value.checkAt
        else { return }
        var value = present.value
        (value.check, value.checkAt) = (check, nil)
        try transaction.refresh(present, to: value)
      }
      hasMore = true
    } onFailure: { _, error in
      failure = error
    }
    return (hasMore, failure)
  }
}
