extension Budget {
  /// Creates a budget of memory for requests and live connections.
  ///
  /// - Parameter bytes: the total memory in bytes; above 0.
  static func memory(_ bytes: Int) -> Budget {
    Budget(
      bytes, patience: .seconds(2),
      refusal: APIError(
        .serviceUnavailable, "busy",
        "the requests of this key, its tenant or all tenants use the memory that they may; try again",
        retryAfter: 2))
  }

  /// Creates a budget of permits for queries that may take long. The number of permits must leave one database
  /// connection free for short queries and for looking up keys.
  ///
  /// - Parameters:
  ///   - permits: the total number of permits; above 0.
  ///   - seconds: the maximum time that a query waits for a permit.
  static func queryPermits(_ permits: Int, within seconds: Int) -> Budget {
    Budget(
      permits, fairness: Fairness(group: 3), patience: .seconds(seconds),
      refusal: APIError(
        .serviceUnavailable, "busy", "the database is busy with other queries; try again", retryAfter: 5))
  }
}

extension Budget.Share {
  /// Bytes of memory that are reserved for each byte of a body. The body's buffer may be twice as long as the body. The
  /// parsed records and the data for the database each contain the body once more.
  static let bytesForOne = 4
  /// Bytes of memory that each record needs in addition: for the record itself, or for the reason why it is rejected.
  static let bytesForRecord = 512

  /// Reserves memory for a body with a length of `bytes`.
  func makeRoom(forBody bytes: Int) async throws(APIError) { try await grow(to: bytes * Self.bytesForOne) }
}
