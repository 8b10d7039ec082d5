import FleetAccess
import FleetDomain
import NIOCore
import Telemetry

/// The functions of the server that live connections call.
struct LiveService: Sendable {
  /// Authenticates a token.
  ///
  /// - Throws: ``APIError`` 401 if the token is unknown, 403 if its owner may not subscribe.
  let authenticate: @Sendable (_ token: String, _ address: String?) async throws -> Identity
  /// Records a message of a client as a use of the client's session.
  ///
  /// - Throws: 401 if the session has ended.
  let recordUse: @Sendable (_ identity: Identity, _ address: String?) throws(APIError) -> Void
  /// Returns the time at which a session or token ends if it is not used again (``Authenticator/end(of:)``); `nil` if
  /// it does not end by itself. Only uses that this server has recorded are considered.
  let end: @Sendable (_ identity: Identity) -> Timestamp?
  /// Reads from the storage when a session or token ends (``Authenticator/currentEnd(of:)``); `nil` if it has no end.
  let currentEnd: @Sendable (_ identity: Identity) async throws -> Timestamp?
  /// Reads the present rights of the owner of a session or token from the storage (``Authenticator/current(_:)``);
  /// `nil` if it was revoked or has ended.
  let current: @Sendable (_ identity: Identity) async throws -> Identity?
  let now: TimeSource
  /// Counts a client's message as one request of its key, whose number of requests is limited.
  ///
  /// - Returns: `nil` if the key is within its rate limit; otherwise the time until another message is allowed, in s.
  let admit: @Sendable (_ key: SecretHash) -> Int?
  /// Ensures that all records of a tenant that are stored after this call reach its listeners.
  ///
  /// - Returns: the number of the tenant's newest record.
  let begin: @Sendable (_ tenant: TenantID) async throws -> Int64
  /// Ensures that all changes of a tenant's things that are committed after this call reach their audiences.
  let followChanges: @Sendable (_ tenant: TenantID) async throws -> Void
  /// Reads the records of a channel whose numbers are above a given number, in ascending order.
  let replay: @Sendable (_ request: ReplayRequest) async throws -> LivePage
}

/// A request for older records of a channel.
struct ReplayRequest: Sendable {
  let channel: LiveChannel
  /// The request is for records with a number above this one.
  let after: Int64
  /// The maximum number of changes that are read from the tenant's feed.
  let limit: Int
  /// The maximum length of the pieces in which the records are sent, in bytes.
  let pieceBytes: Int
  /// The holder to which the memory and the permit for this request are charged.
  let holder: Holder
}

/// A page of older records of a channel.
struct LivePage: Sendable {
  /// The encoded records in ascending order of their numbers, divided into pieces. The array can be empty even if more
  /// records follow, because all changes that were read may belong to other channels.
  let pieces: [ByteBuffer]
  /// The number of the last change that was read from the feed.
  let last: Int64
  /// Whether the feed contains no further changes.
  let isLast: Bool
  /// The number of changes to read from the feed for the next page.
  let nextLimit: Int
  /// The memory that is reserved for the records; `nil` if none is reserved.
  let share: LiveMemory.Share?
}

extension LiveService {
  /// The number of changes in the first page, which is read before the usual length of the records is known. If all
  /// records have the maximum length, this page has 512 KiB.
  static let firstPage = 32
  private static let largestPage = 512
  /// The intended length of a page in bytes.
  private static let pageBytes = 256 << 10
  /// Bytes of memory that each change needs in addition to its record.
  private static let bytesForChange = 128

  /// Creates functions that call the server's components.
  ///
  /// - Parameters:
  ///   - limiter: the rate limit of requests. Each message counts as a request.
  ///   - queryPermits: the permits for queries. Reading a page of older records needs one.
  init(
    storage: any FleetStorage, authenticator: Authenticator, feed: LiveFeed, changes: ChangeFeed,
    visibility: LiveVisibilityStore, limiter: RateLimiter<SecretHash>, memory: LiveMemory, queryPermits: Budget
  ) {
    admit = { limiter.consume($0) }
    recordUse = { identity, address throws(APIError) in try authenticator.recordUse(of: identity, from: address) }
    end = { authenticator.end(of: $0) }
    currentEnd = { try await authenticator.currentEnd(of: $0) }
    current = { try await authenticator.current($0) }
    now = authenticator.now
    authenticate = { token, address in
      let identity = try await authenticator.identity(token, from: address)
      guard identity.signedIn?.needsFactor != true else { throw AccountService.factorRequired }
      let reach = Reach(of: identity.requester, to: .read, .records)
      guard !reach.isEmpty else {
        throw APIError.forbidden(
          identity.gateway == nil ? reach.reason : "a gateway's key cannot listen; use an operator's token")
      }
      return identity
    }
    begin = { tenant in
      try await feed.follow(tenant)
      return try await feed.position(of: tenant).rawValue
    }
    followChanges = { try await changes.follow($0) }
    replay = { request in
      // Acquire the permit before the memory, as all queries do. A query that waits for a permit then holds no memory.
      let permit = try await queryPermits.acquire(1, for: request.holder)
      let share = try await memory.acquire(2 * Self.pageBytes, for: request.holder)
      let caller = StorageCaller(tenant: request.channel.tenant, key: request.holder.key)
      let tenant = request.channel.tenant
      let (changes, visible) = try await StorageCaller.$current.withValue(caller) {
        let changes = try await storage.changes(
          after: FeedPosition(rawValue: request.after), limit: request.limit, tenant: tenant)
        return (
          changes, try await visibility.visibility(of: changes.map(LiveRecord.init), for: request.channel)
        )
      }
      permit.shrink(to: 0)
      // The changes need memory twice: for the records and for their encoded frames.
      let bytes = changes.reduce(0) { $0 + $1.record.body.count + Self.bytesForChange }
      try await share.grow(to: 2 * bytes)
      share.shrink(to: 2 * bytes)
      let fitting = Self.pageBytes / max(bytes / max(changes.count, 1), 1)
      let records = changes.map(LiveRecord.init).filter { visible.shows($0, on: request.channel) }
      return LivePage(
        pieces: records.isEmpty
          ? [] : LiveUpdate(request.channel, records).pieces(atMost: request.pieceBytes),
        last: changes.last?.position.rawValue ?? request.after, isLast: changes.count < request.limit,
        nextLimit: min(max(fitting, 1), Self.largestPage), share: share)
    }
  }
}
