import FleetAccess
import TestKit
import Testing

@testable import FleetAPI

@Suite struct SignInOverloadTests {
  /// Hashing a password needs more memory than the server has. This is no wrong guess.
  @Test func attempts_that_an_overloaded_server_cannot_check_lock_nobody_out() async throws {
    try await TestServer.run(
      .test {
        $0.limits.unpackedBytes = 1 << 20
        $0.limits.memoryBytes = 4 << 20
        $0.accounts.hashCost = PasswordHash.Cost(passes: 1, memoryBytes: 64 << 20)
      }
    ) { server in
      try await aside {
        for _ in 0...GuessLimiter.account.burst {
          let reply = try server.asPage(
            nil, "POST", "/api/auth/login", #"{"email":"ann@example.org","password":"correct horse battery"}"#)
          #expect(reply.status == 503, "\(reply.text)")
        }
      }
    }
  }
}
