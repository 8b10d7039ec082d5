import FleetDomain
import Logging
import Synchronization

/// Sends stored records to the live connections. Each tenant with listeners has a task. The task reads the tenant's
/// feed when the storage announces a change, no matter which process stored it.
final class LiveFeed: Sendable {
  private enum State {
    /// The tasks that wait until its first position is known.
    case starting([CheckedContinuation<Void, any Error>])
    case running
  }

  /// The maximum number of changes in one read.
  private static let page = 1_024
  /// The pauses after failed reads: the first one, and the longest one after repeated doubling.
  private static let pauses = (first: Duration.milliseconds(100), longest: Duration.seconds(5))

  private let storage: any FleetStorage
  private let hub: LiveHub
  private let visibility: LiveVisibilityStore
  private let logger: Logger
  private let tenants = Mutex<[TenantID: State]>([:])
  /// The last task that was started for each tenant.
  private let tasks = Mutex<[TenantID: Task<Void, Never>]>([:])
  /// The calls that wait for the next read of a tenant's position. A tenant without an entry has no read in progress.
  private let positions = Mutex<[TenantID: [CheckedContinuation<FeedPosition, any Error>]]>([:])

  init(storage: any FleetStorage, hub: LiveHub, visibility: LiveVisibilityStore, logger: Logger) {
    self.storage = storage
    self.hub = hub
    self.visibility = visibility
    self.logger = logger
  }

  /// Starts to publish a tenant's records. Returns when every record that is stored from now on reaches the tenant's
  /// listeners.
  ///
  /// - Throws: errors of the storage while the feed's position is read. The next call tries again.
  func follow(_ tenant: TenantID) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let (isNew, isRunning) = tenants.withLock { tenants in
        switch tenants[tenant] {
        case .running: return (false, true)
        case .starting(let waiting):
          tenants[tenant] = .starting(waiting + [continuation])
          return (false, false)
        case nil:
          tenants[tenant] = .starting([continuation])
          return (true, false)
        }
      }
      if isRunning { continuation.resume() }
      if isNew {
        let caller = StorageCaller(tenant: tenant, key: nil)
        tasks.withLock {
          $0[tenant] = Task { await StorageCaller.$current.withValue(caller) { await self.run(tenant) } }
        }
      }
    }
  }

  /// Returns the newest position of a tenant, read after the call. Calls during a read share the next read, so that
  /// each tenant has only one read in progress.
  ///
  /// - Throws: errors of the storage.
  func position(of tenant: TenantID) async throws -> FeedPosition {
    try await withCheckedThrowingContinuation { continuation in
      let isFirst = positions.withLock { positions in
        defer { positions[tenant, default: []].append(continuation) }
        return positions[tenant] == nil
      }
      if isFirst { Task { await readPositions(of: tenant) } }
    }
  }

  private func readPositions(of tenant: TenantID) async {
    while true {
      let waiting = positions.withLock { positions in
        let waiting = positions[tenant] ?? []
        positions[tenant] = waiting.isEmpty ? nil : []
        return waiting
      }
      guard !waiting.isEmpty else { return }
      let result: Result<FeedPosition, any Error>
      do {
        result = .success(
          try await StorageCaller.$current.withValue(StorageCaller(tenant: tenant, key: nil)) {
            try await storage.feedPosition(tenant: tenant)
          })
      } catch {
        result = .failure(error)
      }
      for continuation in waiting { continuation.resume(with: result) }
    }
  }

  /// Ends all tasks.
  func stop() {
    for task in tasks.withLock({ $0 }).values { task.cancel() }
  }

  private func run(_ tenant: TenantID) async {
    // Subscribe to announcements before the position is read, so that none is lost.
    let announcements = storage.announcements(tenant: tenant)
    var position: FeedPosition
    do {
      position = try await storage.feedPosition(tenant: tenant)
    } catch {
      for continuation in begin(tenant, as: nil) { continuation.resume(throwing: error) }
      return
    }
    for continuation in begin(tenant, as: .running) { continuation.resume() }
    for await announced in announcements where !Task.isCancelled {
      position = await advance(tenant, from: position, to: announced)
    }
  }

  /// - Returns: the tasks that wait for the first position.
  private func begin(_ tenant: TenantID, as state: State?) -> [CheckedContinuation<Void, any Error>] {
    tenants.withLock { tenants in
      guard case .starting(let waiting) = tenants[tenant] else { return [] }
      tenants[tenant] = state
      return waiting
    }
  }

  /// Reads and publishes new changes. A read that fails is repeated until it succeeds.
  ///
  /// - Returns: the position that it reached.
  private func advance(
    _ tenant: TenantID, from start: FeedPosition, to announced: FeedPosition
  ) async -> FeedPosition {
    var position = start
    var pause = Self.pauses.first
    // Without listeners, nothing is read. A later subscriber reads older records from the store.
    while position < announced, hub.hasListeners(tenant), !Task.isCancelled {
      do {
        let changes = try await storage.changes(after: position, limit: Self.page, tenant: tenant)
        guard let last = changes.last else { return announced }
        let visible = try await visibility.visibility(of: tenant, for: hub.restrictedChannels(of: tenant))
        await hub.publish(changes.map(LiveRecord.init), as: visible, tenant: tenant)
        position = last.position
        pause = Self.pauses.first
      } catch let error as StorageError where error.kind == .positionGone {
        logger.warning("live feed of \(tenant): changes after \(position.rawValue) are no longer stored")
        hub.endSubscriptions(tenant, APIError(error, logger: logger))
        return announced
      } catch {
        logger.error("live feed of \(tenant): \(error); trying again")
        if (try? await Task.sleep(for: pause)) == nil { return position }
        pause = min(pause * 2, Self.pauses.longest)
      }
    }
    return Task.isCancelled ? position : max(position, announced)
  }
}

extension LiveRecord {
  init(_ change: FeedChange) {
    self.init(
      number: change.position.rawValue, vehicle: change.record.vehicle, vin: change.vin, time: change.record.time,
      body: change.record.json)
  }
}
