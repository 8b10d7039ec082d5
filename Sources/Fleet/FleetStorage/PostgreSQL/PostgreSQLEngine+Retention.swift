import FleetDomain
import Telemetry

extension PostgreSQLEngine {
  /// Removes records that are older than the cutoff, and returns their number. A partition that contains only such
  /// records is dropped. From other partitions of past months, and from the partition `odd`, single rows are deleted.
  /// To find these rows, the whole partition must be read. Therefore it is read again only after the cutoff has
  /// advanced by a day.
  func removeRecords(_ recordClass: RecordClass, _ bounds: RetentionBounds) async throws(StorageError) -> Int64 {
    let parts = try await onSession { session throws(StoreFailure) in
      try session.partitions(of: recordClass, from: .min, through: .max)
    }
    var total: Int64 = 0
    for part in parts where part.limits.least < bounds.time {
      if let month = part.name.month {
        guard month.isOver(by: bounds.cutoff, at: bounds.now) else { continue }
        let dropped = try await onSession { session throws(StoreFailure) in try session.drop(part.name, bounds) }
        if let dropped {
          partitions.forget()
          total += dropped
          tally.add(records: dropped)
          continue
        }
      }
      let isThin = try await onSession { session throws(StoreFailure) in try session.isThin(part.name, bounds) }
      if !isThin { total += try await thin(part.name, bounds) }
    }
    return total
  }

  private func thin(
    _ name: PostgreSQLPartitions.Name, _ bounds: RetentionBounds
  ) async throws(StorageError) -> Int64 {
    let pages = try await onSession { session throws(StoreFailure) in try session.pages(of: name) }
    var total: Int64 = 0
    for page in stride(from: 0, to: pages, by: Int(PostgreSQLSession.pages)) where !Task.isCancelled {
      let removed = try await onSession { session throws(StoreFailure) in
        try session.thin(name, bounds, from: page)
      }
      total += removed
      tally.add(records: removed)
    }
    if !Task.isCancelled {
      try await onSession { session throws(StoreFailure) in try session.recordThinning(name, bounds) }
    }
    return total
  }

  func removeRecords(tenant: Int32, vehicle: Int32) async throws(StorageError) -> Int64 {
    var total: Int64 = 0
    for recordClass in RecordClass.allCases {
      let parts = try await onSession { session throws(StoreFailure) in
        try session.partitions(of: recordClass, from: .min, through: .max)
      }
      for part in parts {
        var next: UUIDv7?
        repeat {
          guard !Task.isCancelled else { return total }
          let first = next
          let piece = try await onSession { session throws(StoreFailure) in
            try session.removePiece(tenant: tenant, vehicle: vehicle, part.name, from: first)
          }
          next = piece.next
          total += piece.removed
          tally.add(records: piece.removed)
        } while next != nil
      }
    }
    try await onSession { session throws(StoreFailure) in
      try session.finishRemoval(tenant: tenant, vehicle: vehicle)
    }
    return total
  }

  /// Runs ``write(_:)`` with its session as a ``PostgreSQLSession``.
  private func onSession<Value: Sendable>(
    _ work: @escaping @Sendable (PostgreSQLSession) throws(StoreFailure) -> Value
  ) async throws(StorageError) -> Value {
    try await write { session throws(StoreFailure) in
      guard let session = session as? PostgreSQLSession else {
        throw StoreFailure(.system, "PostgreSQL", "not its own transaction")
      }
      return try work(session)
    }
  }
}
