import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetAccess
import FleetDomain
import Telemetry

/// The option with the URL under which people reach the server.
struct ServerAddressOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The server's address as people see it. Without it: `accounts.url` of the configuration, or the address at which the \
      server listens.
      """,
      valueName: "address"))
  var url: String?

  /// Returns the URL without a slash at its end.
  func base(_ configuration: Configuration, _ storage: any FleetStorage) async throws -> String {
    if let url {
      let base = url.hasSuffix("/") ? String(url.dropLast()) : url
      guard WebAddress(base) != nil else {
        throw Failure(.usage, "--url: expected \(WebAddress.expectation), found \"\(url)\"")
      }
      return base
    }
    if let url = configuration.server.accounts.publicURL { return url }
    // The running server may have another address than the configuration: with the option --listen, or with any free
    // port.
    if let url = try await storage.serverAddress() { return url }
    return configuration.server.localURL(configuration.server.port)
  }
}

extension ServerOptions {
  /// Returns a URL under which clients on this machine reach the server. Its host is the address on which the server
  /// listens, or `localhost` if the server listens on all addresses.
  ///
  /// - Parameter port: the port on which the server listens.
  func localURL(_ port: Int) -> String {
    let shown = ["0.0.0.0", "::", ""].contains(host) ? "localhost" : host
    return "\(tls == nil ? "http" : "https")://\(ListeningAddress.text(shown, port))"
  }
}

/// `fleetstore setup`: prints the link with which the first administrator sets up an account.
struct SetupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup", abstract: "Prints a link with which the first administrator makes an account.",
    discussion: "The link is good once, for three days. A new link ends the one before it.")

  @OptionGroup var address: ServerAddressOption
  @OptionGroup var owner: TenantOption
  @OptionGroup var store: CommandStore

  func run() async throws {
    let tenant = try owner.tenant()
    let secret = Secret(.ticket, of: tenant.text)
    let configuration = try store.store.configuration()
    let limits = configuration.server.accounts.limits
    var base = ""
    try await store.withStorage { storage in
      base = try await address.base(configuration, storage)
      try await storage.change(tenant: tenant, by: Actor(.command), at: WallClock.now) {
        transaction throws(ThingError) in
        if let administrator = try transaction.someAdministrators().first {
          let email = administrator.value.email?.text ?? ""
          throw .rule(
            code: "alreadySetUp",
            message:
              "there is an administrator already, \(email); a new password for them: fleetstore person link \(email)")
        }
        try transaction.issueTicket(.firstAdministrator, secret.hash, of: nil, seconds: limits.invitationSeconds)
        try transaction.record("setUpLink", kind: "tenant", thing: nil, details: [:])
      }
    }
    try StandardOutput.print(
      secret: AccountLink.text(.firstAdministrator, secret, base: base),
      lost: "print another link with fleetstore setup")
  }
}
