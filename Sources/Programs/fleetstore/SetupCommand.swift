import ArgumentParser
import CommandLineSupport
import FleetAPI
import FleetAccess
import FleetDomain
import Telemetry

/// The option with the URL under which people reach the server.
struct ServerAddressOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The server's address as people see it. Without it: `accounts.url` of the configuration, or that of `listen`.",
      valueName: "address"))
  var url: String?

  /// Returns the URL without a slash at its end.
  func base(_ configuration: Configuration) -> String {
    if let url { return url.hasSuffix("/") ? String(url.dropLast()) : url }
    if let url = configuration.server.accounts.publicURL { return url }
    let host = configuration.server.host
    let shown = ["0.0.0.0", "::", ""].contains(host) ? "localhost" : host.contains(":") ? "[\(host)]" : host
    return "\(configuration.server.tls == nil ? "http" : "https")://\(shown):\(configuration.server.port)"
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
    try await store.withStorage { storage in
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
        try transaction.note("setUpLink", kind: "tenant", thing: nil, details: [:])
      }
    }
    try StandardOutput.say(
      secret: AccountLink.text(.firstAdministrator, secret, base: address.base(configuration)),
      lost: "print another link with fleetstore setup")
  }
}
