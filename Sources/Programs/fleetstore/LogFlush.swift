import CommandLineSupport
import ServiceLifecycle

/// Writes the counts of repeated log lines (``RepeatedLines``) when they are due, and when the server stops.
struct LogFlush: Service {
  let repeated: RepeatedLines

  func run() async throws {
    let work = Task {
      while (try? await Task.sleep(for: .seconds(5))) != nil {
        for line in repeated.flush(at: .now) { StandardError.print(line) }
      }
    }
    defer { work.cancel() }
    try await gracefulShutdown()
    for line in repeated.flush(at: .now, isLast: true) { StandardError.print(line) }
  }
}
