/// Memory of live connections: what waits for slow readers, and older records on their way. At most half of the server's,
/// because slow readers hold it long and requests would find nothing.
final class LiveMemory: Sendable {
  /// The memory of requests and live connections together.
  let server: Budget
  private let live: Budget

  init(_ server: Budget) {
    self.server = server
    live = .memory(max(server.capacity / 2, 1))
  }

  /// Takes an amount if the holder may have it now.
  func takeNow(_ amount: Int, for holder: Holder) -> Bool {
    guard live.takeNow(amount, for: holder) else { return false }
    guard server.takeNow(amount, for: holder) else {
      live.give(amount, from: holder)
      return false
    }
    return true
  }

  func give(_ amount: Int, from holder: Holder) {
    live.give(amount, from: holder)
    server.give(amount, from: holder)
  }

  /// Takes an amount.
  ///
  /// - Throws: 503 if the holder cannot have it in time.
  func take(_ amount: Int, for holder: Holder) async throws(APIError) -> Share {
    let share = Share(live.share(of: holder), server.share(of: holder))
    try await share.grow(to: amount)
    return share
  }

  /// What one page of older records holds; given back when it is released.
  final class Share: Sendable {
    private let live: Budget.Share
    private let server: Budget.Share

    fileprivate init(_ live: Budget.Share, _ server: Budget.Share) {
      self.live = live
      self.server = server
    }

    /// Holds at least so much from now on; called by one task at a time.
    ///
    /// - Throws: 503; what is held stays held.
    func grow(to amount: Int) async throws(APIError) {
      try await live.grow(to: amount)
      try await server.grow(to: amount)
    }

    /// Holds at most so much from now on.
    func shrink(to amount: Int) {
      server.shrink(to: amount)
      live.shrink(to: amount)
    }
  }
}
