import FleetDomain
import NIOCore
import Telemetry

/// Authenticates the client, and sends pings to detect that the client is no longer connected.
extension LiveConnection {
  /// The number of unanswered pings after which the connection is closed. One unanswered ping is not sufficient,
  /// because a radio link or a busy machine may delay the answer.
  private static let mostUnanswered = 3

  func authenticate(_ token: String) {
    guard let context else { return }
    phase = .authenticating
    let (service, address) = (service, handshake.client.address)
    hub.running.await(on: context.eventLoop) {
      try await service.authenticate(token, address)
    } then: {
      self.authenticated($0)
    }
  }

  private func authenticated(_ result: Result<Identity, any Error>) {
    guard phase == .authenticating, let context else { return }
    deadline?.cancel()
    handshake.report(try? result.get())
    switch result {
    case .failure(let error):
      let problem = APIError(error, logger: logger)
      refuse(problem)
      close(.policyViolation, problem.message)
    case .success(let found):
      if let identity, identity.tenant != found.tenant {
        close(.policyViolation, "the new token belongs to another tenant")
        return
      }
      guard hub.connections.belongs(context.channel, to: found.holder) else {
        close(.tryAgainLater, Connections.refusal.message)
        return
      }
      // A handshake counts as a request for the rate limit of the key.
      if let seconds = service.admit(found.key) {
        refuse(.tooMany(wait: seconds))
        close(.policyViolation, "too many requests of one key; wait \(seconds) s")
        return
      }
      if identity == nil { hub.count(found.tenant, by: 1) }
      identity = found
      rightsReadAt = nil
      phase = .open
      send(event: "authenticated")
      scheduleExpiry()
      endSubscriptions(unlessOf: found)
      updateAudiences(for: found)
      for text in removeEarlyMessages() where phase != .closing { handle(text) }
    }
  }

  /// If the look-up of a session's end fails, it is repeated after this time, in ms.
  private static let lookupRetry: Int64 = 1_000

  /// Schedules a check at the time at which the session or token ends if it is not used again.
  ///
  /// - Parameter least: the minimum time until the check, in ms.
  private func scheduleExpiry(least: Int64 = 0) {
    expiry?.cancel()
    expiry = nil
    guard phase == .open, let context, let end = identity.flatMap(service.end) else { return }
    let wait = max(end.milliseconds - service.now().milliseconds, least)
    expiry = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(wait)) { self.checkExpiry() }
  }

  /// Closes the connection if its session or token has ended. First looks up the session again, because the client may
  /// have used the session on another server.
  private func checkExpiry() {
    guard phase == .open, let context, let identity else { return }
    hub.running.await(on: context.eventLoop) { [service] in
      try await service.currentEnd(identity)
    } then: { result in
      guard self.phase == .open, self.identity?.key == identity.key else { return }
      switch result {
      case .failure(let error):
        self.logger.debug("live connection: cannot look up the end of its session: \(error)")
        self.scheduleExpiry(least: Self.lookupRetry)
      case .success(let end):
        if let end, end <= self.service.now() {
          self.closeExpired(identity)
        } else {
          // If the session is used on another server, only a look-up shows the new end to this server.
          self.scheduleExpiry(least: Self.lookupRetry)
        }
      }
    }
  }

  // MARK: Changed rights

  /// Closes the connection, because its session or token was ended by a person.
  func closeEnded() {
    guard let identity else { return }
    close(
      .policyViolation,
      identity.signedIn == nil
        ? "the token was revoked; ask for a new one" : "the session has ended; sign in again")
  }

  /// Reads the rights of the client from the storage, and closes the connection if they differ from those with which it
  /// was authenticated.
  ///
  /// A connection that was opened after the change of rights already has the new rights, and remains open. The time of
  /// its handshake would not show this, because another server may have made the change.
  ///
  /// - Parameter time: a time after the change. Does nothing if the rights were read after this time.
  func checkRights(since time: ContinuousClock.Instant) {
    guard phase != .closing, let context, let identity else { return }
    if let rightsReadAt, rightsReadAt >= time { return }
    let start = ContinuousClock.now
    rightsReadAt = start
    hub.running.await(on: context.eventLoop) { [service] in
      try await service.current(identity)
    } then: { result in
      // If the client has authenticated again meanwhile, the next call checks the new identity.
      guard self.phase != .closing, self.rightsReadAt == start else { return }
      switch result {
      case .failure(let error):
        self.logger.warning("live connection: cannot read the rights of its client: \(error)")
        self.close(.tryAgainLater, "cannot check the rights of this token; connect again")
      case .success(nil): self.closeEnded()
      case .success(let current?):
        guard !current.hasSameRights(as: identity) else { return }
        self.close(.policyViolation, "the rights of this account have changed; connect again")
      }
    }
  }

  private func closeExpired(_ identity: Identity) {
    close(
      .policyViolation,
      identity.signedIn == nil
        ? "the token has expired; ask for a new one" : "the session has ended; sign in again")
  }

  /// Records the client's message as a use of the session. Closes the connection if the session has ended.
  ///
  /// - Returns: `false` if the connection was closed.
  func recordUse() -> Bool {
    guard let identity else { return true }
    do throws(APIError) {
      try service.recordUse(identity, handshake.client.address)
      return true
    } catch {
      closeExpired(identity)
      return false
    }
  }

  /// Ends the subscriptions to channels in which the client may now see other records. Call this after the client has
  /// authenticated as another person or token.
  private func endSubscriptions(unlessOf identity: Identity) {
    for channel in Array(subscriptions.keys) {
      do throws(APIError) {
        guard try LiveChannel(name: channel.name, for: identity) != channel else { continue }
        endSubscription(
          channel, APIError.forbidden("the channel shows other records to the owner of this token; subscribe again"))
      } catch {
        endSubscription(channel, error)
      }
    }
  }

  /// The holder to which the connection's memory and processing time are charged. Before the token was checked, this is
  /// the client's address.
  var holder: Holder { identity?.holder ?? stranger }

  /// Whether the connection was authenticated with a token or session whose ID is in `ids`.
  func isOf(_ ids: Set<UUIDv7>, _ tenant: TenantID) -> Bool {
    switch identity?.principal {
    case .token(let token, tenant)?: ids.contains(token.id)
    case .person(let signedIn, tenant)?: ids.contains(signedIn.session)
    default: false
    }
  }

  /// Sends a ping. Closes the connection if the client has not answered several pings. Called at intervals.
  func tick() {
    guard phase != .closing else { return }
    excess = 0
    // The clock may have been set forward since the check was scheduled.
    if let end = identity.flatMap(service.end), end <= service.now() { checkExpiry() }
    guard unanswered < Self.mostUnanswered else {
      close(.policyViolation, "no answer to a ping")
      return
    }
    // If other data wait to be sent, a ping would wait as well. Then a missing answer would not show that the client
    // has disconnected.
    if output?.channel.isWritable ?? false {
      unanswered += 1
      send(.ping, [])
    }
  }
}
