extension Budget {
  /// Memory for requests and live connections.
  ///
  /// - Parameter bytes: above 0.
  static func memory(_ bytes: Int) -> Budget {
    Budget(
      bytes, patience: .seconds(2),
      refusal: APIError(
        .serviceUnavailable, "busy", "the server has as much under way as its memory allows; try again", retryAfter: 2))
  }

  /// Places for questions whose answers take long: one connection to the database is always left for keys and for what
  /// is short.
  ///
  /// - Parameters:
  ///   - places: above 0.
  ///   - seconds: how long to wait for one.
  static func questions(_ places: Int, within seconds: Int) -> Budget {
    Budget(
      places, patience: .seconds(seconds),
      refusal: APIError(
        .serviceUnavailable, "busy", "other questions keep the database busy; try again", retryAfter: 5))
  }
}

extension Budget.Share {
  /// Of a byte of a body: what it is unpacked into may have grown to twice what it needs, its records have it once more,
  /// and so has what goes to the database.
  static let bytesForOne = 4
  /// Of a record besides its bytes, or of the reason why it was refused.
  static let bytesForRecord = 512
}

extension RequestMemory {
  /// Room for a body of so many bytes, and some for what follows.
  func makeRoom(forBody bytes: Int) async throws(APIError) { try await grow(to: bytes * Budget.Share.bytesForOne) }
}
