import ServiceLifecycle

/// Wraps a service that may end before its group stops it. Without the wrapper, a service that ends during a stop would
/// make the group cancel the others.
struct EndedBeside<Wrapped: Service>: Service {
  let service: Wrapped

  func run() async throws {
    try await service.run()
    // Cancellation also ends the wait.
    try? await gracefulShutdown()
  }
}
