import FleetAccess
import FleetDomain
import FleetWork
import Foundation
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetOutbox

/// Webhooks with a receiver in another language, which verifies the signatures with the package of Standard Webhooks. On
/// both databases.
@Suite struct DeliverySenderTests {
  typealias Outbox = MailOutbox
  typealias Database = MailOutbox.Database

  private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

  /// A receiver that behaves as the path says. It prints a line for each request.
  private static let receiver = """
    import datetime, http.server, json, sys, time
    from standardwebhooks import Webhook
    # The clock of the server is that of the test, so the package must not compare it with this machine's.
    Webhook._Webhook__verify_timestamp = lambda self, text: datetime.datetime.fromtimestamp(int(text), datetime.timezone.utc)
    hook = Webhook(sys.argv[1])
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        answers = {}
        def answer(self, status, *headers, body=b""):
            self.send_response(status)
            for name, value in headers: self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                hook.verify(body, dict(self.headers.items()))
                verified = "signed"
            except Exception as error:
                verified = repr(error)
            data = json.loads(body)
            words = self.path[1:].split("-")
            kind = words[0]
            left = self.answers.setdefault(self.path, words[1:])
            print(kind, verified, data["type"], data["data"].get("item", "none"), self.headers["webhook-id"], flush=True)
            if kind == "hang": time.sleep(600)
            elif kind == "drip":
                for byte in b"HTTP/1.1 200 OK\\r\\n" * 100:
                    self.wfile.write(bytes([byte])); self.wfile.flush(); time.sleep(1)
            elif kind == "cut":
                self.wfile.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\nhalf"); self.close_connection = True
            elif kind == "big": self.answer(200, body=b"x" * 200_000)
            elif kind == "lie":
                self.wfile.write(b"This is not HTTP\\r\\n\\r\\n"); self.close_connection = True
            elif kind == "redirect": self.answer(302, ("Location", "/ok"))
            elif kind == "later": self.answer(429, ("Retry-After", "120")) if left and left.pop() else self.answer(204)
            elif kind == "item" and data["data"].get("item") == "A1" and left and left.pop(): self.answer(500)
            elif kind == "status": self.answer(int(left.pop(0)) if left else 204)
            else: self.answer(204)
        def log_message(self, *_): pass
    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        def handle_error(self, *_): pass
    server = Server(("127.0.0.1", 0), Handler)
    print("port", server.server_port, flush=True)
    server.serve_forever()
    """

  /// The receiver, and the store whose events it gets.
  private final class Site: Sendable {
    let outbox: Outbox
    private let program: RunningProgram
    let url: String

    init(_ outbox: Outbox) async throws {
      self.outbox = outbox
      program = try await runBlocking {
        try RunningProgram(
          try Tool.python(with: "standardwebhooks"), ["-c", DeliverySenderTests.receiver, DeliverySenderTests.secret])
      }
      url = "http://127.0.0.1:\(try program.line(within: .seconds(60)) { $0.hasPrefix("port ") }.text.dropFirst(5))"
    }

    deinit { program.kill() }

    static func with(_ database: Database, _ body: (Site) async throws -> Void) async throws {
      try await Outbox.with(database) { outbox in try await body(try await Site(outbox)) }
    }

