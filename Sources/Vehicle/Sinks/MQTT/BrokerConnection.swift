import CMosquitto
import CPorts
import Failures
import Glibc
import Peers
import Ports

/// One connection to an MQTT broker. Only one thread may use it. After it is lost, a new object is needed to connect
/// again.
@safe final class BrokerConnection {
  /// An event on the connection.
  enum Event: Equatable {
    /// The broker accepted the connection. `window` is the maximum number of unacknowledged messages, and `packet` is
    /// the maximum size of a packet in bytes. Each is 0 if the broker does not state it.
    case connected(window: Int, packet: Int)
    /// The broker rejected the connection with this CONNACK reason code.
    case refused(reason: Int)
    /// The broker acknowledged (PUBACK) the message with this packet identifier. `reason` is the reason code of the
    /// PUBACK.
    case acknowledged(number: Int, reason: Int)
    /// The connection was lost. The text is an error message.
    ///
    /// - Parameter isSilent: whether the broker closed the connection without sending a valid MQTT packet.
    case lost(String, isSilent: Bool)
  }

  private let client: OpaquePointer
  private let place: String
  /// The protocol level of this connection: 5, or 4 for MQTT 3.1.1.
  let level: Int
  /// Whether the connection is open and the broker has accepted it.
  private(set) var isConnected = false

  /// Begins to connect to the broker, after the host name was resolved.
  ///
  /// - Parameters:
  ///   - level: protocol level of CONNECT: 5, or 4 for MQTT 3.1.1.
  ///   - status: topic of the last will; `nil` for no will. If the connection is lost, the broker publishes a retained
  ///     `offline` to this topic.
  ///   - lookUpLimit: time limit for resolving the host name, ns.
  init(
    _ configuration: MQTTConfiguration, level: Int, clientId: String, status: String?, _ wakeUp: SinkWakeUp,
    lookUpLimit: Int64 = 30_000_000_000
  ) throws(SinkError) {
    place = configuration.url.description
    self.level = level
    guard cmosquitto_load() == 0 else {
      throw SinkError(
        .missingLibrary, place, "libmosquitto.so.1 is not installed or too old: install the package libmosquitto1")
    }
    let user = try configuration.userFile.map { path throws(SinkError) in try SecretFile.read(path) }
    let password = try configuration.passwordFile.map { path throws(SinkError) in try SecretFile.read(path) }
    let files = configuration.tls
    let texts = CTexts([
      clientId, user, password, status, "offline", files.authorities, files.certificate, files.key,
    ])
    var options = unsafe cmosquitto_options()
    unsafe options.protocol_version = Int32(level)
    unsafe options.client_id = texts[0]
    unsafe options.user = texts[1]
    unsafe options.password = texts[2]
    unsafe options.will_topic = texts[3]
    unsafe options.will = texts[4]
    unsafe options.authorities = texts[5]
    unsafe options.certificate = texts[6]
    unsafe options.key = texts[7]
    unsafe options.uses_tls = configuration.usesTLS ? 1 : 0
    var code: Int32 = 0
    let made = unsafe withExtendedLifetime(texts) { unsafe cmosquitto_make(&options, &code) }
    guard let made = unsafe made else {
      throw files.unreadable(place)
        ?? SinkError(.certificate, place, "the TLS settings are rejected: \(Self.reason(code))")
    }
    unsafe client = made
    try Self.lookUp(configuration.url, place, within: lookUpLimit, wakeUp)
    let begun = unsafe cmosquitto_connect(
      client, configuration.url.host, Int32(configuration.url.port), Int32(configuration.keepAlive))
    guard begun == 0 else { throw SinkError(.unreachable, place, Self.reason(begun)) }
  }

  deinit { unsafe cmosquitto_free(client) }

