import CMosquitto
import Failures
import Glibc

/// A connection to an MQTT 5 broker with a shared subscription: `$share/fleetstore/fleet/#`.
///
/// The session outlives the connection, because CONNECT has an expiry interval and no clean start. When the worker
/// reconnects with the same client id, the broker delivers the messages that were not acknowledged, and those that
/// arrived meanwhile.
///
/// For each message that libmosquitto returns, it queues a PUBACK. The next write sends all queued PUBACKs. Therefore
/// nothing is written until all messages that were read are stored. Each transaction contains the messages of one read;
/// the receive maximum limits their number.
@safe final class MQTTConnection: ConsumerConnection {
  let readsAhead = false
  private let client: OpaquePointer
  private let place: String
  private let answerLimit: Int64
  /// Maximum length of a payload, bytes. The payload of a longer message is discarded.
  private let messageBytes: Int
  private var nextTag: UInt64 = 1
  /// Messages of a stored session that arrived together with the answer to CONNECT.
  private var early: [ConsumedMessage] = []
  /// The number of messages that were read but not acknowledged. Nothing may be written while it is above 0, because a
  /// write would acknowledge them.
  private var unacknowledged = 0
  private var isConnected = false
  private var isOver = false

  init(_ address: BrokerAddress, _ options: BrokerOptions) throws(BrokerFailure) {
    place = address.description
    answerLimit = Int64(options.answerSeconds) * 1_000_000_000
    messageBytes = options.messageBytes
    guard cmosquitto_load() == 0 else {
      throw BrokerFailure(
        .missingLibrary, place, "libmosquitto.so.1 is not installed or too old: install the package libmosquitto1")
    }
    var code: Int32 = 0
    let made = unsafe Texts.with([
      options.clientId, address.user, options.password, options.tls.authorities, options.tls.certificate,
      options.tls.key,
    ]) { texts in
      var settings = unsafe cmosquitto_options()
      unsafe settings.protocol_version = 5
      unsafe settings.client_id = texts[0]
      unsafe settings.user = texts[1]
      unsafe settings.password = texts[2]
      unsafe settings.authorities = texts[3]
      unsafe settings.certificate = texts[4]
      unsafe settings.key = texts[5]
      unsafe settings.uses_tls = address.usesTLS ? 1 : 0
      return unsafe cmosquitto_subscriber_make(
        &settings, Int32(min(options.prefetchMessages, 65_535)), options.messageBytes, &code)
    }
    guard let made = unsafe made else {
      throw BrokerFailure(
        .refused, place, "the TLS settings are rejected: \(Self.reason(code))\(Self.files(address, options))")
    }
    unsafe client = made
    // From here on, `deinit` frees the client, so an error needs no clean-up.
    try connect(address, options)
    try check(unsafe cmosquitto_subscriber_subscribe(client, "$share/\(options.group)/\(options.topic)/#"))
  }

  deinit { unsafe cmosquitto_subscriber_free(client) }

  private func connect(_ address: BrokerAddress, _ options: BrokerOptions) throws(BrokerFailure) {
    try check(
      unsafe cmosquitto_subscriber_connect(
        client, address.host, Int32(address.port), Int32(options.heartbeat), UInt32(options.sessionSeconds)))
    let deadline = Clock.now &+ answerLimit
    while !isConnected {
      guard Clock.now < deadline else { throw BrokerFailure(.unreachable, place, "no answer from the broker") }
      // Send everything first, because nothing can be read before the answer to CONNECT.
      try writeAll(until: deadline)
      var socket = pollfd(fd: unsafe cmosquitto_subscriber_socket(client), events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&socket, 1, 100)
      try check(unsafe cmosquitto_subscriber_read(client, options.prefetchBytes))
      early += try nextMessages()
    }
  }

