import FleetAccess
import FleetDomain
import HTTPTypes
import Telemetry

extension Call {
  /// The identity and the session of the person who sent the request.
  ///
  /// - Throws: 403 if the request was not sent in the session of a person.
  var signedIn: (identity: Identity, SignedIn) {
    get throws(APIError) {
      let caller = try caller
      guard let signedIn = caller.signedIn else {
        throw APIError.forbidden("this is for people who have signed in, and not for keys and tokens")
      }
      return (caller, signedIn)
    }
  }

  /// Returns the address, the browser or app, and the cookies of the client that signs in.
  ///
  /// - Throws: 403 if the connection is not encrypted, because others on the network could read the password.
  func accountCaller(_ transport: Session.Transport) throws(APIError) -> AccountService.Caller {
    guard client.isPrivate else {
      throw APIError(
        .forbidden, "insecureTransport",
        "passwords and sessions need HTTPS: give the server tls, or name its HTTPS proxy in trustedProxies")
    }
    let agent = request.headers[.userAgent].map { text in
      String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(200)))
    }
    return AccountService.Caller(
      address: client.address, agent: agent, transport: transport,
      device: SessionCookie.device.value(in: request.headers, isTLS: client.isTLS),
      session: SessionCookie.session.value(in: request.headers, isTLS: client.isTLS).map { Secret.hash(of: $0) })
  }

  /// Checks that the sender, if it is a person, has signed in or confirmed the password recently.
  ///
  /// - Throws: 403 if the person did so too long ago.
  func requireRecentSignIn(_ accounts: AccountService) throws(APIError) {
    guard let signedIn = identity?.signedIn else { return }
    let seconds = accounts.settings.limits.recentSeconds
    guard signedIn.authenticatedAt.adding(seconds: seconds) > accounts.now() else {
      throw APIError(
        .forbidden, "signInAgain", "this needs a recent sign-in: send the password to \(AuthRoutes.path)/confirm first")
    }
  }
}
