import FleetDomain
import FleetWork
import Logging
import Telemetry

/// Begins and ends planned assignments at their times. A vehicle becomes `assigned` or `available`, and an assignment
/// that has ended becomes `completed`.
///
/// The watch uses no timers: it searches for assignments that are due. Therefore it also finds assignments that became
/// due while no server ran. Several servers of one database can run a watch, because an assignment is no longer due
/// after one of them has processed it.
struct AssignmentWatch {
  /// The time between two searches.
  private static let period = Duration.seconds(1)
  /// Each search also covers the previous `overlap` seconds, because a request may commit an assignment some time after
  /// it has checked the assignment's times.
  private static let overlap = 60
  /// The maximum number of assignments in one transaction. A small number lets other changes run soon.
  private static let page = 16

  let storage: any FleetStorage
  let logger: Logger

  /// Searches for due assignments periodically, until the task is cancelled.
  func run() async {
    var last: Timestamp?
    await RepeatedWork.run(every: Self.period) {
      let now = WallClock.now
      if try await apply(since: last, at: now) { last = now }
    } onFailure: {
      logger.warning("cannot begin and end planned assignments: \($0); trying again")
    }
  }

  /// Ends assignments whose time is over, and then begins assignments whose time has come. Rows that cannot be read are
  /// logged and skipped. An error of one tenant does not affect other tenants.
  ///
  /// - Parameters:
  ///   - last: the time of the last complete search; `nil` if there was none.
  ///   - now: the time of this search. It may be before `last` if the clock was set back.
  /// - Returns: whether the search was complete.
  @discardableResult
  func apply(since last: Timestamp?, at now: Timestamp) async throws -> Bool {
    let active = ThingQuery<Assignment>.Condition.oneOf(key: "status", [Assignment.Status.active.json])
    let over = [active, .atMost(key: "to", now.json)]
    var begun = [active, .atMost(key: "from", now.json)]
    if let last { begun.append(.atLeast(key: "from", min(last, now).adding(seconds: -Self.overlap).json)) }
    var isComplete = true
    for tenant in try await storage.tenants(having: over) {
      let isDone = await attempt(tenant) { try await end(over, of: tenant, at: now) }
      isComplete = isComplete && isDone
    }
    for tenant in try await storage.tenants(having: begun) {
      let isDone = await attempt(tenant) { try await begin(begun, of: tenant, at: now) }
      isComplete = isComplete && isDone
    }
    return isComplete
  }

  /// Runs work for one tenant, and logs its errors.
  ///
  /// - Returns: `false` if the work must be repeated.
  private func attempt(_ tenant: TenantID, _ work: () async throws -> Void) async -> Bool {
    do {
      try await StorageCaller.$current.withValue(StorageCaller(tenant: tenant, key: nil)) { try await work() }
      return true
    } catch {
      if !Task.isCancelled { report(["\(error)"], tenant) }
      return (error as? ThingError)?.isUnreadable ?? false
    }
  }

  private func report(_ failures: [String], _ tenant: TenantID) {
    for failure in failures {
      logger.warning("tenant \(tenant): a planned assignment cannot begin or end: \(failure)")
    }
  }

  private func end(
    _ conditions: [ThingQuery<Assignment>.Condition], of tenant: TenantID, at now: Timestamp
  ) async throws {
    var query = ThingQuery<Assignment>(order: [.init("to")], limit: Self.page)
    (query.conditions, query.leavesOutUnreadable) = (conditions, true)
    repeat {
      let wanted = query
      let page = try await storage.view(tenant: tenant) { view throws(ThingError) in try view.list(wanted) }
      let failures = try await storage.change(each: page.items, tenant: tenant, by: Actor(.server), at: now) {
        assignment, transaction throws(ThingError) in
        // Another request may have changed the assignment since it was read.
        guard let present = try transaction.find(assignment.id, Assignment.self),
          present.version == assignment.version
        else { return }
        _ = try transaction.end(present, at: nil)
      }
      report(page.unreadable + failures.map(\.reason), tenant)
      query.cursor = page.next
    } while query.cursor != nil
  }

  private func begin(
    _ conditions: [ThingQuery<Assignment>.Condition], of tenant: TenantID, at now: Timestamp
  ) async throws {
    var query = ThingQuery<Assignment>(order: [.init("from")], limit: Self.page)
    (query.conditions, query.leavesOutUnreadable) = (conditions, true)
    repeat {
      let wanted = query
      // Most of these assignments began earlier, and their vehicles need no change.
      let (vehicles, unreadable, next) = try await storage.view(tenant: tenant) { view throws(ThingError) in
        let page = try view.list(wanted)
        var (vehicles, unreadable) = ([String](), page.unreadable)
        for assignment in page.items where assignment.value.contains(now) {
          do throws(ThingError) {
            let vehicle = try view.vehicle(named: assignment.value.vehicle)
            if vehicle?.value.status == .available { vehicles.append(assignment.value.vehicle) }
          } catch {
            guard error.isUnreadable else { throw error }
            unreadable.append(error.reason)
          }
        }
        return (vehicles, unreadable, page.next)
      }
      let failures = try await storage.change(each: vehicles, tenant: tenant, by: Actor(.server), at: now) {
        vehicle, transaction throws(ThingError) in try transaction.updateStatus(ofVehicle: vehicle)
      }
      report(unreadable + failures.map(\.reason), tenant)
      query.cursor = next
    } while query.cursor != nil
  }
}
