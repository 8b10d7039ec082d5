import ArgumentParser
import CommandLineSupport
import Failures
import FleetAPI
import FleetAccess
import FleetDomain
import JSONText

/// `fleetstore gateway`: the gateways in the vehicles, and their keys.
struct GatewayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gateway", abstract: "Manages gateways, their vehicles and their keys.",
    subcommands: [Add.self, Set.self, Rotate.self, Revoke.self, Remove.self, List.self])

  func run() throws { throw ValidationError("name a subcommand: add, set, rotate, revoke, remove or list") }

  /// Checks the names in the arguments of a command.
  ///
  /// - Parameter isNew: whether the command adds the gateway.
  private static func check(_ gatewayId: String, _ vehicles: [String], isNew: Bool = false) throws(Failure) {
    if isNew, !NameRules.isNewName(gatewayId) {
      throw Failure(
        .usage, "gateway: expected \(NameRules.expectedNewName) as a name, found \(JSONError.quoted(gatewayId))")
    }
    for name in [gatewayId] + vehicles where !NameRules.isName(name) {
      throw Failure(
        .usage, "gateway: expected \(NameRules.expectedName) as a name, found \(JSONError.quoted(name))")
    }
    var seen: Swift.Set<String> = []
    for vehicle in vehicles where !seen.insert(vehicle).inserted {
      throw Failure(.usage, "gateway: --vehicle \(JSONError.quoted(vehicle)) given twice")
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Registers a gateway and prints its key, for its tokenFile. It cannot be shown again.")

    @Argument(help: "The gatewayId of its records.") var gatewayId: String
    @Option(name: .customLong("vehicle"), help: "A vehicle that it may write as. Default: those that it reports first.")
    var vehicles: [String] = []
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      try GatewayCommand.check(gatewayId, vehicles, isNew: true)
      let key = Secret(.gatewayKey)
      try await store.withStorage { storage in
        _ = try await storage.addGateway(
          gatewayId, allowedVehicles: vehicles, key: key.hash, tenant: tenant, at: WallClock.now)
      }
      try StandardOutput.print(
        secret: key.text, lost: "the gateway is registered: create another key with fleetstore gateway rotate")
    }
  }

  struct Set: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replaces the vehicles that a gateway may write as.",
      discussion: "The list replaces the old one as a whole; `fleetstore gateway list` prints it.")

    @Argument(help: "The gateway's id.") var gatewayId: String
    @Option(name: .customLong("vehicle"), help: "A vehicle that it may write as; may be repeated.")
    var vehicles: [String] = []
    @Flag(name: .customLong("no-vehicles"), help: "Remove the list: it may write as vehicles that it registers first.")
    var hasNone = false
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      try GatewayCommand.check(gatewayId, vehicles)
      guard vehicles.isEmpty == hasNone else {
        throw Failure(
          .usage, "gateway: expected --vehicle or --no-vehicles, found \(hasNone ? "both" : "neither")")
      }
      try await store.withStorage { storage in
        _ = try await storage.setAllowedVehicles(
          vehicles, gateway: gatewayId, tenant: tenant, at: WallClock.now)
      }
    }
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Replaces a gateway's key and prints the new one. A revoked gateway is valid again.")

    @Argument(help: "The gateway's id.") var gatewayId: String
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      let key = Secret(.gatewayKey)
      try await store.withStorage { storage in
        let before = try await storage.gateway(gatewayId, tenant: tenant)
        _ = try await storage.rotateKey(key.hash, gateway: gatewayId, tenant: tenant, at: WallClock.now)
        if before?.revokedAt != nil {
          StandardError.print(
            "fleetstore: gateway \(JSONError.quoted(gatewayId)) was revoked; with the new key it is valid again")
        }
      }
      try StandardOutput.print(secret: key.text, lost: "the old key is no longer valid; run rotate again")
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revokes a gateway's key, or all keys that were made after a time.")

    @Argument(help: "The gateway's id.") var gatewayId: String?
    @OptionGroup var after: MadeAfter
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      let moment = try after.moment(insteadOf: gatewayId, "gateway revoke", of: owner)
      try await store.withStorage { storage in
        if let moment {
          let count = try await storage.revokeGateways(
            madeAfter: moment, tenant: after.allTenants ? nil : tenant, at: WallClock.now)
          StandardError.print("fleetstore: \(count) gateways revoked")
        } else {
          try await storage.revokeGateway(gatewayId ?? "", tenant: tenant, at: WallClock.now)
        }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes a gateway and its key; its vehicles and records stay.")

    @Argument(help: "The gateway's id.") var gatewayId: String
    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      try await store.withStorage { storage in
        try await storage.removeGateway(gatewayId, tenant: tenant, at: WallClock.now)
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints id, state, last seen, backlog, version, allowed vehicles, current vehicle; separated by tabs.")

    @OptionGroup var owner: TenantOption
    @OptionGroup var store: CommandStore

    func run() async throws {
      let tenant = try owner.tenant()
      try await store.withStorage { storage in
        var cursor: String?
        repeat {
          let page = try await storage.gateways(cursor: cursor, limit: 1_000, tenant: tenant)
          for gateway in page.items {
            try StandardOutput.print(
              [
                gateway.id, gateway.revokedAt == nil ? "good" : "revoked", gateway.lastSeen.map(TimeText.of) ?? "never",
                gateway.spoolDepth.map(String.init) ?? "-", gateway.version ?? "-",
                gateway.allowedVehicles.isEmpty ? "-" : gateway.allowedVehicles.joined(separator: ","),
                gateway.currentVehicle ?? "-",
              ].joined(separator: "\t"))
          }
          cursor = page.next
        } while cursor != nil
      }
    }
  }
}
