import Telemetry

/// The progress of work that is done repeatedly for one thing, with the lease of the server that does it now. Its ID is
/// the ID of the thing.
///
/// Several servers may share one database. A server leases the work before it begins. If the server stops, another one
/// continues after the lease has expired.
public protocol LeasedWork: Kind {
  /// The key of the field that contains the time from which the work is due. If there is nothing to do, the field has
  /// no value.
  static var dueKey: String { get }
  /// The holder of the lease until ``leaseUntil``; `nil` if there is no lease.
  var leaseHolder: UUIDv7? { get set }
  /// Time at which the lease expires; `nil` if there is no lease.
  var leaseUntil: Timestamp? { get set }
  /// Number of failures since the last success.
  var failures: Int64 { get set }
}

extension LeasedWork {
  public static var dueKey: String { "nextAt" }

  /// Returns the conditions for work that is due and for which no server has a valid lease.
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
  ///   - holder: a new ID for this lease. Use each ID only once, because the same server may lease the same work again
  ///     after an earlier lease has expired.
  ///   - seconds: the duration of the lease, s.
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
