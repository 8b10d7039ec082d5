import FleetAccess
import FleetDomain
import Telemetry

extension AccountService {
  /// Returns the URL at which the person can also sign out at the provider; `nil` if the provider has no such URL.
  func providerLogout(_ session: Stored<Session>, _ tenant: TenantID) async -> String? {
    guard let id = session.value.identityID,
      let linked = try? await storage.view(
        tenant: tenant,
        { view throws(ThingError) in
          try view.find(id, LinkedIdentity.self)
        }), let source = providers[linked.value.provider], let end = try? await source.describe().endSession
    else { return nil }
    let query = [
      ("client_id", source.provider.clientID), ("post_logout_redirect_uri", settings.publicURL ?? ""),
    ].map { "\($0)=\(PercentCoding.encode($1))" }.joined(separator: "&")
    return end + (end.contains("?") ? "&" : "?") + query
  }

  /// Ends the sessions to which a provider's logout token refers (OpenID Connect Back-Channel Logout 1.0).
  ///
  /// - Throws: 400 if the token is not accepted.
  func endSessions(_ source: OpenIDSource, logoutToken text: String, from address: String?) async throws {
    let provider = source.provider
    let identity: OpenIDIdentity
    do throws(OpenIDError) {
      let token = try JSONWebToken(text)
      identity = try OpenIDIdentity(
        logoutToken: token, try await source.keys(for: token), of: provider, at: self.now())
    } catch {
      logger.info("provider \(provider.id): a logout token was refused: \(error)")
      throw APIError(.badRequest, "wrongLogoutToken", "the logout token is not accepted")
    }
    let now = self.now()
    let name = "\(identity.issuer) \(identity.claims["jti"]?.textValue ?? "")"
    let ended = try await ifTenantExists {
      try await storage.change(tenant: provider.tenant, by: Actor(.nobody, address: address), at: now) {
        transaction throws(ThingError) -> [UUIDv7]? in
        guard
          try transaction.useOnce(
            "logout \(name)", .openID, until: now.adding(seconds: OpenIDState.seconds + 60))
        else { return nil }
        var ended: [UUIDv7] = []
        for session in try transaction.sessions(of: identity, provider) {
          try transaction.endSession(session, action: "providerLogout")
          ended.append(session.id)
        }
        return ended
      }
    }
    guard let ended else { throw APIError(.badRequest, "wrongLogoutToken", "the logout token was used before") }
    forget(provider.tenant, ended)
  }
}
