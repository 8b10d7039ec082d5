import FleetDomain

/// The tenants whose uploaded images and models are processed at this moment. At most one file of each tenant is
/// processed at a time. The tenant that has waited for the longest time is next.
struct FileTurns {
  /// The maximum number of tenants whose files are processed at the same time.
  let most: Int
  private(set) var busy: Set<TenantID> = []
  /// The tenants that get no further turn until ``retry()`` is called, because no file of them could be processed.
  private var paused: Set<TenantID> = []
  /// For each tenant that waits or is served, the number of its last turn.
  private var turns: [TenantID: Int] = [:]
  private var last = 0

  init(most: Int) { self.most = most }

  /// Begins the turns of the next tenants.
  ///
  /// - Parameter waiting: the tenants with files to process.
  /// - Returns: the tenants whose turns begin. Each turn must be ended.
  mutating func begin(_ waiting: [TenantID]) -> [TenantID] {
    let present = busy.union(waiting)
    turns = turns.filter { present.contains($0.key) }
    let ready = waiting.filter { !busy.contains($0) && !paused.contains($0) }
    let next = ready.sorted { turns[$0] ?? 0 < turns[$1] ?? 0 }.prefix(max(most - busy.count, 0))
    for tenant in next {
      last += 1
      turns[tenant] = last
      busy.insert(tenant)
    }
    return Array(next)
  }

  /// Ends the turn of a tenant.
  ///
  /// - Parameter pauses: whether the tenant gets no further turn until ``retry()`` is called.
  mutating func end(_ tenant: TenantID, pauses: Bool) {
    busy.remove(tenant)
    if pauses { paused.insert(tenant) }
  }

  /// Lets all tenants have turns again.
  mutating func retry() { paused = [] }
}
