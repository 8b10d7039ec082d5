import FleetDomain
import Logging
import Peers
import Synchronization

/// The loop of the worker's thread: receives messages, passes them to the storage, and acknowledges them. It has its
/// own thread, because calls of librabbitmq block, and a connection must be used by one thread.
///
/// While a transaction is in progress, the loop receives and parses further messages for the next one. It acknowledges
/// a message only after the message's records are committed. After any failure, the broker therefore still has every
/// message that is not stored. A record that is delivered twice is stored once.
///
/// If the storage fails, the worker keeps messages of RabbitMQ and tries again, because a quorum queue (4.x) drops a
/// message after 20 deliveries. With mosquitto, the connection cannot be kept while messages are unacknowledged, so it
/// is closed; mosquitto delivers the messages again as often as needed.
final class WorkerLoop {
  /// The maximum number of records in a transaction, unless one message has more.
  static let groupRecords = 4_096

  private struct Group {
    let messages: [MessageReader.Read]
    let work: Awaited<MessageStore.Pass, Never>
  }

  private let options: BrokerOptions
  private let store: MessageStore
  private let shared: WorkerState
  private let logger: Logger
  private let reader: MessageReader
  private var refusals: RefusalLog
  private var waiting: [MessageReader.Read] = []
  /// Messages that could not be stored and wait for the next attempt.
  private var failed: [MessageReader.Read] = []
  private var pause: BackOff
  private var retryAt = Int64.min
  /// Whether the last attempt stored nothing. If so, new messages wait for the next attempt together with the failed
  /// ones.
  private var storesNothing = false
  private var storageFailure: StorageError?
  private var waitingBytes = 0
  private var underWay: Group?
  /// Whether a message was acknowledged over this connection.
  private var hasWorked = false

  init(_ options: BrokerOptions, _ store: MessageStore, _ shared: WorkerState, _ logger: Logger) {
    self.options = options
    self.store = store
    self.shared = shared
    self.logger = logger
    let isAMQP = options.isAMQP
    pause = Self.backOff(options)
    reader = MessageReader(
      topic: options.topic, separator: isAMQP ? "." : "/", maximumRecords: options.messageRecords)
    refusals = RefusalLog(
      logger, keptIn: isAMQP ? "the message is in the queue \(options.queue).refused" : "the message is gone")
  }

  private static func backOff(_ options: BrokerOptions) -> BackOff {
    BackOff(first: 500_000_000, longest: Int64(options.retrySeconds) * 1_000_000_000)
  }

  /// Runs until the worker is stopped.
  func run() {
    var backOff = Self.backOff(options)
    var random = SystemRandomNumberGenerator()
    var place = 0
    var said: BrokerFailure?
    defer { refusals.logPending(at: nil) }
    while !shared.isStopping {
      hasWorked = false
      let begin = Clock.now
      do throws(BrokerFailure) {
        if said?.kind == .storage { try checkStorage() }
        if shared.isStopping { return }
        let address = options.addresses[place]
        let connection = try connect(address)
        logger.notice("\(address): records are taken from it")
        said = nil
        try serve(connection)
        return
      } catch {
        if hasWorked || Clock.now &- begin > 60_000_000_000 { backOff.succeeded() }
        if error.kind != .storage { place = (place + 1) % options.addresses.count }
        if error != said { logger.error("\(error); trying again") }
        said = error
      }
      let retryAt = Clock.now &+ backOff.failed(using: &random)
      while Clock.now < retryAt, !shared.isStopping {
        shared.wakeUp.wait(until: min(retryAt, refusals.deadline))
        refusals.logPending(at: Clock.now)
      }
    }
  }

  private func connect(_ address: BrokerAddress) throws(BrokerFailure) -> any ConsumerConnection {
    switch address.language {
    case .amqp: try AMQPConnection(address, options)
    case .mqtt: try MQTTConnection(address, options)
    }
  }

  /// Checks the storage before messages are received, so that the broker does not deliver messages that cannot be
  /// stored.
  private func checkStorage() throws(BrokerFailure) {
    let answer = Awaited(shared.wakeUp) { [store] () async throws(StorageError) in try await store.check() }
    while answer.value == nil, !shared.isStopping { shared.wakeUp.wait(until: Clock.now &+ 1_000_000_000) }
    if case .failure(let error) = answer.value { throw Self.failure(error) }
  }

  private static func failure(_ error: StorageError) -> BrokerFailure {
    BrokerFailure(.storage, error.place, "\(error.detail); records stay with the broker")
  }

