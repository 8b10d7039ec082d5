import ServiceLifecycle

/// A service that may end before its group tells it to: one that ends while others are told to stop would have the group
/// break them off.
struct EndedBeside<Wrapped: Service>: Service {
  let service: Wrapped

  func run() async throws {
    try await service.run()
    // It is cancelled where it is not told to stop.
    try? await gracefulShutdown()
  }
}
