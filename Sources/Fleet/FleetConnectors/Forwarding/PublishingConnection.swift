import CMosquitto
import Failures
import Glibc

/// A connection to an MQTT 5 broker that publishes retained messages. Only one thread may use it at a time.
///
/// After all messages were acknowledged, ``reset()`` prepares it for another connection with the same login. After an
/// error, it cannot be used again.
@safe final class PublishingConnection: @unchecked Sendable {
  /// Maximum number of messages that wait for their acknowledgement.
  private static let window = 20
  private static let keepAlive: Int32 = 60

  private let client: OpaquePointer
  private let address: MQTTAddress
  /// Number of messages that the broker accepts before it has acknowledged any; 0 until the connection is open.
  private var window = 0
  private var unacknowledged = 0

  /// Creates a connection that is closed.
  ///
  /// - Parameter authorities: the path of a PEM file with certificate authorities; `nil` for those of the system.
  init(_ login: BrokerLogin, authorities: String?) throws(ConnectorError) {
    address = login.address
    guard cmosquitto_load() == 0 else {
      throw ConnectorError(
        .unavailable, "libmosquitto.so.1 is not installed or too old: install the package libmosquitto1")
    }
    let all = [login.client, address.user, login.password, authorities]
    let texts = unsafe all.map { text in unsafe text.flatMap { unsafe strdup($0) } }
    defer { for index in unsafe texts.indices { unsafe free(texts[index]) } }
    var options = unsafe cmosquitto_options()
    unsafe options.protocol_version = 5
    unsafe options.client_id = UnsafePointer(texts[0])
    unsafe options.user = UnsafePointer(texts[1])
    unsafe options.password = UnsafePointer(texts[2])
    unsafe options.authorities = UnsafePointer(texts[3])
    unsafe options.uses_tls = address.usesTLS ? 1 : 0
    var code: Int32 = 0
    guard let made = unsafe cmosquitto_make(&options, &code) else {
      throw ConnectorError(.settings, "the TLS settings are rejected: \(Self.reason(code))")
    }
    unsafe client = made
  }

  deinit { unsafe cmosquitto_free(client) }

  /// Connects, and waits until the broker has accepted the login. With TLS, the broker's certificate must have the name
  /// of the login's address.
  ///
  /// - Parameter place: the IPv4 or IPv6 address of the broker as text.
  /// - Throws: `refused` if the broker rejects the login.
  func open(at place: String, until deadline: ContinuousClock.Instant) throws(ConnectorError) {
    let host = address.usesTLS ? address.host : place
    try Self.check(unsafe cmosquitto_connect_at(client, place, host, Int32(address.port), Self.keepAlive))
    while window == 0 { try wait(until: deadline) }
  }

  /// Publishes messages, waits for their acknowledgements, and disconnects.
  ///
  /// - Throws: `refused` if the broker does not allow a topic.
  func publish(_ messages: [RetainedMessage], until deadline: ContinuousClock.Instant) throws(ConnectorError) {
    var next = 0
    while next < messages.count || unacknowledged > 0 {
      while next < messages.count, unacknowledged < window {
        let (topic, payload) = (messages[next].topic, messages[next].payload)
        var number: Int32 = 0
        try Self.check(unsafe cmosquitto_publish(client, topic, payload, payload.count, 1, &number))
        unacknowledged += 1
        next += 1
      }
      try wait(until: deadline)
    }
    _ = unsafe cmosquitto_disconnect(client)
  }

  /// Prepares the connection for another ``open(at:until:)`` after ``publish(_:until:)``.
  func reset() {
    unsafe cmosquitto_reset(client)
    (window, unacknowledged) = (0, 0)
  }

  /// Waits for an event of the connection, at most a tenth of a second, and handles all events.
  private func wait(until deadline: ContinuousClock.Instant) throws(ConnectorError) {
    guard ContinuousClock.now < deadline else {
      throw ConnectorError(.unavailable, "the broker does not answer in time")
    }
    let wanted = unsafe cmosquitto_wants_write(client) != 0 ? POLLIN | POLLOUT : POLLIN
    var socket = pollfd(fd: unsafe cmosquitto_socket(client), events: Int16(wanted), revents: 0)
    _ = unsafe poll(&socket, 1, 100)
    let code = unsafe cmosquitto_continue(client)
    let failure = code == 0 ? nil : ConnectorError(.unavailable, Self.reason(code))
    while try handledEvent() {}
    if let failure { throw failure }
  }

  /// Handles the next event. Returns whether there was one.
  private func handledEvent() throws(ConnectorError) -> Bool {
    let event = unsafe cmosquitto_take(client)
    switch event.kind {
    case cmosquitto_connected:
      guard event.reason == 0 else { throw Self.rejection("the connection", event.reason) }
      window = event.receive_maximum == 0 ? Self.window : min(Self.window, Int(event.receive_maximum))
    case cmosquitto_acknowledged:
      // Reasons below 0x80 mean success (MQTT 5, 2.4).
      guard event.reason < 0x80 else { throw Self.rejection("a message", event.reason) }
      unacknowledged -= 1
    case cmosquitto_disconnected: throw ConnectorError(.unavailable, Self.reason(event.reason))
    default: return false
    }
    return true
  }

  /// Returns the error for a reason code that the broker has sent.
  private static func rejection(_ what: String, _ reason: Int32) -> ConnectorError {
    switch reason {
    // Brokers without MQTT 5 answer 1.
    case 1, 0x84: return ConnectorError(.settings, "the broker does not support MQTT 5")
    default:
      // The server is unavailable or busy, or a quota or rate is exceeded.
      let isTemporary = [0x88, 0x89, 0x97, 0x9F].contains(reason)
      let text = unsafe String(cString: cmosquitto_broker_reason(reason, 5))
      return ConnectorError(isTemporary ? .unavailable : .refused, "the broker rejects \(what): \(sentence(text))")
    }
  }

  private static func check(_ code: Int32) throws(ConnectorError) {
    if code != 0 { throw ConnectorError(.unavailable, reason(code)) }
  }

  /// Returns the library's message for an error code; code 14 means a system error (`errno`).
  private static func reason(_ code: Int32) -> String {
    code == 14 ? systemReason(errno) : sentence(unsafe String(cString: cmosquitto_reason(code)))
  }

  /// Returns a text of the library without its final period.
  private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? String(text.dropLast()) : text }
}
