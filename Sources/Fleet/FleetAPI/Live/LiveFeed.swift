import FleetDomain
import FleetFigures
import Logging
import Synchronization

/// Sends stored records to the live connections. For each tenant with listeners, a task waits for announcements of the
/// storage. It reads the tenant's feed when any process has stored a change.
final class LiveFeed: Sendable {
  private enum State {
    /// The first position of the feed is being read. The array contains the calls that wait for it.
    case starting([CheckedContinuation<Void, any Error>])
    case running
  }

  /// The maximum number of changes in one read of the feed.
  private static let page = 1_024
  /// The pauses after failed reads. The pause is `first` after the first failure, and doubles with each further failure
  /// up to `longest`.
  private static let pauses = (first: Duration.milliseconds(100), longest: Duration.seconds(5))

  private let storage: any FleetStorage
  private let hub: LiveHub
  private let visibility: LiveVisibilityStore
  private let logger: Logger
  private let tenants = Mutex<[TenantID: State]>([:])
  /// The newest task of each tenant.
  private let tasks = Mutex<[TenantID: Task<Void, Never>]>([:])
  /// The calls that wait for the next read of a tenant's position. A tenant without an entry has no read in progress.
  private let positions = Mutex<[TenantID: [CheckedContinuation<FeedPosition, any Error>]]>([:])

  init(storage: any FleetStorage, hub: LiveHub, visibility: LiveVisibilityStore, logger: Logger) {
    self.storage = storage
    self.hub = hub
    self.visibility = visibility
    self.logger = logger
  }

  /// Begins to publish a tenant's records. Every record that is stored after this call reaches the tenant's listeners.
  ///
  /// - Throws: an error of the storage if the feed's position cannot be read. The next call tries again.
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

  /// Returns the newest position of a tenant's feed. The read begins after the call. All calls that arrive during a
  /// read share the next read, so that each tenant has at most one read in progress.
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

  /// Ends the tasks of all tenants.
  func stop() {
    for task in tasks.withLock({ $0 }).values { task.cancel() }
  }

  private func run(_ tenant: TenantID) async {
    // Subscribe to announcements before the position is read, so that no announcement is lost.
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

  /// Sets the state of a tenant that is in the state `starting`. Does nothing in any other state.
  ///
  /// - Parameter state: the new state; `nil` to remove the tenant.
  /// - Returns: the calls that waited for the first position.
  private func begin(_ tenant: TenantID, as state: State?) -> [CheckedContinuation<Void, any Error>] {
    tenants.withLock { tenants in
      guard case .starting(let waiting) = tenants[tenant] else { return [] }
      tenants[tenant] = state
      return waiting
    }
  }

  /// Reads the changes up to the announced position, and publishes them. If a read fails, tries again until it
  /// succeeds.
  ///
  /// - Returns: the position up to which changes were read.
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
        let records = changes.map(LiveRecord.init)
        let visible = try await visibility.visibility(
          of: records, tenant: tenant, for: hub.restrictedChannels(of: tenant))
        await hub.publish(records, as: visible, tenant: tenant)
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
      trip: EndedTrip(change.record), body: change.record.json)
  }
}
