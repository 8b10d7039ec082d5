extension Budget {
  /// Memory for requests and live connections.
  ///
  /// - Parameter bytes: above 0.
  static func memory(_ bytes: Int) -> Budget {
    Budget(
      bytes, patience: .seconds(2),
      refusal: APIError(
        .serviceUnavailable, "busy",
        "the requests of this key, its tenant or all tenants use the memory that they may; try again",
        retryAfter: 2))
  }

  /// Permits for questions whose answers take long. One connection to the database is always left for keys and for short
  /// questions.
  ///
  /// - Parameters:
  ///   - permits: above 0.
  ///   - seconds: how long a question waits for one.
  static func questions(_ permits: Int, within seconds: Int) -> Budget {
    Budget(
      permits, fairness: Fairness(group: 3), patience: .seconds(seconds),
      refusal: APIError(
        .serviceUnavailable, "busy", "other questions keep the database busy; try again", retryAfter: 5))
  }
}

extension Budget.Share {
  /// Bytes that a byte of a body needs: the buffer that it is unpacked into has up to twice its length, its records hold it
  /// once more, and so does what goes to the database.
  static let bytesForOne = 4
  /// Bytes that a record needs besides its own, or the reason why it was refused.
  static let bytesForRecord = 512

  /// Holds memory for a body of so many bytes.
  func makeRoom(forBody bytes: Int) async throws(APIError) { try await grow(to: bytes * Self.bytesForOne) }
}
