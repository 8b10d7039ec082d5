import Telemetry

extension ThingError {
  /// Whether the error was caused by a row that cannot be read.
  public var isUnreadable: Bool { if case .storage(let error) = self { error.kind == .damaged } else { false } }

  /// Whether the same attempt would fail again, because the error comes from the values and not from the database's
  /// state.
  public var isPermanent: Bool { if case .storage = self { isUnreadable } else { true } }

  /// The description of the error as one line of text.
  public var reason: String { if case .storage(let error) = self { error.description } else { "\(self)" } }
}

extension FleetStorage {
  /// Changes several things in one transaction. If a row that a change needs cannot be read, each thing is changed in
  /// its own transaction, so that the other things are still changed.
  ///
  /// - Returns: an error for each change that failed because a row could not be read; empty if all changes were made.
  public func change<Item: Sendable>(
    each items: [Item], tenant: TenantID, by actor: Actor, at now: Timestamp,
    _ work: @escaping @Sendable (Item, any FleetTransaction) throws(ThingError) -> Void
  ) async throws(ThingError) -> [ThingError] {
    guard !items.isEmpty else { return [] }
    do throws(ThingError) {
      try await change(tenant: tenant, by: actor, at: now) { transaction throws(ThingError) in
        for item in items { try work(item, transaction) }
      }
      return []
    } catch {
      guard error.isUnreadable else { throw error }
      if items.count == 1 { return [error] }
    }
    var failures: [ThingError] = []
    for item in items {
      do throws(ThingError) {
        try await change(tenant: tenant, by: actor, at: now) { transaction throws(ThingError) in
          try work(item, transaction)
        }
      } catch {
        guard error.isUnreadable else { throw error }
        failures.append(error)
      }
    }
    return failures
  }
}
