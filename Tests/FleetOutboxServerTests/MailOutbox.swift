import FleetAccess
import FleetDomain
import FleetMessages
import FleetStorage
import FleetstoreTestKit
import Foundation
import Logging
import StoredFleetTestKit
import Synchronization
import Telemetry
import TestKit
import Testing

@testable import FleetOutbox

/// An empty store with mails to send, and the clock of its senders.
final class MailOutbox: Sendable {
  typealias Database = FleetstoreTestKit.Database

  /// The error that an expected event did not occur in time.
  struct Late: Error {
    let description: String
  }

  static let keys = SecretKeys(file: String(repeating: "7", count: 64))!
  static let other = TenantID("other")!

  let storage: StoredFleet
  /// Seconds since the beginning of the test.
  private let seconds = Atomic(0)
  private let folder: ScratchFolder

  init(_ database: Database) async throws {
    folder = try ScratchFolder()
    storage = try await database.emptyStore(in: folder)
    try await storage.addTenant(Self.other, at: now)
  }

  static func with(_ database: Database, _ body: (MailOutbox) async throws -> Void) async throws {
    let outbox = try await MailOutbox(database)
    do {
      try await body(outbox)
    } catch {
      await outbox.storage.close()
      throw error
    }
    await outbox.storage.close()
  }

  var now: Timestamp {
    Timestamp(nanoseconds: (1_795_442_709 + Int64(seconds.load(ordering: .sequentiallyConsistent))) * 1_000_000_000)
  }

  func advance(_ more: Int) { seconds.add(more, ordering: .sequentiallyConsistent) }

  /// Adds a mail for each number, each to another person.
  @discardableResult
  func add(
    _ numbers: Range<Int>, _ reason: QueuedMail.Reason = .recovery, tenant: TenantID = .standard,
    validSeconds: Int? = nil
  ) async throws -> Int {
    try await storage.change(tenant: tenant, by: Actor(.command), at: now) {
      [now] transaction throws(ThingError) in
      var count = 0
      for number in numbers {
        var person = Person()
        person.email = EmailAddress("p\(number)@example.org")
        person.firstName = "Jörg"
        person.lastName = "Nr \(number)"
        person.roles = [.viewer]
        let stored = try transaction.insert(person)
        var details = MailDetails(of: person)
        details.link = "https://fleet.example/reset#fsl_\(number)"
        details.validUntil = validSeconds.map { now.adding(seconds: $0) }
        if try transaction.enqueueMail(reason, to: stored, details, Self.keys) { count += 1 }
      }
      return count
    }
  }

  func queued(_ tenant: TenantID = .standard) async throws -> [Stored<QueuedMail>] {
    try await storage.view(tenant: tenant) { view throws(ThingError) in
      try view.list(ThingQuery<QueuedMail>(order: [.init("createdAt")], limit: 1_000)).items
    }
  }

  /// Runs a sender during a test.
  func sending(
    _ url: String, login: MailServer.Login? = nil, authorities: String? = nil,
    _ test: (MailSender) async throws -> Void
  ) async throws {
    let from = try #require(MailAddress(parsing: "North Depot <fleet@example.com>"))
    var server = try #require(MailServer(url, from: from))
    server.login = login
    server.authorities = authorities
    let sender = MailSender(
      server, keys: Self.keys, storage: storage, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ) { self.now }
    let task = Task { try await sender.run() }
    do {
      try await test(sender)
    } catch {
      task.cancel()
      _ = await task.result
      throw error
    }
    task.cancel()
    _ = await task.result
  }

  /// Waits until the sender's counts fulfil a condition.
  func wait(_ sender: MailSender, _ isDone: @Sendable (MailCounts) -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(120)
    while !isDone(sender.current) {
      guard .now < deadline else {
        throw Late(description: "the sender has counted \(sender.current)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }
}
