import FleetDomain
import NIOCore
import Telemetry

/// Authenticates the client, and checks with pings whether it is still connected.
extension LiveConnection {
  /// The number of unanswered pings after which the client counts as gone. A single one is not sufficient, because a
  /// radio link or a busy machine may delay answers.
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
      // The rate limit counts a handshake as a request.
      if let seconds = service.admit(found.key) {
        refuse(.tooMany(wait: seconds))
        close(.policyViolation, "too many requests of one key; wait \(seconds) s")
        return
      }
      if identity == nil { hub.count(found.tenant, by: 1) }
      identity = found
      phase = .open
      send(event: "authenticated")
      scheduleExpiry()
      endSubscriptions(unlessOf: found)
      for text in removeEarlyMessages() where phase != .closing { handle(text) }
    }
  }

  /// The time after which a failed look-up of a session's end is repeated, ms.
  private static let lookupRetry: Int64 = 1_000

  /// Plans a check for the time at which the session or token ends if it is not used again.
  ///
  /// - Parameter least: the time until the check, at least, ms.
  private func scheduleExpiry(least: Int64 = 0) {
    expiry?.cancel()
    expiry = nil
    guard phase == .open, let context, let end = identity.flatMap(service.end) else { return }
    let wait = max(end.milliseconds - service.now().milliseconds, least)
    expiry = context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(wait)) { self.checkExpiry() }
  }

  /// Closes the connection if its session or token has ended. The session is looked up again, because it may have been
  /// used meanwhile, also with other servers.
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
          // If the end came from another server's use, this server learns of it only by looking it up again.
          self.scheduleExpiry(least: Self.lookupRetry)
        }
      }
    }
  }

  private func closeExpired(_ identity: Identity) {
    close(
      .policyViolation,
      identity.signedIn == nil
        ? "the token has expired; ask for a new one" : "the session has ended; sign in again")
  }

  /// Records a message as a use of the session. Closes the connection if the session has ended.
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

  /// After the client has authenticated again as someone else, ends the subscriptions to channels in which it may now
  /// see other records.
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

  /// The holder to which the connection's memory and processing time are charged. Until the token was checked, this is
  /// the client's address.
  var holder: Holder { identity?.holder ?? stranger }

  /// Whether the connection was authenticated with one of these tokens or sessions.
  func isOf(_ ids: Set<UUIDv7>, _ tenant: TenantID) -> Bool {
    switch identity?.principal {
    case .token(let token, tenant)?: ids.contains(token.id)
    case .person(let signedIn, tenant)?: ids.contains(signedIn.session)
    default: false
    }
  }

  /// Called at intervals: sends a ping, and closes the connection if the client is gone.
  func tick() {
    guard phase != .closing else { return }
    excess = 0
    // The clock may have been set forward since the check was planned.
    if let end = identity.flatMap(service.end), end <= service.now() { checkExpiry() }
    guard unanswered < Self.mostUnanswered else {
      close(.policyViolation, "no answer to a ping")
      return
    }
    // If other data wait to be sent, a ping would wait as well. A missing answer would then not show that the client is
    // gone.
    if output?.channel.isWritable ?? false {
      unanswered += 1
      send(.ping, [])
    }
  }
}