  func receive(until deadline: Int64, _ wakeUp: WakeUpPipe, room: Int) throws(BrokerFailure) -> [ConsumedMessage] {
    guard room > 0 else {
      wakeUp.wait(until: deadline)
      return []
    }
    guard early.isEmpty else {
      defer { early = [] }
      return early
    }
    // All messages are acknowledged, so this write does not acknowledge a message that is not stored.
    try check(unsafe cmosquitto_subscriber_write(client))
    let wanted = unsafe cmosquitto_subscriber_wants_write(client) != 0 ? POLLIN | POLLOUT : POLLIN
    let hasMore = unsafe cmosquitto_subscriber_may_have_more(client) != 0
    wakeUp.wait(until: hasMore ? 0 : deadline, socket: unsafe cmosquitto_subscriber_socket(client), wanted)
    try check(unsafe cmosquitto_subscriber_read(client, room))
    return try nextMessages()
  }

  private func nextMessages() throws(BrokerFailure) -> [ConsumedMessage] {
    var messages: [ConsumedMessage] = []
    while true {
      let event = unsafe cmosquitto_subscriber_take(client)
      let reason = unsafe event.reason
      switch unsafe event.kind {
      case cmosquitto_subscriber_none: return messages
      case cmosquitto_subscriber_connected:
        guard reason == 0 else {
          throw over(.refused, "the broker rejects the connection: \(Self.brokerReason(reason))")
        }
        isConnected = true
      case cmosquitto_subscriber_subscribed:
        guard reason < 0x80 else {
          throw over(.refused, "the broker does not allow the subscription: \(Self.brokerReason(reason))")
        }
        guard reason > 0 else {
          throw over(.refused, "the broker grants QoS 0 alone, and so would hand nothing over twice; expected QoS 1")
        }
      case cmosquitto_subscriber_disconnected: throw over(.unreachable, Self.reason(reason))
      default:
        messages.append(unsafe message(event))
      }
    }
  }

  private func message(_ event: cmosquitto_subscriber_event) -> ConsumedMessage {
    defer {
      nextTag += 1
      unacknowledged += 1
    }
    let isWhole = unsafe event.count <= messageBytes
    let payload = unsafe UnsafeBufferPointer(start: event.payload, count: isWhole ? event.count : 0)
    return unsafe ConsumedMessage(
      tag: nextTag, topic: String(cString: event.topic), payload: Array(payload), isRedelivered: false,
      oversize: isWhole ? nil : event.count)
  }

  /// Acknowledges all messages that were returned, including rejected ones, because MQTT cannot reject a message.
  func acknowledge(_ results: [DeliveryResult]) throws(BrokerFailure) {
    guard results.count == unacknowledged else { throw over(.unreachable, "not all messages are acknowledged") }
    unacknowledged = 0
    try writeAll(until: Clock.now &+ answerLimit)
  }

  private func writeAll(until deadline: Int64) throws(BrokerFailure) {
    while unsafe cmosquitto_subscriber_wants_write(client) != 0 {
      guard Clock.now < deadline else { throw over(.unreachable, "the broker accepts no data") }
      var socket = pollfd(fd: unsafe cmosquitto_subscriber_socket(client), events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&socket, 1, 100)
      try check(unsafe cmosquitto_subscriber_write(client))
    }
  }

  private func check(_ code: Int32) throws(BrokerFailure) {
    if code != 0 { throw over(.unreachable, Self.reason(code)) }
  }

  private func over(_ kind: BrokerFailure.Kind, _ detail: String) -> BrokerFailure {
    isOver = true
    return BrokerFailure(kind, place, detail)
  }

  func close() {
    // DISCONNECT is not sent if messages are unacknowledged, because the write would also acknowledge messages that are
    // not stored.
    guard !isOver, unacknowledged == 0 else { return }
    isOver = true
    _ = unsafe cmosquitto_subscriber_disconnect(client)
  }

  /// Returns the library's message for an error code; code 14 means a system error (`errno`).
  private static func reason(_ code: Int32) -> String {
    code == 14 ? systemReason(errno) : unsafe String(cString: cmosquitto_reason(code))
  }

  /// Returns the names of the files that may have caused an error, because the library's message does not name them.
  private static func files(_ address: BrokerAddress, _ options: BrokerOptions) -> String {
    let files = [options.tls.authorities, options.tls.certificate, options.tls.key].compactMap(\.self)
    return address.usesTLS && !files.isEmpty ? " Its TLS files: \(files.joined(separator: ", "))" : ""
  }

  private static func brokerReason(_ reason: Int32) -> String {
    unsafe String(cString: cmosquitto_broker_reason(reason, 5))
  }
}
