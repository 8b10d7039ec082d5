import FleetDomain
import NIOCore

/// What a live connection asks of the rest of the server.
struct LiveService: Sendable {
  /// Who a token belongs to.
  ///
  /// - Throws: ``APIError`` 401 where it belongs to nobody, 403 where its owner may not listen.
  let authenticate: @Sendable (_ token: String, _ address: String?) async throws -> Identity
  /// Counts a message as a request of its key.
  ///
  /// - Returns: nil where there may be one more, else seconds until there may.
  let admit: @Sendable (_ key: SecretHash) -> Int?
  /// Makes sure that all that is stored from now on comes through a channel.
  ///
  /// - Returns: the number of the newest record that is there.
  let begin: @Sendable (_ channel: LiveChannel) async throws -> Int64
  /// Records of a channel behind a number, oldest first.
  let replay: @Sendable (_ request: ReplayRequest) async throws -> LivePage
}

/// Which older records of a channel are to be read.
struct ReplayRequest: Sendable {
  let channel: LiveChannel
  /// The number behind which they are.
  let after: Int64
  /// Changes of the tenant to read.
  let limit: Int
  /// Bytes that are sent at a time.
  let pieceBytes: Int
  /// Whose memory and permits it takes.
  let holder: Holder
}

/// Older records of a channel.
struct LivePage: Sendable {
  /// Frames of the records, by number, in pieces; may be empty though the list goes on.
  let pieces: [ByteBuffer]
  /// Up to which number everything was looked at.
  let last: Int64
  /// Whether there was nothing more.
  let isLast: Bool
  /// How many changes the next page should have.
  let nextLimit: Int
  /// What the records hold of the memory of live connections.
  let share: LiveMemory.Share?
}

extension LiveService {
  /// Changes of the first page of a replay, whose lengths are not known yet: of the longest records 512 KiB.
  static let firstPage = 32
  private static let largestPage = 512
  /// Bytes that a page aims at.
  private static let pageBytes = 256 << 10
  /// Bytes of a change besides its record.
  private static let bytesForChange = 128

  /// - Parameters:
  ///   - limiter: of requests; a message is one.
  ///   - questions: reading older records is one that may take long.
  init(
    storage: any FleetStorage, authenticator: Authenticator, feed: LiveFeed, limiter: RateLimiter<SecretHash>,
    memory: LiveMemory,
    questions: Budget
  ) {
    admit = { limiter.take($0) }
    authenticate = { token, address in
      let identity = try await authenticator.identity(token, from: address)
      guard identity.caller != .gateway else {
        throw APIError.forbidden("a gateway's key cannot listen; use an operator's token")
      }
      return identity
    }
    begin = { channel in
      try await feed.follow(channel.tenant)
      return try await StorageCaller.$current.withValue(StorageCaller(tenant: channel.tenant, key: nil)) {
        try await storage.feedPosition(tenant: channel.tenant).rawValue
      }
    }
    replay = { request in
      // First a permit, then memory, as every question: a question that waits for a permit holds no memory.
      let permit = try await questions.take(1, for: request.holder)
      let share = try await memory.take(2 * Self.pageBytes, for: request.holder)
      let caller = StorageCaller(tenant: request.channel.tenant, key: request.holder.key)
      let changes = try await StorageCaller.$current.withValue(caller) {
        try await storage.changes(
          after: FeedPosition(rawValue: request.after), limit: request.limit, tenant: request.channel.tenant)
      }
      permit.shrink(to: 0)
      // The records, and the frames that are made of them.
      let bytes = changes.reduce(0) { $0 + $1.record.body.count + Self.bytesForChange }
      try await share.grow(to: 2 * bytes)
      share.shrink(to: 2 * bytes)
      let fitting = Self.pageBytes / max(bytes / max(changes.count, 1), 1)
      let records = changes.map(LiveRecord.init).filter { $0.isIn(request.channel) }
      return LivePage(
        pieces: records.isEmpty
          ? [] : LiveUpdate(request.channel, records).pieces(atMost: request.pieceBytes),
        last: changes.last?.position.rawValue ?? request.after, isLast: changes.count < request.limit,
        nextLimit: min(max(fitting, 1), Self.largestPage), share: share)
    }
  }
}
