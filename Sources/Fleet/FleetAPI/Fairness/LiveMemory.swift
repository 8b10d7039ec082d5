/// Memory of live connections: data that wait to be sent to slow readers, and older records that are being sent. It is
/// at most half of the server's memory: slow readers hold memory for a long time, and requests need the other half.
final class LiveMemory: Sendable {
  /// The memory of all requests and live connections, of which this is a part.
  let server: Budget
  private let live: Budget

  init(_ server: Budget) {
    self.server = server
    live = .memory(max(server.capacity / 2, 1))
  }

  /// Takes an amount if the holder may have it now. Returns whether it was taken.
  func acquireNow(_ amount: Int, for holder: Holder) -> Bool {
    guard live.acquireNow(amount, for: holder) else { return false }
    guard server.acquireNow(amount, for: holder) else {
      live.release(amount, from: holder)
      return false
    }
    return true
  }

  func release(_ amount: Int, from holder: Holder) {
    live.release(amount, from: holder)
    server.release(amount, from: holder)
  }

  /// Takes an amount.
  ///
  /// - Throws: 503 if the holder cannot have it in time.
  func acquire(_ amount: Int, for holder: Holder) async throws(APIError) -> Share {
    let share = Share(live.share(of: holder), server.share(of: holder))
    try await share.grow(to: amount)
    return share
  }

  /// The memory of one page of older records. It is returned when the share is released.
  final class Share: Sendable {
    private let live: Budget.Share
    private let server: Budget.Share

    fileprivate init(_ live: Budget.Share, _ server: Budget.Share) {
      self.live = live
      self.server = server
    }

    /// Grows to at least this amount. Only one task may call it at a time.
    ///
    /// - Throws: 503; the share keeps its amount.
    func grow(to amount: Int) async throws(APIError) {
      try await live.grow(to: amount)
      try await server.grow(to: amount)
    }

    /// Shrinks to at most this amount.
    func shrink(to amount: Int) {
      server.shrink(to: amount)
      live.shrink(to: amount)
    }
  }
}
