import FleetDomain
import Synchronization

/// Sends new feed positions to the streams of readers.
final class Announcer: Sendable {
  private struct State {
    var next = 0
    var readers: [TenantID: [Int: AsyncStream<FeedPosition>.Continuation]] = [:]
    var newest: [TenantID: FeedPosition] = [:]
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Creates a stream of a tenant's feed positions. A slow reader may miss positions, but always gets the newest one.
  func stream(_ tenant: TenantID) -> AsyncStream<FeedPosition> {
    let (stream, continuation) = AsyncStream.makeStream(of: FeedPosition.self, bufferingPolicy: .bufferingNewest(1))
    let number: Int? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.next += 1
      state.readers[tenant, default: [:]][state.next] = continuation
      return state.next
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { state in
        state.readers[tenant]?[number] = nil
        if state.readers[tenant]?.isEmpty == true { state.readers[tenant] = nil }
      }
    }
    return stream
  }

  /// Sends a position to the streams of a tenant, unless a newer position was sent before.
  func announce(_ tenant: TenantID, _ position: FeedPosition) {
    let readers = state.withLock { state -> [AsyncStream<FeedPosition>.Continuation] in
      guard position > state.newest[tenant] ?? .start else { return [] }
      state.newest[tenant] = position
      return state.readers[tenant].map { Array($0.values) } ?? []
    }
    for reader in readers { reader.yield(position) }
  }

  /// Ends all streams.
  func close() {
    let readers = state.withLock { state -> [AsyncStream<FeedPosition>.Continuation] in
      state.isClosed = true
      let all = state.readers.values.flatMap(\.values)
      state.readers = [:]
      return all
    }
    for reader in readers { reader.finish() }
  }
}