  // MARK: One connection

  private func serve(_ connection: any ConsumerConnection) throws(BrokerFailure) {
    shared.count { $0.isConnected = true }
    defer {
      waiting = []
      failed = []
      waitingBytes = 0
      storesNothing = false
      underWay = nil
      shared.count { counts in
        counts.isConnected = false
        counts.waiting = 0
      }
    }
    while true {
      try finishGroup(connection)
      refusals.logPending(at: Clock.now)
      if shared.isStopping {
        guard underWay != nil, Clock.now < shared.stopsAt else { return connection.close() }
      } else if underWay == nil {
        beginGroup(all: !connection.readsAhead)
      }
      let isFree = connection.readsAhead || (waiting.isEmpty && underWay == nil)
      let room = isFree && !shared.isStopping ? max(options.prefetchBytes - waitingBytes, 0) : 0
      let retry = failed.isEmpty || underWay != nil ? Int64.max : retryAt
      let deadline = min(Clock.now &+ 10_000_000_000, shared.stopsAt, retry, refusals.deadline)
      append(try connection.receive(until: deadline, shared.wakeUp, room: room))
    }
  }

  private func append(_ messages: [ConsumedMessage]) {
    guard !messages.isEmpty else { return }
    for message in messages {
      waiting.append(reader.read(message))
      waitingBytes += message.payload.count
    }
    shared.count { counts in
      counts.consumed += messages.count
      counts.redelivered += messages.count { $0.isRedelivered }
      counts.waiting = waiting.count + failed.count
    }
  }

  private func beginGroup(all: Bool) {
    if !failed.isEmpty {
      if Clock.now >= retryAt {
        waiting = failed + waiting
        failed = []
      } else if storesNothing {
        return
      }
    }
    guard !waiting.isEmpty else { return }
    var (count, records) = (0, 0)
    for message in waiting {
      records += message.records.count
      if count > 0, records > Self.groupRecords, !all { break }
      count += 1
    }
    let messages = Array(waiting.prefix(count))
    waiting.removeFirst(count)
    waitingBytes -= messages.reduce(0) { $0 + $1.bytes }
    underWay = Group(
      messages: messages,
      work: Awaited(shared.wakeUp) { [store] () async throws(Never) in await store.store(messages) })
  }

  private func finishGroup(_ connection: any ConsumerConnection) throws(BrokerFailure) {
    guard let group = underWay, let result = group.work.value else { return }
    underWay = nil
    let pass = result.get()
    if let failure = pass.failure {
      guard connection.readsAhead else { throw Self.failure(failure) }
      retryLater(group.messages, pass, failure)
    } else if storageFailure != nil, failed.isEmpty {
      logger.notice("records are stored again")
      storageFailure = nil
    }
    let finished = zip(group.messages, pass.outcomes).compactMap { message, outcome in outcome.map { (message, $0) } }
    if finished.isEmpty { return }
    try connection.acknowledge(finished.map { DeliveryResult(tag: $0.0.tag, isRefused: $0.1.refused > 0) })
    hasWorked = true
    storesNothing = false
    count(finished, commits: group.messages.contains { !$0.records.isEmpty })
  }

  /// Keeps messages that could not be stored, for the next attempt.
  private func retryLater(_ messages: [MessageReader.Read], _ pass: MessageStore.Pass, _ failure: StorageError) {
    let left = zip(messages, pass.outcomes).compactMap { message, outcome in outcome == nil ? message : nil }
    failed += left
    waitingBytes += left.reduce(0) { $0 + $1.bytes }
    shared.count { $0.waiting = waiting.count + failed.count }
    storesNothing = left.count == messages.count
    if !storesNothing { pause.succeeded() }
    var random = SystemRandomNumberGenerator()
    retryAt = Clock.now &+ pause.failed(using: &random)
    if failure != storageFailure { logger.error("\(Self.failure(failure)); trying again") }
    storageFailure = failure
  }

  private func count(_ finished: [(MessageReader.Read, MessageStore.Outcome)], commits: Bool) {
    let now = Clock.now
    for (message, outcome) in finished where outcome.refused > 0 { refusals.report(message.topic, outcome, at: now) }
    shared.count { counts in
      let refused = finished.count { $0.1.refused > 0 }
      let ignored = finished.count { $0.0.isIgnored }
      counts.refused += refused
      counts.ignored += ignored
      counts.committed += finished.count - refused - ignored
      counts.commits += commits ? 1 : 0
      counts.waiting = waiting.count + failed.count
    }
  }
}
