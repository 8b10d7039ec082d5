import Peers
import Ports
import Spool

/// Publishes records to an MQTT broker with QoS 1. The topic is `fleet/{vehicleId}/{type}`. Each message contains JSON
/// lines with records of one vehicle and one type.
///
/// A record counts as delivered when the broker has acknowledged its message (PUBACK). If the connection is lost,
/// messages that were not acknowledged are published again later. The topic `fleet/{id}/status` has a retained `online`
/// or `offline`.
public struct MQTTSink: Sink, ~Copyable {
  /// Data of the gateway that the sink needs.
  public struct GatewayFacts: Sendable {
    /// The gateway's ID, which is part of the default client ID.
    public var gatewayId: String
    /// The ID in the topic `fleet/{id}/status`: the configured vehicle ID, or the gateway ID if no vehicle ID is
    /// configured.
    public var statusId: String
    /// The state directory, in which the dead-letter file is stored; `nil` to store no dead letters.
    public var stateDirectory: String?

    /// Creates a value; the parameters are the properties of the same names.
    public init(gatewayId: String, statusId: String, stateDirectory: String?) {
      self.gatewayId = gatewayId
      self.statusId = statusId
      self.stateDirectory = stateDirectory
    }
  }

  /// Maximum size of a batch. A batch is divided into several messages, so that one round trip acknowledges several
  /// messages.
  public static let limit = RecordBatch.Limit(records: 1_000, bytes: 1 << 18)
  /// Maximum length of a payload, bytes. It applies even if the broker allows more, because gateway and receiver keep
  /// the payload in memory.
  static let payloadBytes = 64 << 10

  let configuration: MQTTConfiguration
  let gatewayFacts: GatewayFacts
  let deadLetters: DeadLetterFile?
  var connection: BrokerConnection?
  var version = BrokerVersion()
  /// Maximum number of messages in flight on this connection.
  var window = 1
  /// Maximum size of a packet that the broker accepts, bytes; `Int.max` if the broker does not state it.
  var packetBytes = Int.max
  /// Time at which the broker must have accepted the new connection, ns since boot; `.max` if the sink is not
  /// connecting.
  var connectDeadline = Int64.max
  /// Time of the next attempt to connect, ns since boot.
  var retryAt = Int64.min
  var random = SystemRandomNumberGenerator()
  var backOff = BackOff()
  var report = FailureReport()
  var events: [SinkEvent] = []
  var hasWorked = false

  /// Creates a sink. The first call of ``deliver(_:_:)`` or ``idle(until:_:)`` connects to the broker.
  public init(_ configuration: MQTTConfiguration, _ gatewayFacts: GatewayFacts) {
    self.configuration = configuration
    self.gatewayFacts = gatewayFacts
    deadLetters = DeadLetterFile(
      folder: gatewayFacts.stateDirectory, sink: configuration.name ?? "mqtt", limit: 4 << 20)
  }

  var place: String { configuration.url.description }

  // MARK: Records

  public mutating func deliver(_ batch: RecordBatch, _ wakeUp: SinkWakeUp) -> Delivery {
    var delivery = Delivery()
    delivery.sentNothing = true
    do throws(SinkError) {
      try connect(wakeUp)
      try publish(batch, &delivery, wakeUp)
    } catch {
      fail(error)
      delivery.notBefore = retryAt
    }
    delivery.events = events
    events = []
    return delivery
  }

  private mutating func publish(
    _ batch: RecordBatch, _ delivery: inout Delivery, _ wakeUp: SinkWakeUp
  ) throws(SinkError) {
    var messages = BrokerMessage.messages(
      of: batch, topic: configuration.topic, records: configuration.batchPolicy.records,
      bytes: min(Self.payloadBytes, packetBytes - Self.headBytes))
    let tooLong = messages.filter { $0.bytes > packetBytes - Self.headBytes }
    messages.removeAll { $0.bytes > packetBytes - Self.headBytes }
    // If every message exceeds the broker's limit, the broker is misconfigured, and the records are not at fault.
    if !tooLong.isEmpty, messages.isEmpty {
      throw SinkError(.busy, place, "the broker accepts no packet longer than \(packetBytes) bytes")
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
      let events = connection.wait(until: deadline, wakeUp).events
      if wakeUp.isStopping, events.isEmpty { throw SinkError(.stopped, place, "stopped") }
      for case .acknowledged(let number, let reason) in events {
        deadline = BootClock.now &+ configuration.answerLimit
        try recordResult(window.acknowledged(number, reason: reason), batch, &delivery)
      }
      try handle(events)
      if BootClock.now >= deadline { throw SinkError(.timedOut, place, "the broker does not acknowledge messages") }
    }
  }

  /// Maximum length of the other parts of a packet (fixed header, packet identifier and topic), bytes.
  private static let headBytes = 512

  private mutating func recordResult(
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
      throw SinkError(.busy, place, "the broker accepts no records: \(connection?.explanation(reason) ?? "\(reason)")")
    case .divided, .unknown: break
    }
  }

  /// Stores a rejected record as a dead letter. After that, the record is acknowledged.
  private mutating func refuse(
    _ record: Int, _ reason: String, _ batch: RecordBatch, _ delivery: inout Delivery
  ) throws(SinkError) {
    let line = batch.bytes[batch.records[record].range]
    try deadLetters?.append([(line, reason)])
    delivery.acknowledge(record..<(record + 1))
    let id = RecordLine.id(line).map { String(decoding: $0, as: UTF8.self) } ?? "?"
    events.append(.refused(record: id, reason: reason, more: 0, keptIn: deadLetters?.path))
  }
}
