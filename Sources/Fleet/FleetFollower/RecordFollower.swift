import FleetDomain
import FleetFigures
import FleetWork
import Logging
import ServiceLifecycle
import Telemetry
import TroubleCodes

/// Processes new records of all tenants: it derives meter readings from the ends of trips, and defects from trouble
/// codes. It also updates values that depend on the current date.
///
/// It reads the feed, and therefore does not slow down the storing of records. It reads telemetry only at the end of
/// each trip, and only a few records. Several servers may use one database, because the positions in the feed are
/// stored together with the results.
///
/// First, the feed of a tenant is read quickly, to find the vehicles that have changes (``FollowedVehicle``). Then
/// these vehicles get turns; a turn processes a few changes of one vehicle. The next turn belongs to the vehicle whose
/// last turn was longest ago. Therefore a vehicle with many changes delays no other vehicle, and a tenant with many
/// changes delays no other tenant.
public final class RecordFollower: Service {
  /// The time between two reads of the feeds.
  private static let pause = Duration.seconds(1)
  /// The time between two updates of the values that depend on the current date, ms.
  private static let datePause: Int64 = 60_000
  /// The maximum number of changes in one read of the feed.
  private static let batch = 100
  /// The maximum number of vehicles that are processed in one transaction.
  private static let vehicles = 20
  /// The maximum number of changes of one vehicle that are processed in one turn.
  private static let changesOfTurn = 10
  /// The time after which a transaction with results is committed, because other writes wait for it.
  private static let patience = Duration.milliseconds(20)
  /// The time for one tenant in each round. One half is used to read the feed, the other half to process vehicles.
  private static let share = Duration.milliseconds(400)
  private static let classes: Set<RecordClass> = [.known(.trip), .known(.dtc), .known(.geofence), .known(.driving)]

  let storage: any FleetStorage
  private let logger: Logger
  private let now: @Sendable () -> Timestamp
  private let catalog = TroubleCodeCatalog()

  /// Creates a follower.
  ///
  /// - Parameter now: returns the current time.
  public init(storage: any FleetStorage, logger: Logger, now: @escaping @Sendable () -> Timestamp) {
    (self.storage, self.logger, self.now) = (storage, logger, now)
  }

  /// Works until its task is cancelled or its service group stops it.
  public func run() async throws {
    await cancelWhenGracefulShutdown { await self.repeatRounds() }
  }

  private func repeatRounds() async {
    var checked: [TenantID: Int64] = [:]
    let clock = ContinuousClock()
    while !Task.isCancelled {
      let start = clock.now
      var hasMore = false
      do {
        let tenants = try await storage.tenants().map(\.id)
        await TenantRound.run(for: tenants) { tenant in
          let time = now().milliseconds
          if checked[tenant].map({ time - $0 >= Self.datePause || time < $0 }) ?? true {
            checked[tenant] = time
            try await followDate(tenant: tenant)
          }
        } onFailure: { tenant, error in
          logger.warning("tenant \(tenant): services are not followed for now: \(error)")
        }
        await TenantRound.run(for: tenants) { tenant in
          if try await follow(tenant: tenant) { hasMore = true }
        } onFailure: { tenant, error in
          logger.warning("tenant \(tenant): records are not followed for now: \(error)")
        }
      } catch {
        if !Task.isCancelled { logger.warning("records are not followed for now: \(error)") }
      }
      // While more changes remain, the pause is as long as the work. So at most half of the time of one processor is
      // used.
      let pause = hasMore ? min(clock.now - start, Self.pause) : Self.pause
      do {
        try await Task.sleep(for: pause)
      } catch {
        return
      }
    }
  }

  // MARK: What changes with the date

