import FleetDomain

/// What a live connection asks of the rest of the server.
struct LiveService: Sendable {
  /// Who a token belongs to.
  ///
  /// - Throws: ``APIError`` 401 where it belongs to nobody, 403 where its owner may not listen.
  let authenticate: @Sendable (_ token: String) async throws -> Identity
  /// Makes sure that there is such a channel and that all that is stored from now on comes through it.
  ///
  /// - Returns: the number of the newest record that is there.
  /// - Throws: ``APIError`` 404 where it is about a vehicle that is not there.
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
}

extension LiveService {
  /// Changes of a tenant that are read at a time.
  private static let page = 1_000

  init(storage: any FleetStorage, authenticator: Authenticator, feed: LiveFeed) {
    authenticate = { token in
      let identity = try await authenticator.identity(token)
      guard identity.caller != .gateway else {
        throw APIError.forbidden("a gateway's key cannot listen; use an operator's token")
      }
      return identity
    }
    begin = { channel in
      if let id = channel.vehicle {
        guard let vehicle = try await storage.vehicle(id, tenant: channel.tenant) else {
          throw APIError.notFound("channel: no vehicle \(quoted(id)); see /api/vehicles")
        }
        guard vehicle.id == id else {
          throw APIError.notFound("channel: \(quoted(id)) is a VIN; subscribe to \(quoted("vehicle:" + vehicle.id))")
        }
      }
      await feed.follow(channel.tenant)
      return try await storage.feedPosition(tenant: channel.tenant).rawValue
    }
    replay = { channel, after in
      let changes = try await storage.changes(
        after: FeedPosition(rawValue: after), limit: Self.page, tenant: channel.tenant)
      return LivePage(
        records: changes.filter { channel.vehicle == nil || $0.record.vehicle == channel.vehicle }.map(LiveRecord.init),
        last: changes.last?.position.rawValue ?? after, isLast: changes.count < Self.page)
    }
  }
}
