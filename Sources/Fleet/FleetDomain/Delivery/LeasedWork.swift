import Telemetry

/// The progress of work that is done again and again for one thing, and the server that does it now. It has the same ID
/// as the thing.
///
/// Several servers may share one database. A server leases the work before it begins. If the server stops, another one
/// continues after the lease has expired.
public protocol LeasedWork: Kind {
  /// The key of the field with the time from which the work is due. While the work is not to be done, the field has no
  /// value.
  static var dueKey: String { get }
  /// The holder of the lease until ``leaseUntil``; `nil` if nobody has it.
  var leaseHolder: UUIDv7? { get set }
  var leaseUntil: Timestamp? { get set }
  /// Number of failures since the last success.
  var failures: Int64 { get set }
}

extension LeasedWork {
  public static var dueKey: String { "nextAt" }

  /// The conditions for work that is due, and that nobody does now.
  public static func due(at time: Timestamp) -> [ThingQuery<Self>.Condition] {
    [
      .atMost(key: dueKey, time.json),
      .anyOf([[.oneOf(key: "leaseUntil", [.null])], [.below(key: "leaseUntil", time.json)]]),
    ]
  }
}

extension FleetTransaction {
  /// Leases the work that has been due for the longest time.
  ///
  /// - Parameters:
  ///   - conditions: additional conditions for the work.
  ///   - holder: the holder of the lease. Use a new one each time, because the same server may take the work again after
  ///     a lease has expired.
  ///   - seconds: duration of the lease.
  /// - Returns: `nil` if no work is due.
  public func lease<Work: LeasedWork>(
    _ kind: Work.Type, where conditions: [ThingQuery<Work>.Condition] = [], to holder: UUIDv7, seconds: Int
  ) throws(ThingError) -> Stored<Work>? {
    var query = ThingQuery<Work>(order: [.init(Work.dueKey)])
    query.conditions = Work.due(at: now) + conditions
    guard let stored = try first(query) else { return nil }
    var leased = stored.value
    (leased.leaseHolder, leased.leaseUntil) = (holder, now.adding(seconds: seconds))
    return try update(stored, to: leased, action: "lease")
  }

  /// Returns leased work; `nil` if the holder no longer has the lease.
  public func leased<Work: LeasedWork>(
    _ id: UUIDv7, _ kind: Work.Type, to holder: UUIDv7
  ) throws(ThingError) -> Stored<Work>? {
    guard let stored = try find(id, kind), stored.value.leaseHolder == holder else { return nil }
    return stored
  }
}
