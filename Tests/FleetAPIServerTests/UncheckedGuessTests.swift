import FleetAccess
import FleetDomain
import Logging
import TestKit
import Testing

@testable import FleetAPI

/// Attempts to sign in that the server could not check count as no wrong guess. Otherwise, an overload or a failure of
/// the storage would lock people out.
@Suite struct UncheckedGuessTests {
  /// Counts the look-ups of a test. The server's own tasks make others.
  @TaskLocal private static var calls: Tally?
  private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  private static func service(_ server: TestServer, _ hasher: PasswordHasher) -> AccountService {
    AccountService(
      storage: server.storage, settings: AccountSettings(), hasher: hasher, authenticator: server.newAuthenticator(),
      hub: LiveHub(loops: [], settings: LiveSettings(), memory: .memory(1), connections: Connections(1)),
      logger: logger)
  }

  private static func signIn(_ service: AccountService, _ password: String) async throws {
    let caller = AccountService.Caller(
      address: "10.7.7.7", agent: nil, transport: .cookie, device: nil, session: nil)
    _ = try await service.signIn(
      email: "ann@example.com", password: password, tenant: .standard, caller)
  }

  /// Ten wrong passwords are answered as wrong, and the next one is too many.
  private static func expectAllGuesses(_ service: AccountService) async throws {
    for number in 0..<GuessLimiter.account.burst {
      let error = await #expect(throws: APIError.self) { try await signIn(service, "wrong \(number)") }
      #expect(error?.status == .unauthorized && error?.code == "wrongCredentials", "\(number)")
    }
    let error = await #expect(throws: APIError.self) { try await signIn(service, TestServer.password) }
    #expect(error?.status == .tooManyRequests)
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_password_that_an_overloaded_server_cannot_check_is_no_guess(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      try await PasswordHasherTests.withBusyHasher { hasher, free in
        let service = Self.service(server, hasher)
        let waiting = PasswordHasherTests.stranger(.standard, "10.0.0.1")
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<PasswordHasher.mostWaiting {
            group.addTask { try await hasher.run(for: waiting) {} }
            while hasher.waitingCount <= number { await Task.yield() }
          }
          // More attempts than the limits of the account and of the address allow.
          for number in 0..<(GuessLimiter.account.burst + GuessLimiter.address.burst) {
            let error = await #expect(throws: APIError.self) { try await Self.signIn(service, "wrong \(number)") }
            #expect(error?.status == .serviceUnavailable && error?.code == "busy", "\(number)")
          }
          free()
          try await group.waitForAll()
        }
        try await Self.expectAllGuesses(service)
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_attempt_during_a_failure_of_the_storage_is_no_guess(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await server.addPerson("ann@example.com")
      let hasher = PasswordHasher(.fast, processors: 1, memory: .memory(1 << 30))
      hasher.start()
      let service = Self.service(server, hasher)
      // The first look-up of each attempt finds the person. The second one, of the guesses that all servers have counted,
      // fails.
      server.storage.set(.view) { () throws(StorageError) in
        if let calls = Self.calls, calls.next() % 2 == 0 { throw StorageError(.unavailable, "test", "no answer") }
      }
      for number in 0..<(GuessLimiter.account.burst + GuessLimiter.address.burst) {
        await Self.$calls.withValue(Tally()) {
          let error = await #expect(throws: ThingError.self) { try await Self.signIn(service, "wrong \(number)") }
          #expect(error == .storage(StorageError(.unavailable, "test", "no answer")), "\(number)")
        }
      }
      server.storage.set(.view, nil)
      try await Self.expectAllGuesses(service)
      try await hasher.stop()
    }
  }
}
