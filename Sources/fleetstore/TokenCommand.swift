import ArgumentParser
import FleetAPI
import FleetDomain
import Telemetry

/// `fleetstore token`: the tokens of people and programs that read and administer.
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Makes and revokes operators' tokens.",
    subcommands: [Add.self, Revoke.self, List.self])

  func run() throws { throw ValidationError("name what to do: add, revoke or list") }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a token and prints it: the only time that it can be seen.")

    @Option(help: ArgumentHelp("admin or readOnly.", valueName: "role")) var role: String
    @Option(help: "What it is for.") var label = ""
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: StoreOptions

    func run() async throws {
      guard let role = Role(rawValue: role) else {
        throw Failure(.usage, "role: expected admin or readOnly, found \"\(role)\"")
      }
      guard label.isEmpty || PlainText.isName(label) else {
        throw Failure(.usage, "label: expected \(PlainText.expectedName)")
      }
      let tenant = try owner.tenant()
      let secret = Secret(.operatorToken)
      let now = WallClock.now
      let token = OperatorToken(id: .random(at: now), label: label, role: role, addedAt: now)
      try await store.withStorage { storage in
        try await storage.addToken(token, secret: secret.hash, tenant: tenant)
      }
      try StandardOutput.say(secret: secret.text, lost: "the token is made: revoke it, and make another")
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Takes a token back.")

    @Argument(help: "The token's id, as `token list` prints it.") var tokenId: String
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: StoreOptions

    func run() async throws {
      guard let id = UUIDv7(tokenId.utf8.span) else {
        throw Failure(.usage, "token: expected an id as `fleetstore token list` prints it")
      }
      let tenant = try owner.tenant()
      try await store.withStorage { storage in
        try await storage.revokeToken(id, tenant: tenant, at: WallClock.now)
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints id, role, state, when it was made, label; with tabs between.")

    @OptionGroup var owner: TenantOption
    @OptionGroup var store: StoreOptions

    func run() async throws {
      let tenant = try owner.tenant()
      try await store.withStorage { storage in
        for token in try await storage.tokens(tenant: tenant) {
          try StandardOutput.say(
            [
              TimeText.of(token.id), token.role.rawValue, token.revokedAt == nil ? "good" : "revoked",
              TimeText.of(token.addedAt), token.label.isEmpty ? "-" : token.label,
            ].joined(separator: "\t"))
        }
      }
    }
  }
}
