import ServiceLifecycle

/// Wraps a service that may end before its group stops it. The wrapper then waits until the group stops. Without it,
/// the group would treat the early end as a failure and cancel its other services.
struct EndedBeside<Wrapped: Service>: Service {
  let service: Wrapped

  func run() async throws {
    try await service.run()
    // This wait also ends if the task is cancelled.
    try? await gracefulShutdown()
  }
}
