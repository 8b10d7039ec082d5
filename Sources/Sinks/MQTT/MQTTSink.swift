import Peers
import Ports
import Spool

/// Records to an MQTT broker: `fleet/{vehicleId}/{type}`, JSON lines of one vehicle and type in each message, QoS 1.
///
/// A record is acknowledged once the broker has acknowledged its message (PUBACK); what was under way when a connection
/// broke is published once more. `fleet/{id}/status` says `online` or `offline`, retained.
public struct MQTTSink: Sink, ~Copyable {
  /// What a sink needs to know of the gateway around it.
  public struct Surroundings: Sendable {
    public var gatewayId: String
    /// Of `fleet/{id}/status`: the vehicle's configured id, else the gateway's.
    public var statusId: String
    /// Where the dead-letter file is; nil: nothing is kept.
    public var stateDirectory: String?

    public init(gatewayId: String, statusId: String, stateDirectory: String?) {
      self.gatewayId = gatewayId
      self.statusId = statusId
      self.stateDirectory = stateDirectory
    }
  }

  /// What it takes at once: several messages, so that one round trip carries more than one.
  public static let limit = RecordBatch.Limit(records: 1_000, bytes: 1 << 18)
  /// A payload is no longer, whatever the broker allows: both ends hold it in memory.
  static let payloadBytes = 64 << 10

  let configuration: MQTTConfiguration
  let surroundings: Surroundings
  let deadLetters: DeadLetterFile?
  var connection: BrokerConnection?
  var version = BrokerVersion()
  /// What the broker allows.
  var window = 1
  var packetBytes = Int.max
  /// Until when a connection under way must stand.
  var connectDeadline = Int64.max
  var retryAt = Int64.min
  var random = SystemRandomNumberGenerator()
  var backOff = BackOff()
  var report = FailureReport()
  var news: [SinkNews] = []
  var hasWorked = false

  public init(_ configuration: MQTTConfiguration, _ surroundings: Surroundings) {
    self.configuration = configuration
    self.surroundings = surroundings
    deadLetters = DeadLetterFile(
      folder: surroundings.stateDirectory, sink: configuration.name ?? "mqtt", limit: 4 << 20)
  }

  var place: String { configuration.url.description }

  // MARK: Records

  public mutating func deliver(_ batch: RecordBatch, _ bell: SinkBell) -> Delivery {
    var delivery = Delivery()
    delivery.sentNothing = true
    do throws(SinkError) {
      try connect(bell)
      try publish(batch, &delivery, bell)
    } catch {
      fail(error)
      delivery.notBefore = retryAt
    }
    delivery.news = news
    news = []
    return delivery
  }

  private mutating func publish(
    _ batch: RecordBatch, _ delivery: inout Delivery, _ bell: SinkBell
  ) throws(SinkError) {
    var messages = BrokerMessage.messages(
      of: batch, topic: configuration.topic, records: configuration.gathering.records,
      bytes: min(Self.payloadBytes, packetBytes - Self.headBytes))
    let tooLong = messages.filter { $0.bytes > packetBytes - Self.headBytes }
    messages.removeAll { $0.bytes > packetBytes - Self.headBytes }
    // A limit that no message keeps is the broker's mistake, not the records'.
    if !tooLong.isEmpty, messages.isEmpty {
      throw SinkError(.busy, place, "the broker takes no packet of more than \(packetBytes) bytes")
    }
    for message in tooLong {
      try refuse(message.records[0], "longer than the broker's maximum packet size", batch, &delivery)
    }
    var window = PublishWindow(
      messages, size: window, needsSubscriber: configuration.needsSubscriber)
    var deadline = BootClock.now &+ configuration.answerLimit
    while !window.isDone {
      guard let connection else { throw SinkError(.unreachable, place, "not connected") }
      while let message = window.next() {
        delivery.sentNothing = false
        window.published(as: try connection.publish(message.topic, message.payload(batch)))
      }
      let events = connection.wait(until: deadline, bell).events
      if bell.isStopping, events.isEmpty { throw SinkError(.stopped, place, "told to stop") }
      for case .acknowledged(let number, let reason) in events {
        deadline = BootClock.now &+ configuration.answerLimit
        try settle(window.acknowledged(number, reason: reason), batch, &delivery)
      }
      try take(events)
      if BootClock.now >= deadline { throw SinkError(.timedOut, place, "the broker acknowledges nothing") }
    }
  }

  /// Of a packet, what is not payload: its fixed header, its number, its topic.
  private static let headBytes = 512

  private mutating func settle(
    _ verdict: PublishWindow.Verdict, _ batch: RecordBatch, _ delivery: inout Delivery
  ) throws(SinkError) {
    switch verdict {
    case .delivered(let records):
      succeeded()
      for record in records { delivery.acknowledge(record..<(record + 1)) }
    case .refused(let record, let reason):
      try refuse(record, connection?.explanation(reason) ?? "\(reason)", batch, &delivery)
    case .stop(PublishWindow.nobodySubscribes):
      throw SinkError(
        .busy, place, "nobody subscribes to \(configuration.topic): the broker drops the records; they wait")
    case .stop(let reason):
      throw SinkError(.busy, place, "the broker takes no records: \(connection?.explanation(reason) ?? "\(reason)")")
    case .divided, .unknown: break
    }
  }

  /// What is refused is acknowledged once it is kept.
  private mutating func refuse(
    _ record: Int, _ reason: String, _ batch: RecordBatch, _ delivery: inout Delivery
  ) throws(SinkError) {
    let line = batch.bytes[batch.records[record].range]
    try deadLetters?.keep([(line, reason)])
    delivery.acknowledge(record..<(record + 1))
    let id = RecordLine.id(line).map { String(decoding: $0, as: UTF8.self) } ?? "?"
    news.append(.refused(record: id, reason: reason, more: 0, keptIn: deadLetters?.path))
  }
}