  /// Updates a tenant's values that depend on the date, and adds the built-in types of service to a new tenant.
  func followDate(tenant: TenantID) async throws {
    let time = now()
    let hasTypes = try await storage.view(tenant: tenant) { view throws(ThingError) in
      let types = try view.values(["code"], ThingQuery<ServiceType>(.oneOf(key: "builtIn", [.bool(true)])))
      return types.count == ServiceType.builtIn.count
    }
    if !hasTypes {
      try await change(tenant, at: time) { transaction throws(ThingError) in try transaction.addServiceTypes() }
    }
    var query = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.servicesToCheck(at: time)
    }
    (query.limit, query.leavesOutUnreadable) = (PendingSchedule.mostVehicles, true)
    repeat {
      try Task.checkCancellation()
      let wanted = query
      let (page, due) = try await storage.view(tenant: tenant) { view throws(ThingError) in
        let page = try view.list(wanted)
        // In other time zones of the tenant, the day may not have begun yet. Such services cause no transaction.
        var due: [Stored<ServiceDue>] = []
        for item in page.items where try view.isToCheck(item.value, at: time) { due.append(item) }
        return (page, due)
      }
      let failures = try await storage.change(each: due, tenant: tenant, by: Actor(.server), at: time) {
        due, transaction throws(ThingError) in try transaction.evaluateServiceByDate(due.id)
      }
      for failure in page.unreadable + failures.map(\.reason) {
        logger.warning("tenant \(tenant): a service is not followed: \(failure)")
      }
      query.cursor = page.next
    } while query.cursor != nil
    for failure in try await followSilence(tenant: tenant, at: time) {
      logger.warning("tenant \(tenant): a silent vehicle is not reported: \(failure)")
    }
  }

  // MARK: Records

  /// Processes the next records of a tenant, for a limited time.
  ///
  /// - Returns: whether more records may have to be processed.
  @discardableResult
  func follow(tenant: TenantID) async throws -> Bool {
    let clock = ContinuousClock()
    var limit = clock.now + Self.share / 2
    var hasMore = true
    while hasMore, clock.now < limit { hasMore = try await readFeed(tenant: tenant) }
    limit = clock.now + Self.share / 2
    var isWaiting = true
    while isWaiting, clock.now < limit { isWaiting = try await serveVehicles(tenant: tenant) }
    return hasMore || isWaiting
  }

  /// Reads the next changes of a tenant's feed, and stores which vehicles have changes to process.
  ///
  /// - Returns: whether the feed contained changes.
  func readFeed(tenant: TenantID) async throws -> Bool {
    let query = ThingQuery<FollowedFeed>(.oneOf(key: "name", [.text(FollowedFeed.recordReader)]))
    let (feed, wanted) = try await storage.view(tenant: tenant) { view throws(ThingError) in
      (try view.first(query), try view.wantedEvents())
    }
    let start = feed?.value.position ?? 0
    let (changes, position) = try await changes(after: start, limit: Self.batch, tenant: tenant)
    guard position != start else { return false }
    var spans: [String: (after: Int64, through: Int64)] = [:]
    for change in changes
    where TroubleReport(change.record) != nil || EndedTrip(change.record) != nil
      || RecordEvent(change.record).map({ wanted.contains($0.event) }) ?? false
    {
      let position = change.position.rawValue
      spans[change.record.vehicle, default: (position - 1, position)].through = position
    }
    let found = spans.sorted { $0.key < $1.key }
    try await change(tenant, at: now()) { transaction throws(ThingError) in
      let present = try transaction.first(query)
      // Another server has already processed these changes. Store nothing.
      guard present?.version == feed?.version else { return }
      for (vehicle, span) in found {
        let waiting = try transaction.first(
          ThingQuery<FollowedVehicle>(.oneOf(key: "vehicleId", [.text(vehicle)])))
        var followed = waiting?.value ?? FollowedVehicle()
        followed.through = span.through
        if let waiting {
          try transaction.update(waiting, to: followed, action: "follow")
        } else {
          (followed.vehicle, followed.after) = (vehicle, span.after)
          try transaction.insert(followed)
        }
      }
      var followed = FollowedFeed()
      (followed.name, followed.position) = (FollowedFeed.recordReader, position)
      if let present {
        try transaction.update(present, to: followed, action: "follow")
      } else {
        try transaction.insert(followed)
      }
    }
    return true
  }

  /// Processes some changes of the vehicles whose last turns were longest ago. If a vehicle's turn fails, it is
  /// repeated after the turns of all other vehicles.
  ///
  /// - Returns: `false` if no vehicle has changes to process, or if a turn failed.
  func serveVehicles(tenant: TenantID) async throws -> Bool {
    let waiting = try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.list(ThingQuery<FollowedVehicle>(order: [.init("servedAt")], limit: Self.vehicles)).items
    }
    guard !waiting.isEmpty else { return false }
    var batch: [Turn] = []
    var isComplete = true
    for followed in waiting {
      do {
        batch.append(try await turn(of: followed, tenant: tenant))
      } catch {
        try await postpone(followed, because: error, tenant: tenant)
        isComplete = false
      }
    }
    do {
      try await apply(batch, tenant: tenant)
    } catch {
      // At least one of these turns failed. Apply each turn alone to find out which.
      for turn in batch {
        do {
          try await apply([turn], tenant: tenant)
        } catch {
          try await postpone(turn.followed, because: error, tenant: tenant)
          isComplete = false
        }
      }
    }
    return isComplete
  }

  /// Prepares a turn of one vehicle: determines the effects of the vehicle's next changes. If all changes were
  /// processed, estimates the values of its meters instead.
  private func turn(of followed: Stored<FollowedVehicle>, tenant: TenantID) async throws -> Turn {
    let (vehicle, through) = (followed.value.vehicle, followed.value.through)
    var turn = Turn(followed: followed, isLast: followed.value.after >= through)
    if turn.isLast {
      var effects: [RecordEffect] = []
      for meter in Meter.allCases {
        if let effect = try await estimate(of: meter, vehicle: vehicle, tenant: tenant) { effects.append(effect) }
      }
      turn.steps = [(through, effects)]
    } else {
      let (changes, end) = try await changes(
        of: vehicle, after: followed.value.after, limit: Self.changesOfTurn, tenant: tenant)
      for change in changes where change.position.rawValue <= through {
        turn.steps.append((change.position.rawValue, try await effects(of: change.record, tenant: tenant)))
      }
      turn.steps.append((min(end, through), []))
    }
    return turn
  }

  /// Applies the effects of several turns in one transaction. After ``patience``, it stops: later turns apply the
  /// remaining effects.
  private func apply(_ batch: [Turn], tenant: TenantID) async throws {
    let time = now()
    let catalog = catalog
    try await change(tenant, at: time) { transaction throws(ThingError) in
      let clock = ContinuousClock()
      let start = clock.now
      var metered: Set<String> = []
      let wanted = try transaction.wantedEvents()
      for turn in batch {
        guard clock.now - start < Self.patience else { break }
        // Another server may have processed this vehicle since the turn was prepared.
        guard let present = try transaction.find(turn.followed.id, FollowedVehicle.self),
          present.version == turn.followed.version
        else { continue }
        var value = present.value
        value.servedAt = time.milliseconds
        let steps = turn.steps
        for (position, effects) in steps {
          for effect in effects {
            try effect.apply(to: transaction, catalog, wanted)
            if let vehicle = effect.meteredVehicle { metered.insert(vehicle) }
          }
          value.after = position
          guard clock.now - start < Self.patience else { break }
        }
        if turn.isLast, try turn.isCurrent(transaction) {
          try transaction.remove(present, action: "follow")
        } else {
          try transaction.update(present, to: value, action: "follow")
        }
      }
      try transaction.evaluateServices(ofVehicles: metered)
    }
  }

  private func postpone(
    _ followed: Stored<FollowedVehicle>, because error: any Error, tenant: TenantID
  ) async throws {
    try Task.checkCancellation()
    logger.warning(
      "tenant \(tenant), vehicle \(followed.value.vehicle): records are not followed for now: \(error)")
    let time = now()
    try await change(tenant, at: time) { transaction throws(ThingError) in
      guard let present = try transaction.find(followed.id, FollowedVehicle.self) else { return }
      var value = present.value
      value.servedAt = time.milliseconds
      try transaction.update(present, to: value, action: "follow")
    }
  }

  /// Returns the next changes of one vehicle or, if `vehicle` is `nil`, of all vehicles; and the position after which
  /// the next call must continue.
  private func changes(
    of vehicle: String? = nil, after start: Int64, limit: Int, tenant: TenantID
  ) async throws -> (changes: [FeedChange], position: Int64) {
    do throws(StorageError) {
      let (changes, position) = try await storage.changes(
        of: Self.classes, vehicle: vehicle, after: FeedPosition(rawValue: start), limit: limit, tenant: tenant)
      return (changes, position.rawValue)
    } catch {
      switch error.kind {
      case .positionGone:
        // No server has read the feed for a long time.
        let whose = vehicle.map { ", vehicle \($0)" } ?? ""
        logger.warning(
          "tenant \(tenant)\(whose): changes of records are no longer stored; their readings and codes are missing")
      // The vehicle was removed since its changes were found.
      case .notFound where vehicle != nil: break
      default: throw error
      }
      return ([], try await storage.feedPosition(tenant: tenant).rawValue)
    }
  }

  private func change<Value: Sendable>(
    _ tenant: TenantID, at time: Timestamp,
    _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
  ) async throws(ThingError) -> Value {
    try await storage.change(tenant: tenant, by: Actor(.server), at: time, work)
  }
}

/// A turn of one vehicle: the effects of its next changes.
private struct Turn: Sendable {
  let followed: Stored<FollowedVehicle>
  /// Whether no changes of the vehicle's records are left to process. If `true`, the turn only estimates the values of
  /// the vehicle's meters.
  let isLast: Bool
  /// The effects to apply, in steps. After a step, all changes up to its `position` in the feed have been processed.
  var steps: [(position: Int64, effects: [RecordEffect])] = []

  /// Whether the readings from which the values of the meters were estimated are still the newest ones.
  func isCurrent(_ view: any FleetView) throws(ThingError) -> Bool {
    for (_, effects) in steps {
      for case .estimate(let meter, _, let last, let vehicle) in effects {
        guard try view.lastReading(of: meter, vehicle: vehicle) == last else { return false }
      }
    }
    return true
  }
}
