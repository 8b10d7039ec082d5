import Telemetry

/// Checks the entries of a tenant's audit in their order: each against the hash of the one before it.
///
/// ```
/// var verification = AuditVerification()
/// while try await verification.checkPage(of: storage, tenant: tenant) {}
/// ```
public struct AuditVerification: Sendable {
  /// What is wrong with an audit.
  public enum Fault: Error, Equatable, Sendable {
    /// The entry with this number was changed, removed or inserted. Those before it are as they were written.
    case changed(Int64)
    /// The time or the thing of the entry with this number was changed beside its content.
    case misfiled(Int64)
    /// The database has another number of entries than it counted.
    case miscounted(found: Int64, counted: Int64)
    /// The last entries were removed.
    case endRemoved(found: Int64, counted: Int64)
  }

  /// The number of entries that are read at once.
  private static let pageSize = 1_000

  /// The number of the last entry that was checked.
  public private(set) var number: Int64
  /// The hash of this entry.
  public private(set) var hash: [UInt8]

  /// - Parameters:
  ///   - number: the number of an entry that was checked before; 0 to begin with the first one.
  ///   - hash: the hash of this entry.
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

  /// Reads and checks the next entries. After the last ones, it also checks their number.
  ///
  /// - Parameter visit: called after each entry that was checked.
  /// - Returns: whether there may be more.
  /// - Throws: ``Fault``; errors of the storage and of `visit`.
  public mutating func checkPage(
    of storage: any FleetStorage, tenant: TenantID, visit: (AuditVerification) throws -> Void = { _ in }
  ) async throws -> Bool {
    let entries = try await storage.auditEntries(after: number, limit: Self.pageSize, tenant: tenant)
    for entry in entries {
      try check(entry)
      try visit(self)
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
