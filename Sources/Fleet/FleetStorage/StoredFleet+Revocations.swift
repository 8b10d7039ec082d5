import FleetDomain
import Telemetry

extension StoredFleet {
  public func revocations(
    after position: RevocationPosition?, limit: Int
  ) async throws(StorageError) -> Revocations {
    try await engine.read { session throws(StoreFailure) in
      let last = try session.rows("SELECT max(number) FROM revocation", []).first?.integer(0) ?? 0
      guard let position else { return Revocations(tokens: [:], position: RevocationPosition(rawValue: last)) }
      let rows = try session.rows(
        """
        SELECT number, tenant.id, revocation.token FROM revocation JOIN tenant ON tenant.key = revocation.tenant
        WHERE number > $1 ORDER BY number LIMIT $2
        """, [.integer(position.rawValue), .integer(Int64(max(limit, 1)))])
      var tokens: [TenantID: Set<UUIDv7>] = [:]
      for row in rows {
        guard let tenant = TenantID(row.text(1)), let id = row.identifier(2) else { continue }
        tokens[tenant, default: []].insert(id)
      }
      // The numbers of revocations are consecutive. If the number after the position is missing, that revocation was
      // deleted. If the position is higher than the last number, the database was restored from a backup.
      let isComplete = rows.first.map { $0.integer(0) == position.rawValue + 1 } ?? (position.rawValue == last)
      let end = isComplete ? rows.last?.integer(0) ?? last : last
      return Revocations(
        tokens: tokens, position: RevocationPosition(rawValue: end), isComplete: isComplete, isLast: end == last)
    }
  }
}

extension StoreSession {
  /// Stores the IDs of tokens that were revoked, or of sessions that ended, so that all servers close the live
  /// connections of these tokens and sessions.
  func recordRevocation(_ tokens: [UUIDv7], tenant: Int32) throws(StoreFailure) {
    // Only one transaction at a time may add numbers. Thus, when a reader sees a number, all lower numbers are
    // committed.
    try lockRevocations()
    var number = try rows("SELECT max(number) FROM revocation", []).first?.integer(0) ?? 0
    for token in tokens {
      number += 1
      try run(
        "INSERT INTO revocation (number, tenant, token) VALUES ($1, $2, $3)",
        [.integer(number), SQLValue(tenant), .identifier(token)])
    }
    try run("DELETE FROM revocation WHERE number <= $1", [.integer(number - RevocationList.length)])
  }
}

enum RevocationList {
  /// Maximum number of stored revocations. It is sufficient, because each server reads new revocations every second.
  static let length: Int64 = 10_000
}
