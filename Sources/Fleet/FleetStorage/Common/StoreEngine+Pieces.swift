import FleetDomain

extension StoreEngine {
  /// Deletes records in pieces, each in a transaction of its own, until none are left or the task is cancelled. The
  /// deleted records are counted in ``tally``.
  ///
  /// - Parameters:
  ///   - start: the position of the first piece.
  ///   - remove: deletes the piece at a position. Returns the number of deleted records and the position of the next
  ///     piece, which is `nil` at the end.
  /// - Returns: the number of deleted records.
  func removeInPieces<Place: Sendable>(
    from start: Place,
    _ remove: @escaping @Sendable (any StoreSession, Place) throws(StoreFailure) -> (removed: Int64, next: Place?)
  ) async throws(StorageError) -> Int64 {
    var (total, next): (Int64, Place?) = (0, start)
    while let place = next, !Task.isCancelled {
      let piece = try await write { session throws(StoreFailure) in try remove(session, place) }
      next = piece.next
      total += piece.removed
      tally.add(records: piece.removed)
    }
    return total
  }

  /// Deletes records in pieces, as ``removeInPieces(from:_:)`` does.
  ///
  /// - Parameter remove: deletes a piece. Returns the number of deleted records; 0 if no record was left.
  func removeInPieces(
    _ remove: @escaping @Sendable (any StoreSession) throws(StoreFailure) -> Int64
  ) async throws(StorageError) -> Int64 {
    try await removeInPieces(from: true) { session, _ throws(StoreFailure) in
      let removed = try remove(session)
      return (removed, removed == 0 ? nil : true)
    }
  }
}
