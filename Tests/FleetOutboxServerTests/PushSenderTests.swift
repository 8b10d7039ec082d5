import FleetAccess
import FleetDomain
import FleetWork
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetOutbox

/// Web push with a push service in another language, which decrypts the messages with the package `http_ece` and verifies
/// the signatures with `cryptography`. On both databases.
@Suite struct PushSenderTests {
  typealias Outbox = MailOutbox
  typealias Database = MailOutbox.Database

  private static let service = """
    import base64, http.server, json, os, sys
    import http_ece
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    def text(data): return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
    def data(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    def point(key): return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    key, auth = ec.generate_private_key(ec.SECP256R1()), os.urandom(16)
    def check(header, origin, server_key):
        token, public = header.removeprefix("vapid t=").split(", k=")
        head, claims, signature = token.split(".")
        raw = data(signature)
        der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        verifier = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data(public))
        verifier.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        claims = json.loads(data(claims))
        assert claims["aud"] == origin and claims["sub"] == "https://fleet.example", claims
        assert json.loads(data(head)) == {"typ": "JWT", "alg": "ES256"}
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status = int(self.path[1:])
            try:
                check(self.headers["Authorization"], f"http://127.0.0.1:{self.server.server_port}", None)
                assert self.headers["Content-Encoding"] == "aes128gcm" and len(body) <= 4096
                message = http_ece.decrypt(body, private_key=key, auth_secret=auth, version="aes128gcm")
                print(status, self.headers["TTL"], self.headers["Urgency"], len(self.headers["Topic"]), message.decode(), flush=True)
            except Exception as error:
                print("wrong", repr(error), flush=True)
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()
        def log_message(self, *_): pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, text(point(key.public_key())), text(auth), flush=True)
    server.serve_forever()
    """

  private final class Site: Sendable {
    let outbox: Outbox
    private let program: RunningProgram
    let port: String
    private let key: String
    private let auth: String
    let person: UUIDv7

    init(_ outbox: Outbox) async throws {
      self.outbox = outbox
      program = try await runBlocking {
        try RunningProgram(try Tool.python(with: "http_ece"), ["-c", PushSenderTests.service])
      }
      let words = try program.line(within: .seconds(60)) { _ in true }.text.split(separator: " ").map(String.init)
      (port, key, auth) = (words[0], words[1], words[2])
      person = try await outbox.storage.change(tenant: .standard, by: Actor(.command), at: outbox.now) {
        transaction throws(ThingError) in
        var person = Person()
        person.email = EmailAddress("ann@example.org")
        (person.firstName, person.lastName, person.roles, person.locale) = ("Ann", "X", [.admin], "de")
        var key = PushKey()
        key.secret = Outbox.keys.seal(PushSigner().secret, for: SecretPlace.pushKey)
        try transaction.insert(key, id: PushKey.id, action: "create")
        return try transaction.insert(person).id
      }
    }

    deinit { program.kill() }

    static func with(_ database: Database, _ body: (Site) async throws -> Void) async throws {
      try await Outbox.with(database) { outbox in try await body(try await Site(outbox)) }
    }

    func change<Value: Sendable>(
      _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
    ) async throws -> Value {
      try await outbox.storage.change(tenant: .standard, by: Actor(.command), at: outbox.now, work)
    }

    /// Adds a session with a browser whose push service answers with a status.
    func subscribe(answer status: Int) async throws -> (session: UUIDv7, subscription: UUIDv7) {
      try await change { [person, port, key, auth] transaction throws(ThingError) in
        var session = Session()
        (session.personID, session.expiresAt) = (person, transaction.now.adding(seconds: 7 * 86_400))
        session.secret = UUIDv7.random(at: transaction.now).string
        let stored = try transaction.insert(session)
        var subscription = PushSubscription()
        (subscription.personID, subscription.sessionID) = (person, stored.id)
        (subscription.endpoint, subscription.key, subscription.auth) = ("http://127.0.0.1:\(port)/\(status)", key, auth)
        return (stored.id, try transaction.insert(subscription).id)
      }
    }

    func rule(_ digest: NotificationRule.Digest, quiet: (String, String)? = nil) async throws {
      try await change { transaction throws(ThingError) in
        var rule = NotificationRule()
        (rule.name, rule.events, rule.roles) = ("R", [.defectUnsafe], [.admin])
        (rule.channels, rule.digest) = ([.inApp, .push], digest)
        rule.quietHours = quiet.map { quiet in
          var hours = NotificationRule.QuietHours()
          (hours.from, hours.to) = quiet
          return hours
        }
        try transaction.insert(rule)
      }
    }

    /// Adds events, and lets the notifier and the sender work.
    func emit(_ items: String...) async throws {
      for item in items {
        try await change { transaction throws(ThingError) in
          var event = FleetEvent(.defectUnsafe, Defect.self, .random(at: transaction.now))
          (event.vehicleID, event.item) = ("VAN-1", item)
          try transaction.emit(event)
        }
      }
      try await work()
    }

