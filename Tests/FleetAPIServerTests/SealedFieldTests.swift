import FleetAccess
import FleetConnectors
import FleetDomain
import FleetStorageTestKit
import FleetWork
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// The fields that contain encrypted secrets, and the replacement of the key that encrypts them.
@Suite struct SealedFieldTests {
  private static let (old, new) = (String(repeating: "7", count: 64), String(repeating: "8", count: 64))
  private static func keys(_ lines: String...) throws -> SecretKeys {
    try #require(SecretKeys(file: lines.joined(separator: "\n")))
  }

  /// The sources of the fleet's modules and of the program, by path.
  private static func sources() throws -> [String: String] {
    var found: [String: String] = [:]
    for folder in ["Fleet", "Programs/fleetstore"] {
      let root = TestData.projectRoot + "/Sources/" + folder
      for path in try FileManager.default.subpathsOfDirectory(atPath: root) where path.hasSuffix(".swift") {
        found[folder + "/" + path] = try String(contentsOfFile: root + "/" + path, encoding: .utf8)
      }
    }
    return found
  }

  /// Names of places that are used to encrypt something that is not stored.
  private static let notStored = ["OpenIDState.swift": "Self.place"]

  /// Every place at which a source encrypts a secret must be in ``SealedField/all``. Otherwise a rotation would leave
  /// the secret with the old key.
  @Test func every_place_of_a_secret_is_rotated() throws {
    let sources = try Self.sources()
    let table = try #require(sources["Fleet/FleetAPI/Secrets/SealedField.swift"])
    let rotated = Set(table.matches(of: /SecretPlace\.(\w+)/).map { String($0.1) })
    #expect(rotated.count == SealedField.all.count)
    var declared: Set<String> = []
    for (path, text) in sources where text.contains("extension SecretPlace") || text.contains("enum SecretPlace") {
      for block in text.split(separator: /(extension|enum) SecretPlace \{/).dropFirst() {
        let body = block.prefix { $0 != "\n" } + block.drop { $0 != "\n" }.split(separator: "\n}")[0]
        let names = body.matches(of: /static (?:func|let) (\w+)/).map { String($0.1) }
        #expect(!names.isEmpty, "\(path)")
        declared.formUnion(names)
      }
    }
    #expect(declared == rotated)
    // Nothing is encrypted for another place.
    for (path, text) in sources where !path.hasSuffix("SecretKeys.swift") {
      let file = path.split(separator: "/").last.map(String.init) ?? ""
      for call in text.matches(of: /[kK]eys\.seal\([^\n]*(?:\n[^\n]*)?for: ([A-Za-z.]+)/) {
        let place = String(call.1)
        #expect(
          place.hasPrefix("SecretPlace.") || place == "place" && file == "SealedField.swift"
            || Self.notStored[file] == place, "\(path): \(place)")
      }
    }
  }

  /// Fields that clients cannot read, other than encrypted ones: hashes, public values, and the server's own notes.
  private static let others: Set<String> = [
    "phone.keyHash", "connectedAsset.charge", "person.passwordHash", "person.knownAddresses", "factor.credentialId",
    "factor.counter", "ticket.secret", "ticket.details", "session.secret", "session.secretExpiresAt",
    "session.refreshSecret", "session.usedRefreshSecrets", "session.providerSession", "session.needsFactor",
    "pushSubscription.personId", "pushSubscription.endpoint", "pushSubscription.key", "pushSubscription.auth",
    "linkedIdentity.clientSubject", "delivery.channel", "delivery.body", "delivery.number", "notification.mailAt",
    "notification.pushAt", "maintenanceRecord.cycle", "maintenanceRecord.completionId", "meterReading.judgedFrom",
  ]

  @Test func every_hidden_field_of_every_kind_is_encrypted_or_known_not_to_be() throws {
    var hidden: Set<String> = []
    for text in try Self.sources().values where text.contains("KindNames(one:") {
      for part in text.split(separator: "KindNames(").dropFirst() {
        guard let kind = part.prefixMatch(of: /\s*one: "(\w+)"/)?.1 else { continue }
        for field in part.split(separator: "Field(").dropFirst() where field.contains(".hidden") {
          hidden.insert("\(kind).\(try #require(field.firstMatch(of: /^"(\w+)"/)).1)")
        }
      }
    }
    // The progress of a connector is not shown at all.
    let sealed = Set(SealedField.all.map(\.name)).subtracting(["connectorProgress.tokens"])
    #expect(hidden == sealed.union(Self.others))
  }

  private typealias Maker =
    @Sendable (any FleetTransaction, _ person: UUIDv7, (_ place: String) -> String) throws(ThingError) -> Void

  /// For each field, what stores a thing with a secret.
  private static let makers: [String: Maker] = [
    "factor.secret": { transaction, person, seal throws(ThingError) in
      for form in [Factor.Form.totp, .recoveryCodes] {
        let id = UUIDv7.random(at: transaction.now)
        var factor = Factor()
        (factor.personID, factor.form, factor.name, factor.isConfirmed) = (person, form, "Phone", true)
        factor.secret = form == .totp ? seal(SecretPlace.factor(id)) : "a hash"
        try transaction.insert(factor, id: id, action: "create")
      }
    },
    // More than one page.
    "queuedMail.details": { transaction, person, seal throws(ThingError) in
      for _ in 0..<300 {
        let id = UUIDv7.random(at: transaction.now)
        var mail = QueuedMail()
        (mail.personID, mail.recipient, mail.details) = (person, EmailAddress("a@b.cd"), seal(SecretPlace.mail(id)))
        mail.expiresAt = transaction.now.adding(seconds: 600)
        try transaction.insert(mail, id: id, action: "create")
      }
      try transaction.insert(QueuedMail())
    },
    "connector.secret": { transaction, _, seal throws(ThingError) in
      let id = UUIDv7.random(at: transaction.now)
      var connector = Connector()
      (connector.name, connector.isActive) = ("Cloud", false)
      connector.secret = seal(SecretPlace.connector(id))
      connector.webhookSecret = seal(SecretPlace.webhook(id))
      try transaction.insert(connector, id: id, action: "create")
      var progress = ConnectorProgress()
      progress.tokens = seal(SecretPlace.tokens(id))
      try transaction.insert(progress, id: id, action: "create")
    },
    "connector.webhookSecret": { _, _, _ throws(ThingError) in },
    "connectorProgress.tokens": { _, _, _ throws(ThingError) in },
    "forward.secret": { transaction, _, seal throws(ThingError) in
      let id = UUIDv7.random(at: transaction.now)
      var forward = Forward()
      (forward.name, forward.isActive, forward.secret) = ("Other", false, seal(SecretPlace.forward(id)))
      try transaction.insert(forward, id: id, action: "create")
    },
    "phone.messageKey": { transaction, _, seal throws(ThingError) in
      var driver = Driver()
      driver.name = "Dora"
      let id = UUIDv7.random(at: transaction.now)
      var phone = Phone()
      (phone.driverID, phone.name) = (try transaction.insert(driver).id, "Phone")
      phone.messageKey = seal(SecretPlace.phone(id))
      try transaction.insert(phone, id: id, action: "create")
    },
    "webhook.secret": { transaction, _, seal throws(ThingError) in
      let id = UUIDv7.random(at: transaction.now)
      var webhook = Webhook()
      (webhook.url, webhook.isActive) = ("https://hooks.example/", false)
      webhook.secret = seal(SecretPlace.eventWebhook(id))
      try transaction.insert(webhook, id: id, action: "create")
    },
    "pushKey.secret": { transaction, _, seal throws(ThingError) in
      var key = PushKey()
      key.secret = seal(SecretPlace.pushKey)
      try transaction.insert(key, id: PushKey.id, action: "create")
    },
  ]

  /// Returns all decrypted secrets of two tenants, by their places; `nil` for a secret that the keys do not decrypt.
  private static func opened(_ keys: SecretKeys, _ storage: any FleetStorage) async throws -> [String: [UInt8]?] {
    var found: [String: [UInt8]?] = [:]
    for tenant in try await storage.tenants() {
      for field in SealedField.all {
        for secret in try await field.secrets(of: tenant.id, in: storage) {
          found["\(tenant.id) \(secret.place)"] = .some(keys.open(secret.sealed, for: secret.place))
        }
      }
    }
    return found
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_interrupted_rotation_loses_nothing_and_is_completed(_ database: TestServer.Database) async throws {
    let (before, during, after) = (
      try Self.keys(Self.old), try Self.keys(Self.new, Self.old), try Self.keys(Self.new)
    )
    try await TestServer.run(on: database) { server in
      let storage = server.storage
      let tenants = [TenantID.standard, try #require(TenantID("other"))]
      for tenant in tenants {
        let person = try await server.addPerson("ann@example.com", tenant: tenant).id
        _ = try await storage.change(tenant: tenant, by: Actor(.command), at: WallClock.now) {
          transaction throws(ThingError) in
          for (_, make) in Self.makers.sorted(by: { $0.key < $1.key }) {
            try make(transaction, person) { before.seal(Array("secret of \($0)".utf8), for: $0) }
          }
        }
        for field in SealedField.all {
          // A new field needs something that stores a secret in it.
          #expect(Self.makers[field.name] != nil, "\(field.name)")
          #expect(try await !field.secrets(of: tenant, in: storage).isEmpty, "\(field.name)")
        }
      }
      let stored = try await Self.opened(before, storage)
      #expect(stored.count == 2 * (300 + SealedField.all.count - 1))
      #expect(
        stored.allSatisfy { place, text in
          text.map { place.hasSuffix(String(decoding: $0.dropFirst(10), as: UTF8.self)) } ?? false
        })
      // Without the old key, nothing is changed.
      await #expect(throws: (any Error).self) {
        try await SealedField.oneTimeCodes.rotate(.standard, after, storage, at: WallClock.now)
      }
      #expect(try await Self.opened(before, storage) == stored)
      var count = 0
      for field in SealedField.all.prefix(4) {
        count += try await field.rotate(.standard, during, storage, at: WallClock.now)
      }
      #expect(try await Self.opened(during, storage) == stored)
      #expect(try await Self.opened(after, storage).values.count { $0 != nil } == count && count > 300)
      for tenant in tenants {
        for field in SealedField.all { count += try await field.rotate(tenant, during, storage, at: WallClock.now) }
      }
      #expect(count == stored.count)
      // The old key can be removed.
      #expect(try await Self.opened(after, storage) == stored)
      for field in SealedField.all {
        #expect(try await field.rotate(.standard, during, storage, at: WallClock.now) == 0)
      }
    }
  }
}
