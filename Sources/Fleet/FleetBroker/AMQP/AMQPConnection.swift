import CRabbitMQ
import Glibc

/// A connection to RabbitMQ that consumes from a quorum queue (AMQP 0-9-1).
///
/// The queue is declared and bound to `amq.topic`, to which the MQTT plugin publishes: `fleet/VAN-001/trip` has the
/// routing key `fleet.VAN-001.trip`. If the queue already exists with other arguments, the broker rejects the
/// declaration, and its error names the arguments.
@safe final class AMQPConnection: ConsumerConnection {
  /// The exchange to which the MQTT plugin publishes by default.
  static let exchange = "amq.topic"
  /// The file of certificate authorities on Debian. It is named explicitly, because librabbitmq cannot use the system's
  /// default.
  private static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

  let readsAhead = true
  private let client: OpaquePointer
  private let place: String
  private let beat: Int64
  private var nextBeat: Int64
  private var isOver = false
  /// Tags of delivered messages that are not acknowledged, ascending.
  private var unacknowledged: [UInt64] = []
  /// Whether the library may have buffered frames that were not read yet.
  private var mayHaveMore = false

  init(_ address: BrokerAddress, _ options: BrokerOptions) throws(BrokerFailure) {
    place = address.description
    beat = Int64(options.heartbeat) * 500_000_000
    nextBeat = Clock.now &+ beat
    guard crabbitmq_load() == 0 else {
      throw BrokerFailure(
        .missingLibrary, place, "librabbitmq.so.4 is not installed or too old: install the package librabbitmq4")
    }
    guard let made = unsafe crabbitmq_make() else { throw BrokerFailure(.unreachable, place, "no memory") }
    unsafe client = made
    // From here on, `deinit` frees the client, so an error needs no clean-up.
    try connect(address, options)
    try consume(options)
  }

  deinit { unsafe crabbitmq_free(client) }

  private func connect(_ address: BrokerAddress, _ options: BrokerOptions) throws(BrokerFailure) {
    let code = unsafe Texts.with([
      address.host, address.virtualHost, address.user ?? "", options.password ?? (address.isGuest ? "guest" : ""),
      options.tls.authorities ?? Self.systemAuthorities, options.tls.certificate, options.tls.key,
    ]) { texts in
      var settings = unsafe crabbitmq_options()
      unsafe settings.host = texts[0]
      unsafe settings.virtual_host = texts[1]
      unsafe settings.user = texts[2]
      unsafe settings.password = texts[3]
      unsafe settings.authorities = texts[4]
      unsafe settings.certificate = texts[5]
      unsafe settings.key = texts[6]
      unsafe settings.port = Int32(address.port)
      unsafe settings.heartbeat = Int32(options.heartbeat)
      unsafe settings.answer_limit = Int32(options.answerSeconds)
      unsafe settings.uses_tls = address.usesTLS ? 1 : 0
      return unsafe crabbitmq_connect(client, &settings)
    }
    guard code == 0 else { throw BrokerFailure(.unreachable, place, reason) }
  }

  private func consume(_ options: BrokerOptions) throws(BrokerFailure) {
    let key = String(options.topic.map { $0 == "/" ? "." : $0 }) + ".#"
    let code = unsafe Texts.with([options.queue, options.queue + ".refused", Self.exchange, key]) { texts in
      var settings = unsafe crabbitmq_subscription()
      unsafe settings.queue = texts[0]
      unsafe settings.refused_queue = texts[1]
      unsafe settings.exchange = texts[2]
      unsafe settings.routing_key = texts[3]
      unsafe settings.prefetch = UInt16(clamping: options.prefetchMessages)
      unsafe settings.message_limit = options.messageBytes
      return unsafe crabbitmq_consume(client, &settings)
    }
    guard code == 0 else { throw BrokerFailure(.refused, place, reason) }
  }

  private var reason: String { unsafe String(cString: crabbitmq_reason(client)) }

  func receive(until deadline: Int64, _ wakeUp: WakeUpPipe, room: Int) throws(BrokerFailure) -> [ConsumedMessage] {
    let reads = room > 0
    let hasBuffered = unsafe reads && (mayHaveMore || crabbitmq_has_buffered(client) != 0)
    let limit = min(deadline, nextBeat)
    wakeUp.wait(until: hasBuffered ? 0 : limit, socket: reads ? unsafe crabbitmq_socket(client) : -1)
    guard reads else {
      // The library sends heartbeats only while it reads.
      if Clock.now >= nextBeat {
        try check(unsafe crabbitmq_beat(client))
        nextBeat = Clock.now &+ beat
      }
      return []
    }
    if Clock.now >= nextBeat { nextBeat = Clock.now &+ beat }
    return try nextMessages(room)
  }

  private func nextMessages(_ room: Int) throws(BrokerFailure) -> [ConsumedMessage] {
    var messages: [ConsumedMessage] = []
    var bytes = 0
    // The library may have buffered more messages. The caller's limit `room` decides whether they are read.
    while messages.count < 64, bytes < room {
      let event = unsafe crabbitmq_next(client)
      switch unsafe event.kind {
      case crabbitmq_none:
        mayHaveMore = false
        return messages
      case crabbitmq_lost:
        isOver = true
        throw BrokerFailure(.unreachable, place, reason)
      default:
        let message = unsafe Self.message(event)
        messages.append(message)
        unacknowledged.append(message.tag)
        bytes += message.payload.count
      }
    }
    mayHaveMore = true
    return messages
  }

  private static func message(_ event: crabbitmq_event) -> ConsumedMessage {
    let key = unsafe UnsafeRawBufferPointer(start: event.routing_key, count: event.routing_key_count)
    let isWhole = unsafe event.kind == crabbitmq_delivery
    let body = unsafe UnsafeBufferPointer(start: event.body, count: isWhole ? event.count : 0)
    return unsafe ConsumedMessage(
      tag: event.tag, topic: String(decoding: key, as: UTF8.self), payload: Array(body),
      isRedelivered: event.is_redelivered != 0, oversize: isWhole ? nil : event.count)
  }

  func acknowledge(_ results: [DeliveryResult]) throws(BrokerFailure) {
    let tags = results.map(\.tag)
    let areOldest = unacknowledged.starts(with: tags)
    if areOldest {
      unacknowledged.removeFirst(tags.count)
    } else {
      let acknowledged = Set(tags)
      unacknowledged.removeAll { acknowledged.contains($0) }
    }
    for refused in results where refused.isRefused { try check(unsafe crabbitmq_reject(client, refused.tag, 0)) }
    let accepted = results.filter { !$0.isRefused }
    // If no older message remains unacknowledged, one frame acknowledges all of these messages.
    for one in areOldest ? accepted.suffix(1) : accepted[...] {
      try check(unsafe crabbitmq_acknowledge(client, one.tag, areOldest ? 1 : 0))
    }
  }

  private func check(_ code: Int32) throws(BrokerFailure) {
    guard code != 0 else { return }
    isOver = true
    throw BrokerFailure(.unreachable, place, reason)
  }

  func close() {
    guard !isOver else { return }
    isOver = true
    unsafe crabbitmq_say_goodbye(client)
  }
}