    func work() async throws {
      let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      let notifier = Notifier(storage: outbox.storage, keys: nil, service: "Depot", logger: logger) { [outbox] in
        outbox.now
      }
      while try await notifier.round() > 0 {}
      let sender = DeliverySender(
        storage: outbox.storage, keys: Outbox.keys, contact: "https://fleet.example", mayUsePrivate: true,
        logger: logger
      ) { [outbox] in outbox.now }
      while try await sender.round() {}
    }

    /// Returns the next message: status, TTL, urgency, length of the topic, and the decrypted text.
    func message() throws -> String { try program.line(within: .seconds(60)) { _ in true }.text }

    func subscriptions() async throws -> [UUIDv7] {
      try await outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<PushSubscription>()).items.map(\.id)
      }
    }
  }

  @Test(arguments: Database.allCases)
  func a_browser_decrypts_what_it_gets_once(_ database: Database) async throws {
    try await Site.with(database) { site in
      _ = try await site.subscribe(answer: 201)
      try await site.rule(.none)
      try await site.emit("brakes")
      let message = try site.message()
      #expect(message.hasPrefix("201 86400 high 32 {"), "\(message)")
      #expect(message.contains(#""body":"VAN-1 ist nicht verkehrssicher: brakes","kind":"defect""#))
      #expect(message.contains(#""title":"Depot""#))
      try await site.emit("horn")
      #expect(try site.message().contains("horn"))
      let notifications = try await site.outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<FleetWork.Notification>()).items.map { $0.value.deliveries.map(\.channel) }
      }
      #expect(notifications == [[.inApp, .push], [.inApp, .push]])
      let left = try await site.outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<Delivery>()).items
      }
      #expect(left.isEmpty, "messages are removed when they were sent")
    }
  }

  @Test(arguments: Database.allCases, [404, 410])
  func a_browser_that_is_gone_is_removed(_ database: Database, _ status: Int) async throws {
    try await Site.with(database) { site in
      _ = try await site.subscribe(answer: status)
      let (_, other) = try await site.subscribe(answer: 201)
      try await site.rule(.none)
      try await site.emit("brakes")
      #expect(try Set([site.message().prefix(3), site.message().prefix(3)]) == ["201", "\(status)"])
      #expect(try await site.subscriptions() == [other])
    }
  }

  @Test(arguments: Database.allCases)
  func a_digest_is_one_message_after_the_quiet_hours(_ database: Database) async throws {
    try await Site.with(database) { site in
      _ = try await site.subscribe(answer: 201)
      // The tests begin at 14:05 UTC.
      try await site.rule(.hourly, quiet: ("14:30", "16:00"))
      try await site.emit("brakes", "horn")
      site.outbox.advance(3_600 + 3_000)
      try await site.emit("lights")
      site.outbox.advance(3_600)
      try await site.work()
      let message = try site.message()
      #expect(message.contains(#""body":"3 Meldungen\n"#) && message.contains("brakes") && message.contains("lights"))
      #expect(!message.contains(#""thing""#))
    }
  }

  @Test(arguments: Database.allCases)
  func a_browser_gets_nothing_after_the_end_of_its_session(_ database: Database) async throws {
    try await Site.with(database) { site in
      let (session, _) = try await site.subscribe(answer: 201)
      let (_, expired) = try await site.subscribe(answer: 201)
      try await site.change { transaction throws(ThingError) in
        try transaction.endSession(try transaction.existing(session, Session.self), action: "signOut")
      }
      #expect(try await site.subscriptions() == [expired])
      try await site.rule(.none)
      site.outbox.advance(8 * 86_400)
      try await site.emit("brakes")
      #expect(try await site.subscriptions().isEmpty)
      let left = try await site.outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<Delivery>()).items
      }
      #expect(left.isEmpty)
    }
  }

  @Test(arguments: Database.allCases)
  func an_erased_person_has_no_browsers_and_messages(_ database: Database) async throws {
    try await Site.with(database) { site in
      _ = try await site.subscribe(answer: 500)
      try await site.rule(.none)
      try await site.emit("brakes")
      try await site.change { [person = site.person] transaction throws(ThingError) in
        var other = Person()
        other.email = EmailAddress("bob@example.org")
        (other.roles, other.passwordHash) = ([.admin], "x")
        try transaction.insert(other)
        _ = try transaction.erase(try transaction.existing(person, Person.self))
      }
      let left = try await site.outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<Delivery>()).items.count + view.list(ThingQuery<PushSubscription>()).items.count
          + view.list(ThingQuery<DeliveryProgress>()).items.count
      }
      #expect(left == 0)
    }
  }
}
