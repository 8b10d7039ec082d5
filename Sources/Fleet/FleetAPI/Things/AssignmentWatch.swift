import FleetDomain
import FleetWork
import Logging
import Telemetry

/// Begins and ends planned assignments at their times: the vehicle becomes `assigned` or `available`, and an assignment
/// that is over becomes `completed`.
///
/// It searches for assignments that are due instead of setting timers. Therefore, a server that was down continues
/// where it stopped. Several servers can do this with one database: once one of them has processed an assignment, it is
/// no longer due.
struct AssignmentWatch {
  /// The time between two searches.
  private static let period = Duration.seconds(1)
  /// The number of seconds by which searches overlap, because a request may commit an assignment some time after it
  /// checked the times.
  private static let overlap = 60
  /// The maximum number of assignments in one transaction, so that other changes of the tenant do not wait long.
  private static let page = 100

  let storage: any FleetStorage
  let logger: Logger

  /// Searches periodically until the task is cancelled.
  func run() async {
    var last: Timestamp?
    var isFailing = false
    repeat {
      let now = WallClock.now
      do {
        try await apply(since: last, at: now)
        last = now
        isFailing = false
      } catch {
        if !isFailing, !Task.isCancelled {
          logger.warning("cannot begin and end planned assignments: \(error); trying again")
        }
        isFailing = true
      }
    } while (try? await Task.sleep(for: Self.period)) != nil
  }

  /// Ends assignments that are over, then begins those that have started.
  ///
  /// - Parameters:
  ///   - last: the time of the last complete search; `nil` for none.
  ///   - now: the time of this search. It may be before the last one if the clock was set.
  func apply(since last: Timestamp?, at now: Timestamp) async throws {
    let active = ThingQuery<Assignment>.Condition.oneOf(key: "status", [Assignment.Status.active.json])
    let over = [active, .atMost(key: "to", now.json)]
    var begun = [active, .atMost(key: "from", now.json)]
    if let last { begun.append(.atLeast(key: "from", min(last, now).adding(seconds: -Self.overlap).json)) }
    for tenant in try await storage.tenants(having: over) { try await end(over, of: tenant, at: now) }
    for tenant in try await storage.tenants(having: begun) { try await begin(begun, of: tenant, at: now) }
  }

  private func end(
    _ conditions: [ThingQuery<Assignment>.Condition], of tenant: TenantID, at now: Timestamp
  ) async throws {
    var isLast = false
    while !isLast {
      isLast = try await StorageCaller.$current.withValue(StorageCaller(tenant: tenant, key: nil)) {
        try await storage.change(tenant: tenant, by: Actor(.server), at: now) { transaction throws(ThingError) in
          var query = ThingQuery<Assignment>(order: [.init("to")], limit: Self.page)
          query.conditions = conditions
          let page = try transaction.list(query)
          for assignment in page.items { _ = try transaction.end(assignment, at: nil) }
          return page.next == nil
        }
      }
    }
  }

  private func begin(
    _ conditions: [ThingQuery<Assignment>.Condition], of tenant: TenantID, at now: Timestamp
  ) async throws {
    var query = ThingQuery<Assignment>(order: [.init("from")], limit: Self.page)
    query.conditions = conditions
    repeat {
      let wanted = query
      query.cursor = try await StorageCaller.$current.withValue(StorageCaller(tenant: tenant, key: nil)) {
        // Most of these assignments began earlier, and nothing is to be done for them.
        let (vehicles, next) = try await storage.view(tenant: tenant) { view throws(ThingError) in
          let page = try view.list(wanted)
          var vehicles: [String] = []
          for assignment in page.items where assignment.value.contains(now) {
            let vehicle = try view.vehicle(named: assignment.value.vehicle)
            if vehicle?.value.status == .available { vehicles.append(assignment.value.vehicle) }
          }
          return (vehicles, page.next)
        }
        if !vehicles.isEmpty {
          try await storage.change(tenant: tenant, by: Actor(.server), at: now) { transaction throws(ThingError) in
            for vehicle in vehicles { try transaction.updateStatus(ofVehicle: vehicle) }
          }
        }
        return next
      }
    } while query.cursor != nil
  }
}
