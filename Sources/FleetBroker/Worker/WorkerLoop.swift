import FleetDomain
import Logging
import Peers
import Synchronization

/// What the worker's thread does: takes messages, has them stored, tells the broker. A thread of its own, because
/// librabbitmq's calls wait for the broker, and a connection must be one thread's.
///
/// While a transaction is under way the next messages are read and parsed, so that broker and database work side by side;
/// they gather into the next transaction. A message is acknowledged after its commit and never before: whatever breaks,
/// the broker has what is not in the store, and a record that comes twice is stored once.
final class WorkerLoop {
  /// Records of one transaction, unless one message has more.
  static let groupRecords = 4_096

  private struct Group {
    let messages: [MessageReader.Read]
    let work: Awaited<[MessageStore.Outcome], StorageError>
  }

  private let options: BrokerOptions
  private let store: MessageStore
  private let shared: WorkerState
  private let logger: Logger
  private let reader: MessageReader
  private var refusals: RefusalLog
  private var waiting: [MessageReader.Read] = []
  private var waitingBytes = 0
  private var underWay: Group?
  /// The connection has brought something to its end.
  private var hasWorked = false

  init(_ options: BrokerOptions, _ store: MessageStore, _ shared: WorkerState, _ logger: Logger) {
    self.options = options
    self.store = store
    self.shared = shared
    self.logger = logger
    let isAMQP = options.addresses.first?.language == .amqp
    reader = MessageReader(
      topic: options.topic, separator: isAMQP ? "." : "/", maximumRecords: options.messageRecords)
    refusals = RefusalLog(
      logger, keptIn: isAMQP ? "the message is in the queue \(options.queue).refused" : "the message is gone")
  }

  /// Works until it is told to stop.
  func run() {
    var backOff = BackOff(first: 500_000_000, longest: Int64(options.retrySeconds) * 1_000_000_000)
    var random = SystemRandomNumberGenerator()
    var place = 0
    var said: BrokerFailure?
    while !shared.isStopping {
      hasWorked = false
      let begin = Clock.now
      do throws(BrokerFailure) {
        if said?.kind == .storage { try askStorage() }
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
      while Clock.now < retryAt, !shared.isStopping { shared.bell.wait(until: retryAt) }
    }
  }

  private func connect(_ address: BrokerAddress) throws(BrokerFailure) -> any BrokerConnection {
    switch address.language {
    case .amqp: try AMQPConnection(address, options)
    case .mqtt: try MQTTConnection(address, options)
    }
  }

  /// Messages are not fetched only to be given back.
  private func askStorage() throws(BrokerFailure) {
    let answer = Awaited(shared.bell) { [store] () async throws(StorageError) in try await store.check() }
    while answer.value == nil, !shared.isStopping { shared.bell.wait(until: Clock.now &+ 1_000_000_000) }
    if case .failure(let error) = answer.value { throw Self.failure(error) }
  }

  private static func failure(_ error: StorageError) -> BrokerFailure {
    BrokerFailure(.storage, error.place, "\(error.detail); records stay with the broker")
  }

  // MARK: One connection

  private func serve(_ connection: any BrokerConnection) throws(BrokerFailure) {
    shared.count { $0.isConnected = true }
    defer {
      waiting = []
      waitingBytes = 0
      underWay = nil
      shared.count { counts in
        counts.isConnected = false
        counts.waiting = 0
      }
    }
    while true {
      try finishGroup(connection)
      if shared.isStopping {
        guard underWay != nil, Clock.now < shared.stopsAt else { return connection.close() }
      } else if underWay == nil, !waiting.isEmpty {
        beginGroup(all: !connection.readsAhead)
      }
      let isFree = connection.readsAhead || (waiting.isEmpty && underWay == nil)
      let reads = isFree && waitingBytes < options.prefetchBytes && !shared.isStopping
      let deadline = min(Clock.now &+ 10_000_000_000, shared.stopsAt)
      take(try connection.receive(until: deadline, shared.bell, reads: reads))
    }
  }

  private func take(_ messages: [BrokerMessage]) {
    guard !messages.isEmpty else { return }
    for message in messages {
      waiting.append(reader.read(message))
      waitingBytes += message.payload.count
    }
    shared.count { counts in
      counts.consumed += messages.count
      counts.redelivered += messages.count { $0.isRedelivered }
      counts.waiting = waiting.count
    }
  }

  private func beginGroup(all: Bool) {
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
      work: Awaited(shared.bell) { [store] () async throws(StorageError) in try await store.store(messages) })
  }

  private func finishGroup(_ connection: any BrokerConnection) throws(BrokerFailure) {
    guard let group = underWay, let result = group.work.value else { return }
    underWay = nil
    let outcomes: [MessageStore.Outcome]
    do throws(StorageError) { outcomes = try result.get() } catch { throw Self.failure(error) }
    try connection.settle(
      zip(group.messages, outcomes).map { Settlement(tag: $0.tag, isRefused: $1.refused > 0) })
    hasWorked = true
    let now = Clock.now
    for (message, outcome) in zip(group.messages, outcomes) where outcome.refused > 0 {
      refusals.note(message.topic, outcome, at: now)
    }
    shared.count { counts in
      let refused = outcomes.count { $0.refused > 0 }
      let ignored = group.messages.count { $0.isIgnored }
      counts.refused += refused
      counts.ignored += ignored
      counts.committed += outcomes.count - refused - ignored
      counts.commits += group.messages.contains { !$0.records.isEmpty } ? 1 : 0
      counts.waiting = waiting.count
    }
  }
}