  /// Resolves the host name before the library connects. The library's own look-up blocks, and the wake-up could not
  /// interrupt it.
  private static func lookUp(
    _ url: ServiceURL, _ place: String, within limit: Int64, _ wakeUp: SinkWakeUp
  ) throws(SinkError) {
    guard let lookup = unsafe cports_lookup_begin(url.host, String(url.port)) else {
      throw SinkError(.system, place, "cannot look up the name: no memory or thread")
    }
    defer { unsafe cports_lookup_end(lookup) }
    let deadline = BootClock.now &+ limit
    while true {
      let code = unsafe cports_lookup_wait(lookup, 50)
      if code == 0 { return }
      if code < 0 {
        let reason = unsafe String(cString: cports_lookup_message(code))
        throw SinkError(.unreachable, place, "no address for \(url.host): \(reason)")
      }
      if wakeUp.isStopping { throw SinkError(.stopped, place, "stopped") }
      if BootClock.now >= deadline { throw SinkError(.timedOut, place, "no answer from the name server") }
    }
  }

  /// Waits until the wake-up is signalled, the deadline has passed, or the connection has an event.
  ///
  /// - Parameter wakeUp: the wake-up that ends the wait; `nil` to wait only for the deadline and the connection.
  /// - Returns: whether the wake-up was signalled, and the events of the connection.
  func wait(until deadline: Int64, _ wakeUp: SinkWakeUp?) -> (isSignalled: Bool, events: [Event]) {
    let socket = unsafe cmosquitto_socket(client)
    let wanted = unsafe cmosquitto_wants_write(client) != 0 ? POLLIN | POLLOUT : POLLIN
    var isSignalled = false
    if let wakeUp {
      isSignalled = wakeUp.wait(for: socket, wanted, until: deadline).isSignalled
    } else {
      var waiting = pollfd(fd: socket, events: Int16(wanted), revents: 0)
      _ = unsafe poll(&waiting, 1, SinkWakeUp.milliseconds(until: deadline))
    }
    let code = unsafe cmosquitto_continue(client)
    var events: [Event] = []
    while let event = nextEvent() { events.append(event) }
    if code != 0, !events.contains(where: \.isEnd) { events.append(lost(code)) }
    if events.contains(where: \.isEnd) { isConnected = false }
    return (isSignalled, events)
  }

  private func nextEvent() -> Event? {
    let event = unsafe cmosquitto_take(client)
    switch event.kind {
    case cmosquitto_connected:
      guard event.reason == 0 else { return .refused(reason: Int(event.reason)) }
      // A second CONNACK is a protocol error (MQTT 5, section 3.2).
      guard !isConnected else { return lost(Self.protocolError) }
      isConnected = true
      return .connected(window: Int(event.receive_maximum), packet: Int(event.packet_maximum))
    case cmosquitto_disconnected: return lost(event.reason)
    case cmosquitto_acknowledged: return .acknowledged(number: Int(event.number), reason: Int(event.reason))
    default: return nil
    }
  }

  private func lost(_ code: Int32) -> Event {
    // The library reports a protocol error, or (code 7) that the broker has closed the connection.
    .lost(Self.reason(code), isSilent: code == Self.protocolError || code == 7)
  }

  /// Publishes a message with QoS 1.
  ///
  /// - Returns: the message's packet identifier.
  func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) throws(SinkError) -> Int {
    var number: Int32 = 0
    let code = unsafe cmosquitto_publish(client, topic, payload, payload.count, isRetained ? 1 : 0, &number)
    guard code == 0 else { throw SinkError(.badAnswer, place, "a message cannot be sent: \(Self.reason(code))") }
    return Int(number)
  }

  /// Disconnects with an MQTT DISCONNECT packet, so that the broker does not publish the will.
  func disconnect() { _ = unsafe cmosquitto_disconnect(client) }

  /// Returns the text for a reason code that the broker has sent.
  func explanation(_ reason: Int) -> String {
    Self.text(unsafe String(cString: cmosquitto_broker_reason(Int32(reason), Int32(level))))
  }

  private static let protocolError: Int32 = 2

  /// Returns a text of the library without its final period, because the log line continues after the text.
  private static func text(_ sentence: String) -> String {
    sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
  }

  private static func reason(_ code: Int32) -> String {
    switch code {
    // Code 14 means that `errno` has the reason.
    case 14: systemReason(errno)
    case 25: "the broker sends more than a gateway accepts"
    default: text(unsafe String(cString: cmosquitto_reason(code)))
    }
  }
}

extension BrokerConnection.Event {
  /// Whether this is the last event of its connection.
  var isEnd: Bool {
    switch self {
    case .refused, .lost: true
    case .connected, .acknowledged: false
    }
  }
}
