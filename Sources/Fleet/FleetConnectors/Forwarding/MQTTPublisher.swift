import Dispatch
import FleetProviders
import Synchronization

/// A message that the broker stores as the last one of its topic.
struct RetainedMessage: Equatable, Sendable {
  let topic: String
  let payload: [UInt8]
}

/// Publishes retained messages to MQTT brokers.
protocol RetainedPublisher: Sendable {
  /// Publishes messages with QoS 1, in their order, and returns after the broker has acknowledged all of them.
  ///
  /// - Parameters:
  ///   - client: the client ID.
  ///   - password: `nil` if there is none.
  /// - Throws: an error if the broker did not acknowledge all messages. It may have received some of them.
  func publish(
    _ messages: [RetainedMessage], as client: String, to address: MQTTAddress, password: String?
  ) async throws(ConnectorError)
}

/// Publishes messages with libmosquitto. Each call makes a connection of its own, on a separate thread, because
/// libmosquitto blocks.
final class MQTTPublisher: RetainedPublisher {
  /// The default time limit of a call, s.
  static let seconds = 30

  private let mayUsePrivate: Bool
  private let authorities: String?
  private let seconds: Int
  private let idle = Mutex(IdleConnections())

  /// Creates a publisher.
  ///
  /// - Parameters:
  ///   - mayUsePrivate: whether connections to this machine and to private networks are allowed.
  ///   - authorities: the path of a PEM file with the certificate authorities to use; `nil` for those of the system.
  ///   - seconds: the time limit of a call, s.
  init(mayUsePrivate: Bool, authorities: String? = nil, seconds: Int = MQTTPublisher.seconds) {
    (self.mayUsePrivate, self.authorities, self.seconds) = (mayUsePrivate, authorities, seconds)
  }

  func publish(
    _ messages: [RetainedMessage], as client: String, to address: MQTTAddress, password: String?
  ) async throws(ConnectorError) {
    guard address.user != nil || password == nil else {
      throw ConnectorError(.settings, "address: expected a user name, because there is a password")
    }
    let login = BrokerLogin(client: client, address: address, password: password)
    let result: Result<Void, ConnectorError> = await withCheckedContinuation { continuation in
      DispatchQueue(label: "mqtt").async { [self] in
        continuation.resume(returning: Result { () throws(ConnectorError) in try send(messages, login) })
      }
    }
    try result.get()
  }

  private func send(_ messages: [RetainedMessage], _ login: BrokerLogin) throws(ConnectorError) {
    let deadline = ContinuousClock.now + .seconds(seconds)
    let address = login.address
    let found: [CheckedHost.Address]
    do throws(ProviderFailure) {
      found = try CheckedHost.addresses(
        of: address.host, isEncrypted: address.usesTLS, mayUsePrivate: mayUsePrivate, within: seconds / 2)
    } catch {
      throw ConnectorError(.unavailable, error.description)
    }
    var failure = ConnectorError(.unavailable, "no address for \(address.host)")
    for one in found where ContinuousClock.now < deadline {
      // If the first address does not answer, there is time left for the others.
      let half = ContinuousClock.now + Duration.seconds(seconds) / 2
      do throws(ConnectorError) {
        return try send(messages, login, to: one.text, until: min(half, deadline), deadline)
      } catch {
        guard error.kind == .unavailable else { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// Sends messages to one address of the broker.
  ///
  /// - Parameters:
  ///   - first: the time at which the broker must have answered the login.
  ///   - last: the time at which the whole call must end.
  private func send(
    _ messages: [RetainedMessage], _ login: BrokerLogin, to place: String, until first: ContinuousClock.Instant,
    _ last: ContinuousClock.Instant
  ) throws(ConnectorError) {
    let known = idle.withLock { $0.take(login) }
    let connection: PublishingConnection
    if let known {
      connection = known
    } else {
      connection = try PublishingConnection(login, authorities: authorities)
    }
    try connection.open(at: place, until: first)
    try connection.publish(messages, until: last)
    connection.reset()
    idle.withLock { $0.put(connection, login) }
  }
}

/// The data with which a connection logs in to a broker.
struct BrokerLogin: Hashable, Sendable {
  let client: String
  let address: MQTTAddress
  let password: String?
}

/// Closed connections, each of which can be opened again for the same login. If each call created a new connection, the
/// process would need more and more memory (see `cmosquitto_connect_at`).
private struct IdleConnections {
  /// Maximum number of connections. If there are more, the one that was not used for the longest time is removed.
  private static let most = 256

  private var connections: [BrokerLogin: (connection: PublishingConnection, use: Int)] = [:]
  private var uses = 0

  mutating func take(_ login: BrokerLogin) -> PublishingConnection? {
    connections.removeValue(forKey: login)?.connection
  }

  mutating func put(_ connection: PublishingConnection, _ login: BrokerLogin) {
    uses += 1
    connections[login] = (connection, uses)
    if connections.count > Self.most, let oldest = connections.min(by: { $0.value.use < $1.value.use }) {
      connections[oldest.key] = nil
    }
  }
}
