import GatewayOutput
import Glibc
import Ports

/// Serves the daemon's status to clients, in one thread. The numbers of connections and followers are limited.
///
/// `GET /status` returns one JSON object, `GET /records` sends records as they are made, and `GET /metrics` returns
/// metrics for Prometheus. Clients on TCP, which is optional, can request only `/metrics`. Requests change nothing. A
/// client that is slow or never completes its request does not delay other clients.
///
/// This is not a general web server. A library such as libmicrohttpd is not used, because it would load GnuTLS into a
/// process of 12 MB.
package struct StatusServer: ~Copyable {
  /// Functions that return the bodies of the answers.
  package struct Sources {
    package var status: () -> [UInt8]
    package var metrics: () -> [UInt8]

    /// Creates a value; the parameters are the properties of the same names.
    package init(status: @escaping () -> [UInt8], metrics: @escaping () -> [UInt8]) {
      self.status = status
      self.metrics = metrics
    }
  }

  /// Maximum number of clients on the local socket, not counting followers. The same maximum applies to the TCP
  /// clients. Further clients must wait until another connection ends.
  private static let mostConnections = 32
  /// If no connection could be accepted, for example because the process has no free file descriptor, the server waits
  /// for this time before it accepts connections again, ns.
  private static let pause: Int64 = 1_000_000_000
  /// Maximum number of followers. Each follower needs a file descriptor.
  private static let mostFollowers = 1_000
  /// Number of file descriptors that are reserved for the daemon's own work.
  private static let ownDescriptors = 256

  /// A listening socket, and whether its clients are on this machine.
  package final class Endpoint: Sendable {
    package let socket: ListeningSocket
    package let isLocal: Bool

    package init(_ socket: consuming ListeningSocket, isLocal: Bool) {
      self.socket = socket
      self.isLocal = isLocal
    }
  }

  /// Holds a connection, because an array cannot contain a noncopyable value.
  private final class Client {
    var connection: StatusConnection
    init(_ connection: consuming StatusConnection) { self.connection = connection }
  }

  /// An address at which the server cannot listen yet, for example because the network is not available.
  package struct PendingEndpoint: Sendable {
    /// Tries to listen at the address.
    package var open: @Sendable () throws(PortError) -> Endpoint
    /// Called after the server has begun to listen at the address.
    package var opened: @Sendable () -> Void
    /// Time between two attempts to listen at the address, ns.
    package var pause: Int64 = 10_000_000_000

    /// Creates a value; the parameters are the properties of the same names.
    package init(
      open: @escaping @Sendable () throws(PortError) -> Endpoint, opened: @escaping @Sendable () -> Void,
      pause: Int64 = 10_000_000_000
    ) {
      self.open = open
      self.opened = opened
      self.pause = pause
    }
  }

  private var endpoints: [Endpoint]
  private var pending: PendingEndpoint?
  private var nextTry = Int64.max
  private let followerLimit = Self.roomForFollowers
  private let sources: Sources
  private let followers: Followers
  /// The wake-up of the thread. It is signalled when followers have new records, and when the thread must end.
  private let wakeUp: WakeUp
  private let isEnding: () -> Bool
  private var clients: [Client] = []
  private var closedUntil = Int64.min
  private var buffer: [UInt8] = []

  /// Creates the server.
  ///
  /// - Parameter pending: an address at which listening failed and must be retried; `nil` if there is none.
  package init(
    _ endpoints: [Endpoint], pending: PendingEndpoint? = nil, _ sources: Sources, _ followers: Followers,
    wakeUp: WakeUp,
    isEnding: @escaping () -> Bool
  ) {
    self.endpoints = endpoints
    self.pending = pending
    if let pending { nextTry = BootClock.now + pending.pause }
    self.sources = sources
    self.followers = followers
    self.wakeUp = wakeUp
    self.isEnding = isEnding
  }

  /// Runs the thread's loop until `isEnding` returns `true`.
  package mutating func run() {
    while !isEnding() {
      let ready = wait()
      let now = BootClock.now
      wakeUp.clear()
      for (index, endpoint) in endpoints.enumerated() where ready.endpoints[index] { receive(endpoint, at: now) }
      for (client, events) in zip(clients, ready.clients) where events != 0 && !isEnding() {
        serve(client, events, at: now)
      }
      writeRecords()
      for client in clients where client.connection.isOver || client.connection.deadline <= now { leave(client) }
      clients.removeAll { $0.connection.isOver || $0.connection.deadline <= now }
      if now >= nextTry { tryAgain() }
    }
    for client in clients { leave(client) }
  }

  private mutating func writeRecords() {
    guard !followers.isEmpty else {
      buffer = []
      return
    }
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Follower.room) }
    for client in clients { client.connection.writeRecords(through: &buffer) }
    followers.forgetTaken()
  }

  /// Maximum number of followers for which the process can open enough file descriptors.
  private static var roomForFollowers: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 16 }
    return min(mostFollowers, max(16, Int(clamping: limit.rlim_cur) - ownDescriptors))
  }

  private mutating func tryAgain() {
    guard let pending else { return }
    do throws(PortError) {
      endpoints.append(try pending.open())
      pending.opened()
      self.pending = nil
      nextTry = .max
    } catch {
      // The reason was already logged at the first attempt.
      nextTry = BootClock.now + pending.pause
    }
  }

  private func wait() -> (endpoints: [Bool], clients: [Int32]) {
    var waiting = [pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)]
    let isClosed = BootClock.now < closedUntil
    for endpoint in endpoints {
      let isOpen = !isClosed && hasRoom(endpoint)
      waiting.append(pollfd(fd: isOpen ? endpoint.socket.descriptor : -1, events: Int16(POLLIN), revents: 0))
    }
    var limit = min(isClosed ? closedUntil : Int64.max, nextTry)
    for client in clients {
      waiting.append(
        pollfd(fd: client.connection.descriptor, events: Int16(client.connection.events), revents: 0))
      limit = min(limit, client.connection.deadline)
    }
    let milliseconds = limit == .max ? -1 : Int32(clamping: max(0, (limit - BootClock.now) / 1_000_000 + 1))
    _ = unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
    return (
      endpoints.indices.map { waiting[1 + $0].revents != 0 },
      clients.indices.map { Int32(waiting[1 + endpoints.count + $0].revents) }
    )
  }

  private func hasRoom(_ endpoint: Endpoint) -> Bool {
    clients.count { $0.connection.isLocal == endpoint.isLocal && $0.connection.follower == nil } < Self.mostConnections
  }

  private mutating func receive(_ endpoint: Endpoint, at now: Int64) {
    let before = clients.count
    while hasRoom(endpoint), let socket = endpoint.socket.accept() {
      clients.append(Client(StatusConnection(socket, isLocal: endpoint.isLocal, at: now)))
    }
    if clients.count == before { closedUntil = now + Self.pause }
  }

  private func serve(_ client: Client, _ events: Int32, at now: Int64) {
    if events & (POLLHUP | POLLERR) != 0 { client.connection.hungUp() }
    if events & ~POLLOUT != 0, let request = client.connection.read() { answer(request, client, at: now) }
    if events & POLLOUT != 0 { client.connection.write() }
  }

  private func answer(_ request: StatusRequest, _ client: Client, at now: Int64) {
    switch request {
    case .status: client.connection.answer(StatusAnswer.whole("application/json", sources.status()), at: now)
    case .metrics:
      client.connection.answer(
        StatusAnswer.whole("text/plain; version=0.0.4; charset=utf-8", sources.metrics()), at: now)
    case .records:
      guard clients.count(where: { $0.connection.follower != nil }) < followerLimit else {
        client.connection.answer(StatusAnswer.refusal(503, "\(followerLimit) follow already"), at: now)
        return
      }
      client.connection.follow(followers.add())
    case .refused(let code, let reason):
      client.connection.answer(StatusAnswer.refusal(code, reason), at: now)
    }
  }

  private func leave(_ client: Client) { client.connection.follower?.leave() }
}
