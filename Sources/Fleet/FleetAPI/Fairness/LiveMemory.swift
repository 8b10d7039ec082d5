/// Memory of live connections, for data that wait to be sent to slow readers, and for older records that are being
/// sent. It is at most half of the server's memory. Slow readers hold memory for a long time, and requests need the
/// other half.
final class LiveMemory: Sendable {
  /// The budget of the memory of all requests and live connections. The memory of live connections is a part of it.
  let server: Budget
  private let live: Budget

  init(_ server: Budget) {
    self.server = server
    live = .memory(max(server.capacity / 2, 1))
  }

  /// Takes an amount if the holder may have it now. Returns whether the amount was taken.
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

  /// Takes an amount. Waits until the holder may have it.
  ///
  /// - Throws: 503 if the holder cannot have the amount in time.
  func acquire(_ amount: Int, for holder: Holder) async throws(APIError) -> Share {
    let share = Share(live.share(of: holder), server.share(of: holder))
    try await share.grow(to: amount)
    return share
  }

  /// The memory of one page of older records. When the share is released, it returns its amount.
  final class Share: Sendable {
    private let live: Budget.Share
    private let server: Budget.Share

    fileprivate init(_ live: Budget.Share, _ server: Budget.Share) {
      self.live = live
      self.server = server
    }

    /// Increases the held amount to at least `amount`. Only one task may call this at a time.
    ///
    /// - Throws: 503 if the holder cannot have the amount in time.
    func grow(to amount: Int) async throws(APIError) {
      try await live.grow(to: amount)
      try await server.grow(to: amount)
    }

    /// Reduces the held amount to at most `amount`.
    func shrink(to amount: Int) {
      server.shrink(to: amount)
      live.shrink(to: amount)
    }
  }
}
