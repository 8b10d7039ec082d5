import FleetDomain

/// Reads audit entries from the columns `number`, `hash` and `content`.
enum AuditRow {
  static func entry(_ row: SQLRow) throws(StoreFailure) -> AuditEntry {
    do throws(FieldError) {
      return AuditEntry(
        number: row.integer(0), hash: row.bytes(1), content: try JSON(parsing: Array(row.text(2).utf8)))
    } catch {
      throw StoreFailure(.damaged, "audit", "entry \(row.integer(0)): \(error.message)")
    }
  }
}

extension AuditEntry {
  /// Returns the entry with decrypted values. Values that were encrypted with another key remain encrypted.
  func opened(with seal: PersonalSeal) -> AuditEntry {
    guard case .object(var members) = content else { return self }
    for key in ["before", "after"] {
      guard case .object(let values)? = members[key] else { continue }
      members[key] = .object(values.mapValues { seal.open($0) ?? $0 })
    }
    return AuditEntry(number: number, hash: hash, content: .object(members))
  }
}
