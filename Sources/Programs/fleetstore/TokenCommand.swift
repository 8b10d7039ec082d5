import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetAccess
import FleetDomain
import JSONText
import Telemetry

/// `fleetstore token`: the tokens of operators.
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Manages operators' tokens.",
    subcommands: [Add.self, Revoke.self, Remove.self, List.self])

  func run() throws { throw ValidationError("name what to do: add, revoke, remove or list") }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a token and prints it. It cannot be shown again.")

    @Option(help: ArgumentHelp("admin, readOnly, maintenance or viewer.", valueName: "role")) var role: String
    @Option(help: "Purpose of the token.") var label = ""
    @Option(
      parsing: .upToNextOption,
      help: ArgumentHelp("Ids of the fleets for which the role holds. Without it: all.", valueName: "id"))
    var fleet: [String] = []
    @Option(help: ArgumentHelp("Number of days after which the token expires. Without it: never.", valueName: "number"))
    var days: Int?
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      guard let role = Role(rawValue: role) else {
        let names = Role.allCases.map(\.rawValue).joined(separator: ", ")
        throw Failure(.usage, "--role: expected one of \(names), found \"\(role)\"")
      }
      guard label.isEmpty || Names.isText(label, limit: Names.maximumLabelCount) else {
        throw Failure(
          .usage, "--label: expected \(Names.textRule(Names.maximumLabelCount)), found \(JSONError.quoted(label))")
      }
      let tenant = try owner.tenant()
      let scope = try scope()
      guard days.map({ (1...36_500).contains($0) }) ?? true else {
        throw Failure(.usage, "--days: expected 1 to 36500, found \(days ?? 0)")
      }
      let secret = Secret(.operatorToken)
      let now = WallClock.now
      let token = OperatorToken(
        id: .random(at: now), label: label, role: role, scope: scope, addedAt: now,
        expiresAt: days.map { now.adding(seconds: $0 * 86_400) })
      try await store.withStorage { storage in
        try await storage.view(tenant: tenant) { view throws(ThingError) in
          guard case .fleets(let ids) = scope else { return }
          for id in ids { _ = try view.existing(id, Fleet.self) }
        }
        try await storage.addToken(token, secret: secret.hash, tenant: tenant)
      }
      try StandardOutput.print(secret: secret.text, lost: "the token was created: revoke it, and create another")
    }

    private func scope() throws(Failure) -> FleetScope {
      if fleet.isEmpty { return .all }
      var ids: [UUIDv7] = []
      for text in fleet {
        guard let id = UUIDv7(text.utf8.span) else {
          throw Failure(.usage, "--fleet: expected the id of a fleet, found \(JSONError.quoted(text))")
        }
        ids.append(id)
      }
      return .fleets(ids)
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revokes a token, or all tokens that were made after a time.")

    @Argument(help: "The token's id, as `token list` prints it.") var tokenId: String?
    @OptionGroup var after: MadeAfter
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      if let moment = try after.moment(insteadOf: tokenId, "token revoke", of: owner) {
        return try await store.withStorage { storage in
          let count = try await storage.revokeTokens(
            madeAfter: moment, tenant: after.allTenants ? nil : tenant, at: WallClock.now)
          StandardError.print("fleetstore: \(count) tokens revoked")
        }
      }
      let id = try TokenCommand.id(tokenId ?? "")
      try await store.withStorage { storage in
        try await storage.revokeToken(id, tenant: tenant, at: WallClock.now)
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revokes a token and removes it from lists.")

    @Argument(help: "The token's id, as `token list` prints it.") var tokenId: String
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let (tenant, id) = (try owner.tenant(), try TokenCommand.id(tokenId))
      try await store.withStorage { storage in
        try await storage.removeToken(id, tenant: tenant, at: WallClock.now)
      }
    }
  }

  private static func id(_ text: String) throws(Failure) -> UUIDv7 {
    guard let id = UUIDv7(text.utf8.span) else {
      throw Failure(.usage, "token: expected an id as `fleetstore token list` prints it")
    }
    return id
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints id, role, state, creation time, label, end, last use, fleets; separated by tabs.")

    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      try await store.withStorage { storage in
        var cursor: String?
        repeat {
          let page = try await storage.tokens(cursor: cursor, limit: 1_000, tenant: tenant)
          for token in page.items {
            try StandardOutput.print(
              [
                TimeText.of(token.id), token.role.rawValue, Self.state(token), TimeText.of(token.addedAt),
                token.label.isEmpty ? "-" : token.label, token.expiresAt.map(TimeText.of) ?? "-",
                token.lastUsedAt.map(TimeText.of) ?? "never", Self.fleets(token),
              ].joined(separator: "\t"))
          }
          cursor = page.next
        } while cursor != nil
      }
    }

    private static func state(_ token: OperatorToken) -> String {
      if token.revokedAt != nil { return "revoked" }
      return token.hasExpired(at: WallClock.now) ? "expired" : "good"
    }

    private static func fleets(_ token: OperatorToken) -> String {
      guard case .fleets(let ids) = token.scope else { return "all" }
      return ids.map(TimeText.of).joined(separator: ",")
    }
  }
}
