import FleetDomain

/// What a live connection asks of the rest of the server.
struct LiveService: Sendable {
  /// Who a token belongs to.
  ///
  /// - Throws: ``APIError`` 401 where it belongs to nobody, 403 where its owner may not listen.
  let authenticate: @Sendable (_ token: String) async throws -> Identity
  /// Counts a message as a request of its key.
  ///
  /// - Returns: nil where there may be one more, else seconds until there may.
  let admit: @Sendable (_ key: SecretHash) -> Int?
  /// Makes sure that all that is stored from now on comes through a channel.
  ///
  /// - Returns: the number of the newest record that is there.
  let begin: @Sendable (_ channel: LiveChannel) async throws -> Int64
  /// Records of a channel behind a number, oldest first.
  let replay: @Sendable (_ channel: LiveChannel, _ after: Int64) async throws -> LivePage
}

/// Older records of a channel.
struct LivePage: Sendable {
  /// By number; may be empty though the list goes on.
  let records: [LiveRecord]
  /// Up to which number everything was looked at.
  let last: Int64
  /// Whether there was nothing more.
  let isLast: Bool
  /// What the records take of the server's memory.
  let share: Budget.Share?
}

extension LiveService {
  /// Changes of a tenant that are read at a time: of records of usual length some 250 KB, of the longest 8 MB.
  private static let page = 512

  /// - Parameters:
  ///   - limiter: of requests; a message is one.
  ///   - questions: reading older records is one that may take long.
  init(
    storage: any FleetStorage, authenticator: Authenticator, feed: LiveFeed, limiter: RateLimiter<SecretHash>,
    memory: Budget,
    questions: Budget
  ) {
    admit = { limiter.take($0) }
    authenticate = { token in
      let identity = try await authenticator.identity(token, from: nil)
      guard identity.caller != .gateway else {
        throw APIError.forbidden("a gateway's key cannot listen; use an operator's token")
      }
      return identity
    }
    begin = { channel in
      try await feed.follow(channel.tenant)
      return try await storage.feedPosition(tenant: channel.tenant).rawValue
    }
    replay = { channel, after in
      // First a place, then memory, as every question: who waits for a place keeps no memory from others.
      let place = try await questions.take(1)
      let share = try await memory.take(512 << 10)
      let changes = try await storage.changes(
        after: FeedPosition(rawValue: after), limit: Self.page, tenant: channel.tenant)
      place.shrink(to: 0)
      let records = changes.map(LiveRecord.init).filter { $0.isIn(channel) }
      // The records, and the frames that are made of them.
      let bytes = 2 * records.reduce(0) { $0 + $1.body.count + 128 }
      try await share.grow(to: bytes)
      share.shrink(to: bytes)
      return LivePage(
        records: records, last: changes.last?.position.rawValue ?? after, isLast: changes.count < Self.page,
        share: share)
    }
  }
}