    func sender(mayUsePrivate: Bool = true) -> DeliverySender {
      DeliverySender(
        storage: outbox.storage, keys: Outbox.keys, mayUsePrivate: mayUsePrivate,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { [outbox] in outbox.now }
    }

    func change<Value: Sendable>(
      _ work: @escaping @Sendable (any FleetTransaction) throws(ThingError) -> Value
    ) async throws -> Value {
      try await outbox.storage.change(tenant: .standard, by: Actor(.command), at: outbox.now, work)
    }

    func add(_ path: String, events: [FleetEvent.Event]? = nil) async throws -> UUIDv7 {
      try await change { [url] transaction throws(ThingError) in
        var webhook = Webhook()
        (webhook.url, webhook.events) = (url + path, events)
        let stored = try transaction.insert(webhook)
        webhook.secret = Outbox.keys.seal(
          Array(DeliverySenderTests.secret.utf8), for: SecretPlace.eventWebhook(stored.id))
        try transaction.update(stored, to: webhook, action: "setSecret")
        return stored.id
      }
    }

    /// Adds an event for each item. Items with the same first letter are about the same thing.
    func emit(_ items: String...) async throws {
      for item in items {
        try await change { transaction throws(ThingError) in
          let thing = UUIDv7(milliseconds: 1, first: 1, rest: UInt64(item.utf8.first ?? 0))
          var event = FleetEvent(.defectOpened, Defect.self, thing)
          event.item = item
          try transaction.emit(event)
        }
      }
      try await notify()
    }

    func notify() async throws {
      let notifier = Notifier(
        storage: outbox.storage, keys: nil, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ) { [outbox] in outbox.now }
      while try await notifier.round() > 0 {}
    }

    func webhook(_ id: UUIDv7) async throws -> Webhook {
      try await outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.existing(id, Webhook.self).value
      }
    }

    func deliveries(_ id: UUIDv7) async throws -> [Delivery] {
      try await outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(
          ThingQuery<Delivery>(.oneOf(key: "receiverId", [id.json]), order: [.init("number")], limit: 1_000)
        ).items.map(\.value)
      }
    }

