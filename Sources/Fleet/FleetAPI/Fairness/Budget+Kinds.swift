extension Budget {
  /// Creates a budget of memory for requests and live connections.
  ///
  /// - Parameter bytes: the total; above 0.
  static func memory(_ bytes: Int) -> Budget {
    Budget(
      bytes, patience: .seconds(2),
      refusal: APIError(
        .serviceUnavailable, "busy",
        "the requests of this key, its tenant or all tenants use the memory that they may; try again",
        retryAfter: 2))
  }

  /// Creates a budget of permits for queries that may take long. It leaves one database connection free for looking up
  /// keys and for short queries.
  ///
  /// - Parameters:
  ///   - permits: the total; above 0.
  ///   - seconds: the maximum time that a query waits for a permit.
  static func queryPermits(_ permits: Int, within seconds: Int) -> Budget {
    Budget(
      permits, fairness: Fairness(group: 3), patience: .seconds(seconds),
      refusal: APIError(
        .serviceUnavailable, "busy", "the database is busy with other queries; try again", retryAfter: 5))
  }
}

extension Budget.Share {
  /// Memory that is reserved for each byte of a body. The body's buffer may have twice the body's length. The parsed
  /// records and the data for the database each contain the body once more.
  static let bytesForOne = 4
  /// Memory that each record needs in addition, for the record itself or for the reason why it is rejected.
  static let bytesForRecord = 512

  /// Reserves memory for a body of this length.
  func makeRoom(forBody bytes: Int) async throws(APIError) { try await grow(to: bytes * Self.bytesForOne) }
}
