import Telemetry

/// Checks the entries of a tenant's audit in their order. Each entry's hash must match its content and the hash of the
/// previous entry.
///
/// ```
/// var verification = AuditVerification()
/// while try await verification.checkPage(of: storage, tenant: tenant) {}
/// ```
public struct AuditVerification: Sendable {
  /// The fault of an audit.
  public enum Fault: Error, Equatable, Sendable {
    /// The entry with this number was changed, removed or inserted. All earlier entries are unchanged.
    case changed(Int64)
    /// The content of the entry with this number is unchanged, but the database columns for its time or thing no longer
    /// agree with this content.
    case misfiled(Int64)
    /// The last entry that was found (number `found`) does not match the number (`counted`) and the hash that the
    /// database stores for the last entry.
    case miscounted(found: Int64, counted: Int64)
    /// The entries after number `found` were removed. The database stores that the last entry had the number `counted`.
    case endRemoved(found: Int64, counted: Int64)
  }

  /// Number of entries that ``checkPage(of:tenant:visit:)`` reads in one call.
  private static let pageSize = 1_000

  /// The number of the last entry that was checked.
  public private(set) var number: Int64
  /// The hash of the last entry that was checked.
  public private(set) var hash: [UInt8]

  /// Begins a verification.
  ///
  /// - Parameters:
  ///   - number: the number of the last entry that was already checked; 0 to begin with the first entry.
  ///   - hash: the hash of that entry.
  public init(after number: Int64 = 0, hash: [UInt8] = AuditEntry.firstHash) {
    self.number = number
    self.hash = hash
  }

  /// Checks the next entry.
  public mutating func check(_ entry: AuditEntry) throws(Fault) {
    guard entry.number == number + 1, entry.hash == AuditEntry.hash(entry.content, after: hash),
      entry.content["number"]?.integerValue == entry.number
    else { throw .changed(number + 1) }
    guard entry.isFoundByContent else { throw .misfiled(entry.number) }
    (number, hash) = (entry.number, entry.hash)
  }

  /// Reads and checks the next 1,000 entries. After the last entry, also compares its number and hash with the stored
  /// ones.
  ///
  /// - Parameters:
  ///   - visit: called after each checked entry.
  ///   - check: checks the entries that were read, and returns the new state; `nil` to check them in the current task.
  /// - Returns: whether there may be more entries.
  /// - Throws: ``Fault``; errors of the storage and of `visit`.
  public mutating func checkPage(
    of storage: any FleetStorage, tenant: TenantID, visit: (AuditVerification) throws -> Void = { _ in },
    with check: ((AuditVerification, [AuditEntry]) async throws -> AuditVerification)? = nil
  ) async throws -> Bool {
    let entries = try await storage.auditEntries(after: number, limit: Self.pageSize, tenant: tenant)
    if let check {
      self = try await check(self, entries)
    } else {
      for entry in entries {
        try self.check(entry)
        try visit(self)
      }
    }
    guard entries.count < Self.pageSize else { return true }
    // More entries may have been added since the last page was read.
    let head = try await storage.auditHead(tenant: tenant)
    guard head.number > number || head.number == number && head.hash == hash else {
      throw Fault.miscounted(found: number, counted: head.number)
    }
    if head.number > number,
      try await storage.auditEntries(after: number, limit: 1, tenant: tenant).first?.number != number + 1
    {
      throw Fault.endRemoved(found: number, counted: head.number)
    }
    return false
  }
}
