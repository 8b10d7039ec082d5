import FleetDomain
import FleetFigures
import Logging
import ServiceLifecycle
import Telemetry

/// Continues work that affects too many vehicles or readings for a single transaction: it computes the service
/// schedules of large fleets (``PendingSchedule``), and judges meter readings again (``PendingMeter``). Each
/// transaction processes only a few vehicles or readings.
///
/// Several servers may use one database, because the progress is stored in the database.
public final class ScheduleFollower: Service {
  /// The time between two searches for schedules that are not computed yet.
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
        self.logger.warning("schedules of fleets and meter readings: \($0); trying again")
      }
    }
  }

  /// Does a part of the pending work of each tenant: computes a pending schedule for a few vehicles, and judges some
  /// pending meter readings. An error of one tenant does not affect other tenants.
  ///
  /// - Returns: whether anything was pending, and the last error.
  func round() async throws -> (hasMore: Bool, failure: (any Error)?) {
    var (hasMore, failure) = (false, (any Error)?.none)
    await TenantRound.run(for: try await storage.tenants(having: PendingSchedule.conditions)) { tenant in
      let pending = try await storage.view(tenant: tenant) { view throws(ThingError) in
        try view.nextPendingSchedule()
      }
      guard let pending else { return }
      try await storage.change(tenant: tenant, by: Actor(.server), at: now()) { transaction throws(ThingError) in
        try transaction.evaluate(pending)
      }
      hasMore = true
    } onFailure: { _, error in
      failure = error
    }
    await TenantRound.run(for: try await storage.tenants(having: PendingMeter.conditions)) { tenant in
      let found = try await storage.change(tenant: tenant, by: Actor(.server), at: now()) {
        transaction throws(ThingError) in try transaction.judgePendingMeter()
      }
      if found { hasMore = true }
    } onFailure: { _, error in
      failure = error
    }
    return (hasMore, failure)
  }
}
