import Glibc
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle
import Synchronization

extension FleetServer {
  /// The maximum number of simultaneous connections for metrics.
  private static let metricsConnections = 16

  /// Listens on the server's address and, if configured, on the address for metrics, until the server stops. If one of
  /// the two fails, listening ends on both.
  func listen(
    _ channel: FleetChannel, _ tls: TLSConfiguration?, _ metrics: MetricsChannel,
    _ group: MultiThreadedEventLoopGroup, _ hub: LiveHub
  ) async throws {
    let port = ListeningPort(sockets: options.metrics == nil ? 1 : 2, then: onListening)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      if let address = options.metricsAddress {
        let limit = ConnectionLimit(Self.metricsConnections, "for metrics", logger: logger)
        tasks.addTask {
          try await listen(metrics, group, address, limit) { found in
            logger.info("metrics at http://\(ListeningAddress.text(address.host, found))/metrics")
            port.listens(nil)
          } onStop: {
          }
        }
      }
      tasks.addTask {
        let limit = ConnectionLimit(options.limits.connections, "limits.connections", logger: logger)
        let onRunning: @Sendable (Int) -> Void = { found in
          let address = ListeningAddress.text(options.host, found)
          logger.info("listening on \(tls == nil ? "http" : "https")://\(address)")
          port.listens(found)
        }
        if let tls {
          try await listen(
            TLSChannel(channel, tlsConfiguration: tls), group, options.address, limit, onRunning, onStop: hub.closeAll)
        } else {
          try await listen(channel, group, options.address, limit, onRunning, onStop: hub.closeAll)
        }
      }
      // An error ends this loop. The task group then cancels the other task.
      while try await tasks.next() != nil {}
    }
  }

  private func listen(
    _ channel: some ServerChildChannel, _ group: MultiThreadedEventLoopGroup, _ address: ListeningAddress,
    _ limit: ConnectionLimit, _ onRunning: @escaping @Sendable (_ port: Int) -> Void,
    onStop: @escaping @Sendable () -> Void
  ) async throws {
    var quiet = logger
    quiet.logLevel = max(logger.logLevel, .warning)
    let server = Server(
      childChannelSetup: channel,
      configuration: ServerConfiguration(
        address: .hostname(address.host, port: address.port), backlog: 1_024, availableConnectionsDelegate: limit),
      onServerRunning: { channel in onRunning(channel.localAddress?.port ?? address.port) }, eventLoopGroup: group,
      logger: quiet)
    // A detached task is not cancelled with its parent, so only this function stops the server. Otherwise, the server
    // could shut down while no code waits for it. Work would then be passed to event loops that have ended.
    let running = Task.detached { try await server.run() }
    let stopping = Mutex<Task<Void, Never>?>(nil)
    do {
      try await withTaskCancellationHandler {
        try await withGracefulShutdownHandler {
          try await running.value
        } onGracefulShutdown: {
          onStop()
          stopping.withLock { stopping in
            stopping = Task {
              do {
                try await server.shutdownGracefully()
              } catch {
                logger.error("\(address.key): the stop failed: \(error)")
              }
            }
          }
        }
      } onCancel: {
        running.cancel()
      }
      await stopping.withLock { $0 }?.value
    } catch let error as IOError {
      throw address.refused(error.errnoCode)
    } catch is SocketAddressError.UnknownHost {
      throw address.unknown(EAI_NONAME)
    }
  }
}

/// Calls `then` with the port of the server after all sockets of the server listen.
private final class ListeningPort: Sendable {
  private let state: Mutex<(missing: Int, port: Int)>
  private let then: @Sendable (_ port: Int) -> Void

  init(sockets: Int, then: @escaping @Sendable (_ port: Int) -> Void) {
    state = Mutex((sockets, 0))
    self.then = then
  }

  /// Counts a socket that now listens.
  ///
  /// - Parameter port: the port of the server's main socket; `nil` for the socket for metrics.
  func listens(_ port: Int?) {
    let found: Int? = state.withLock { state in
      state.missing -= 1
      if let port { state.port = port }
      return state.missing == 0 ? state.port : nil
    }
    if let found { then(found) }
  }
}
