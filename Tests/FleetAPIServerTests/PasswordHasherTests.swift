import Dispatch
import FleetAccess
import FleetDomain
import Synchronization
import Testing

@testable import FleetAPI

/// The order in which passwords are hashed when many wait.
@Suite struct PasswordHasherTests {
  private final class Served: Sendable {
    let numbers = Mutex<[Int]>([])
  }

  private static let evil = TenantID("evil")!
  private static let acme = TenantID("acme")!

  /// Serves clients that all wait at the same time.
  ///
  /// - Parameter clients: in the order in which they come.
  /// - Returns: their numbers in the order in which they were served.
  private static func order(_ clients: [PasswordHasher.Client]) async throws -> [Int] {
    let served = Served()
    try await withBusyHasher { hasher, free in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (number, client) in clients.enumerated() {
          group.addTask { try await hasher.run(for: client) { served.numbers.withLock { $0.append(number) } } }
          while hasher.waitingCount <= number { await Task.yield() }
        }
        free()
        try await group.waitForAll()
      }
    }
    return served.numbers.withLock { $0 }
  }

  /// Runs a test with a hasher whose only thread works until the test calls its second argument.
  static func withBusyHasher(
    _ test: (PasswordHasher, _ free: @escaping @Sendable () -> Void) async throws -> Void
  ) async throws {
    let hasher = PasswordHasher(.fast, processors: 1, memory: .memory(1 << 30))
    hasher.start()
    let gate = DispatchSemaphore(value: 0)
    let (busy, isBusy) = AsyncStream<Void>.makeStream()
    let first = Task {
      try await hasher.run(for: stranger(nil, "10.1.1.1")) {
        isBusy.finish()
        gate.wait()
      }
    }
    for await _ in busy {}
    try await test(hasher) { gate.signal() }
    try await first.value
    try await hasher.stop()
  }

  static func stranger(_ tenant: TenantID?, _ address: String) -> PasswordHasher.Client {
    .init(tenant: tenant, address: address, isKnown: false)
  }

  @Test func a_tenant_with_many_wrong_passwords_does_not_delay_another() async throws {
    let many = (0..<40).map { Self.stranger(Self.evil, "10.0.\($0).1") }
    let order = try await Self.order(many + [Self.stranger(Self.acme, "10.9.9.9")])
    let place = try #require(order.firstIndex(of: 40))
    #expect(place <= 2, "\(order)")
  }

  @Test func unknown_accounts_do_not_delay_known_ones() async throws {
    let many = (0..<40).map { Self.stranger(nil, "10.0.\($0).1") }
    let order = try await Self.order(many + [Self.stranger(Self.acme, "10.9.9.9")])
    #expect(try #require(order.firstIndex(of: 40)) <= 2, "\(order)")
  }

  @Test func a_known_browser_does_not_wait_for_strangers_of_its_tenant() async throws {
    let many = (0..<40).map { Self.stranger(Self.acme, "10.0.\($0).1") }
    let order = try await Self.order(many + [.init(tenant: Self.acme, address: "10.9.9.9", isKnown: true)])
    #expect(try #require(order.firstIndex(of: 40)) <= 2, "\(order)")
  }

  @Test func known_clients_do_not_keep_strangers_out() async throws {
    let many = (0..<40).map { PasswordHasher.Client(tenant: Self.evil, address: "10.0.\($0).1", isKnown: true) }
    let order = try await Self.order(many + [Self.stranger(Self.acme, "10.9.9.9")])
    #expect(try #require(order.firstIndex(of: 40)) <= 3, "\(order)")
  }

  @Test func addresses_of_a_tenant_are_served_in_turn() async throws {
    let many = (0..<40).map { _ in Self.stranger(Self.acme, "10.0.0.1") }
    let order = try await Self.order(many + [Self.stranger(Self.acme, "10.9.9.9")])
    #expect(try #require(order.firstIndex(of: 40)) <= 3, "\(order)")
  }

  @Test func the_number_of_waiting_clients_is_limited() async throws {
    try await Self.withBusyHasher { hasher, free in
      let client = Self.stranger(Self.evil, "10.0.0.1")
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<PasswordHasher.mostWaiting {
          group.addTask { try? await hasher.run(for: client) {} }
          while hasher.waitingCount <= number { await Task.yield() }
        }
        let error = await #expect(throws: APIError.self) { try await hasher.run(for: client) {} }
        #expect(error?.status == .serviceUnavailable)
        free()
      }
    }
  }
}