    /// Returns the words of the next request: path, `signed`, type, item, id.
    func request() throws -> [Substring] {
      try program.line(within: .seconds(60)) { _ in true }.text.split(separator: " ")
    }
  }

  @Test(arguments: Database.allCases)
  func an_event_is_signed_and_sent_again_until_it_is_accepted(_ database: Database) async throws {
    try await Site.with(database) { site in
      let id = try await site.add("/status-500-302-503")
      let sender = site.sender()
      try await site.emit("A1")
      var ids: Set<Substring> = []
      for seconds in [0, 5, 10, 20] {
        site.outbox.advance(seconds)
        try await sender.round()
        let words = try site.request()
        #expect(words[0..<4] == ["status", "signed", "defectOpened", "A1"], "\(words)")
        ids.insert(words[4])
        // Nothing is sent before its time.
        site.outbox.advance(1)
        #expect(try await !sender.round())
      }
      let delivery = try #require(try await site.deliveries(id).first)
      #expect(ids == [Substring(delivery.eventID.string)], "a repeated message has the same ID")
      #expect(delivery.state == .delivered && delivery.attempts == 4 && delivery.status == 204)
      let webhook = try await site.webhook(id)
      #expect(webhook.state == .working && webhook.delivered == 1)
      #expect(
        webhook.failures.map(\.message) == ["status 503", "status 302: redirects are not followed", "status 500"])
      #expect(sender.current == DeliveryCounts(delivered: 1, failed: 3))
    }
  }

  @Test(arguments: Database.allCases)
  func events_of_a_thing_stay_in_order_and_delay_no_other_thing(_ database: Database) async throws {
    try await Site.with(database) { site in
      let id = try await site.add("/item-once")
      let sender = site.sender()
      try await site.emit("A1", "A2", "B1", "A3", "B2")
      try await sender.round()
      var items = [Substring]()
      for _ in 0..<3 { items.append(try site.request()[3]) }
      #expect(items == ["A1", "B1", "B2"], "A2 and A3 wait for A1")
      site.outbox.advance(6)
      try await sender.round()
      items = []
      for _ in 0..<3 { items.append(try site.request()[3]) }
      #expect(items == ["A1", "A2", "A3"])
      #expect(try await site.deliveries(id).allSatisfy { $0.state == .delivered })
    }
  }

  @Test(arguments: Database.allCases)
  func a_receiver_that_does_not_answer_delays_no_other(_ database: Database) async throws {
    try await Site.with(database) { site in
      for path in ["/hang", "/drip", "/hang"] { _ = try await site.add(path) }
      let working = try await site.add("/ok")
      try await site.emit("A1", "B1", "C1")
      let sender = site.sender()
      let task = Task { try await sender.run() }
      defer { task.cancel() }
      var items: [Substring] = []
      while items.count < 3 {
        let words = try await runBlocking { try site.request() }
        if words[0] == "ok" { items.append(words[3]) }
      }
      #expect(items == ["A1", "B1", "C1"])
      #expect(sender.current.failed == 0, "the others are still waited for")
      // Each attempt ends after 15 s.
      while sender.current.failed < 3 { try await Task.sleep(for: .milliseconds(50)) }
      task.cancel()
      _ = await task.result
      #expect(try await site.webhook(working).delivered == 3)
    }
  }

  @Test(arguments: Database.allCases)
  func the_failures_of_a_receiver_are_shown(_ database: Database) async throws {
    try await Site.with(database) { site in
      var ids: [String: UUIDv7] = [:]
      for path in ["cut", "big", "lie"] { ids[path] = try await site.add("/\(path)") }
      try await site.emit("A1")
      let sender = site.sender()
      while try await sender.round() {}
      for (path, id) in ids {
        let webhook = try await site.webhook(id)
        let delivery = try #require(try await site.deliveries(id).first)
        #expect(webhook.state == .failing && webhook.failures.count == 1, "\(path)")
        #expect(delivery.state == .waiting && delivery.attempts == 1 && delivery.status == nil, "\(path)")
      }
      let big = try #require(ids["big"])
      #expect(try await site.webhook(big).failures[0].message == "the answer is longer than 65536 bytes")
    }
  }

  @Test(arguments: Database.allCases)
  func private_addresses_are_refused_at_the_connection(_ database: Database) async throws {
    try await Site.with(database) { site in
      let id = try await site.add("/ok")
      // A name that leads to this machine, as after DNS rebinding.
      let port = site.url.split(separator: ":").last ?? ""
      try await site.change { transaction throws(ThingError) in
        let stored = try transaction.existing(id, Webhook.self)
        var changed = stored.value
        changed.url = "https://localhost.localdomain:\(port)/ok"
        try transaction.update(stored, to: changed, action: "change")
      }
      try await site.emit("A1")
      try await site.sender(mayUsePrivate: false).round()
      let webhook = try await site.webhook(id)
      #expect(webhook.state == .failing && webhook.delivered == 0)
      try await site.change { [url = site.url] transaction throws(ThingError) in
        let stored = try transaction.existing(id, Webhook.self)
        var changed = stored.value
        changed.url = url + "/ok"
        try transaction.follow(try transaction.update(stored, to: changed, action: "change"))
      }
      try await site.sender(mayUsePrivate: false).round()
      #expect(try await site.webhook(id).failures[0].message == "not an address that may be used")
    }
  }

  @Test(arguments: Database.allCases)
  func a_receiver_that_asks_to_wait_gets_nothing_meanwhile(_ database: Database) async throws {
    try await Site.with(database) { site in
      let id = try await site.add("/later-once")
      let sender = site.sender()
      try await site.emit("A1", "B1")
      try await sender.round()
      #expect(try site.request()[3] == "A1")
      site.outbox.advance(119)
      try await site.emit("C1")
      #expect(try await !sender.round())
      site.outbox.advance(1)
      try await sender.round()
      #expect(try await site.deliveries(id).map(\.state) == [.delivered, .delivered, .delivered])
    }
  }

  @Test(arguments: Database.allCases)
  func a_webhook_that_is_gone_is_switched_off_and_administrators_learn_it(_ database: Database) async throws {
    try await Site.with(database) { site in
      try await site.change { transaction throws(ThingError) in
        var person = Person()
        person.email = EmailAddress("admin@example.org")
        (person.firstName, person.lastName, person.roles) = ("A", "X", [.admin])
        try transaction.insert(person)
      }
      let (gone, dead) = (try await site.add("/status-410", events: [.defectOpened]), try await site.add("/status-500"))
      // This one always fails.
      try await site.change { transaction throws(ThingError) in
        let stored = try transaction.existing(dead, Webhook.self)
        var changed = stored.value
        (changed.url, changed.events) = ("http://127.0.0.1:1/", [.defectOpened])
        try transaction.update(stored, to: changed, action: "change")
      }
      let sender = site.sender()
      try await site.emit("A1")
      while try await sender.round() {}
      let first = try await site.webhook(gone)
      #expect(!first.isActive && first.state == .disabled)
      #expect(first.failures.first?.message == "status 410: the receiver is gone")
      var hours = 0
      while try await site.webhook(dead).isActive, hours < 100 {
        site.outbox.advance(3_600)
        while try await sender.round() {}
        hours += 1
      }
      #expect(hours == 24)
      #expect(try await site.webhook(dead).failures.first?.message == "no success for a day")
      try await site.notify()
      let texts = try await site.outbox.storage.view(tenant: .standard) { view throws(ThingError) in
        try view.list(ThingQuery<FleetWork.Notification>(.oneOf(key: "event", [.text("webhookDisabled")]))).items
          .map(\.value.text)
      }
      #expect(texts.count == 2 && texts.allSatisfy { $0.hasPrefix("A webhook was switched off: http://127.0.0.1") })
      // The path often contains a secret. One receiver has the path /status-410, the other /.
      #expect(texts.allSatisfy { !$0.contains("status-") && !$0.hasSuffix("/") }, "\(texts)")
      // After it was switched on again, what is older than a day is not sent.
      site.outbox.advance(86_400)
      try await site.change { [url = site.url] transaction throws(ThingError) in
        let stored = try transaction.existing(dead, Webhook.self)
        var changed = stored.value
        (changed.url, changed.isActive) = (url + "/ok", true)
        try transaction.follow(try transaction.update(stored, to: changed, action: "change"))
      }
      try await site.emit("B1")
      while try await sender.round() {}
      #expect(try await site.deliveries(dead).map(\.state) == [.failed, .delivered])
    }
  }

  @Test(arguments: Database.allCases)
  func a_delivery_in_progress_when_the_server_ends_is_sent_again(_ database: Database) async throws {
    try await Site.with(database) { site in
      let id = try await site.add("/ok")
      try await site.emit("A1")
      // The state that a killed server leaves: a lease, and a delivery that was taken.
      let taken = try await site.change { transaction throws(ThingError) in
        let holder = UUIDv7(milliseconds: 1, first: 2, rest: 3)
        let progress = try transaction.lease(
          DeliveryProgress.self, to: holder, seconds: DeliveryLimits.lease)
        guard let progress else { return DeliveryJob?.none }
        return try transaction.nextJob(of: progress.id, holder: holder, after: nil, mayContinue: true, Outbox.keys)
      }
      #expect(taken?.delivery.value.attempts == 1)
      let sender = site.sender()
      #expect(try await !sender.round(), "another server must not send it at the same time")
      site.outbox.advance(DeliveryLimits.lease + 1)
      try await sender.round()
      #expect(try site.request()[3] == "A1")
      #expect(try await site.deliveries(id).map(\.attempts) == [2])
    }
  }

  @Test(arguments: Database.allCases)
  func a_rule_sends_its_events_to_webhooks_and_more_than_the_limit_is_counted(_ database: Database) async throws {
    try await Site.with(database) { site in
      let (own, other) = (try await site.add("/ok", events: []), try await site.add("/ok", events: []))
      try await site.change { transaction throws(ThingError) in
        var rule = NotificationRule()
        (rule.name, rule.events, rule.channels) = ("R", [.defectOpened], [.webhook])
        rule.webhookIDs = [own]
        try transaction.insert(rule)
        var progress = DeliveryProgress()
        progress.waiting = DeliveryLimits.mostWaiting(.webhook) - 1
        try transaction.insert(progress, id: own, action: "create")
      }
      try await site.emit("A1", "A2", "A3")
      #expect(try await site.deliveries(own).count == 1)
      #expect(try await site.deliveries(other).isEmpty)
      #expect(try await site.webhook(own).dropped == 2)
    }
  }
}
