import Fusion
import GatewayLinks
import GatewayOutput
import GatewayStatus
import Geofencing
import Ports
import Spool
import Synchronization
import Telemetry

/// The record thread. It reads the deliveries of the links from rings, and makes records when they are due.
///
/// Links can be added and removed while the thread runs.
package final class RecordThread: Sendable {
  /// A request that another thread sends to this thread.
  private enum Order {
    case add(AdapterFeed)
    case remove(AdapterFeed)
    case move(AdapterFeed, device: String)
    case record(AdapterRecord, time: Int64)
    case addReceiver(ReceiverFeed)
    case removeReceiver(ReceiverFeed)
    case moveReceiver(ReceiverFeed, device: String)
    case cadence(Cadence)
    case windows(SignalWindows)
    case fences(FenceSet?, FenceRules, PrivacyRules, FenceMemory?)
    case status
    case end
  }

  /// The wake-up of this thread.
  package let wakeUp: WakeUp
  private let orders = Mutex<[Order]>([])
  private let destination: RecordOutput.Destination
  private let fenceMemory: LatestValue<FenceMemory>
  private let followers: Followers?
  private let statusQuery: ThreadQuery<PipelineStatus>

  /// Creates the thread's state.
  ///
  /// - Parameters:
  ///   - destination: the destination of the records.
  ///   - kept: signalled when ``removeFenceMemory()`` returns states of the geofences, which must be stored for the
  ///     next start.
  ///   - followers: receive the records; `nil` with a spool, because the spool's thread then serves the followers.
  package init(_ destination: RecordOutput.Destination, kept: WakeUp, followers: Followers? = nil) throws(PortError) {
    wakeUp = try WakeUp()
    statusQuery = try ThreadQuery()
    self.destination = destination
    self.followers = followers
    fenceMemory = LatestValue(wakeUp: kept)
  }

  /// Adds an adapter's link. The link's thread writes to the ring from which `consumer` reads.
  ///
  /// - Parameters:
  ///   - name: key that identifies the adapter, also after a restart.
  ///   - figures: the numbers about the link's traffic.
  package func add(
    device: String, name: String, _ consumer: consuming RingConsumer<LinkDelivery>, figures: LinkFigures
  ) -> AdapterFeed {
    let line = AdapterFeed(device: device, name: name, consumer, figures: figures)
    send(.add(line))
    return line
  }

  /// Changes an adapter's name in later records.
  package func move(_ line: AdapterFeed, to device: String) { send(.move(line, device: device)) }

  /// Removes a link whose thread has ended, after records of its last deliveries were made.
  package func remove(_ line: AdapterFeed) { send(.remove(line)) }

  /// Makes a record that belongs to no link.
  package func record(_ record: AdapterRecord, at time: Int64) { send(.record(record, time: time)) }

  /// Adds a receiver. The receiver's thread writes to the ring from which `consumer` reads.
  package func add(receiver device: String, _ consumer: consuming RingConsumer<FixDelivery>) -> ReceiverFeed {
    let feed = ReceiverFeed(device: device, consumer)
    send(.addReceiver(feed))
    return feed
  }

  /// Changes a receiver's name in later records.
  package func move(_ feed: ReceiverFeed, to device: String) { send(.moveReceiver(feed, device: device)) }

  /// Removes a receiver whose thread has ended, after its last deliveries were handled.
  package func remove(_ feed: ReceiverFeed) { send(.removeReceiver(feed)) }

  /// Replaces the geofences. `memory` has the states that an earlier run stored; it is used only if there were no
  /// geofences before.
  package func setFences(
    _ set: FenceSet?, _ rules: FenceRules, privacy: PrivacyRules, resuming memory: FenceMemory? = nil
  ) {
    send(.fences(set, rules, privacy, memory))
  }

  /// Removes and returns the states of the geofences that must be stored; `nil` if they have not changed since the last
  /// call.
  package func removeFenceMemory() -> FenceMemory? { fenceMemory.pop() }

  /// Sets the windows of the signals: for how long after its reading a value is repeated in records
  /// (``SignalWindows``).
  package func setWindows(_ windows: SignalWindows) { send(.windows(windows)) }

  /// Sets when telemetry records are made.
  package func setCadence(_ cadence: Cadence) { send(.cadence(cadence)) }

  /// Returns a snapshot of the pipeline's state; `nil` if the thread does not answer within `patience` (ns). Only one
  /// thread at a time may call this.
  package func status(patience: Int64) -> PipelineStatus? { statusQuery.answer(patience: patience) { send(.status) } }

  /// Ends all waits for a snapshot, so that the waiting threads can end.
  package func closeStatus() { statusQuery.close() }

  /// Asks the thread to make the last records, to end the output, and to end.
  package func end() { send(.end) }

  private func send(_ order: Order) {
    orders.withLock { $0.append(order) }
    wakeUp.signal()
  }

  /// Runs the thread's loop until ``end()`` is called.
  ///
  /// - Parameters:
  ///   - trips: the storage of trips in progress; `nil` if they are not stored.
  ///   - eventLog: logs the events of adapters and receivers, in addition to their records; `nil` for no log.
  ///   - progress: receives the thread's progress for the watchdog; `nil` without a watchdog.
  package func run(
    _ options: RecordPipeline.Options, trips: TripStore? = nil, eventLog: AdapterEventLog? = nil,
    progress: Progress? = nil
  ) {
    var pipeline = RecordPipeline(options, eventLog: eventLog)
    var trips = trips.map { TripSaver($0, pipeline: &pipeline) }
    var sink = RecordOutput(destination, followers: followers, epoch: options.epoch)
    var wall = WallTime.unknown
    var lines: [AdapterFeed] = []
    var feeds: [ReceiverFeed] = []
    var nextClock: Int64 = 0
    while true {
      let now = BootClock.now
      if now >= nextClock {
        pipeline.setMachineClock(MachineClock.read())
        nextClock = now + 1_000_000_000
      }
      let isEnding = perform(&lines, &feeds, &pipeline, &sink)
      for index in lines.indices { lines[index].drain(into: &pipeline, &sink) }
      for index in feeds.indices { feeds[index].drain(into: &pipeline, &sink) }
      saveFences(of: &pipeline, at: now, isLast: isEnding, &sink)
      pipeline.advance(to: now, into: &sink)
      if let loss = sink.popLoss(isLast: isEnding) { Self.report(loss, at: now, &pipeline, &sink) }
      if pipeline.wallTime != wall {
        wall = pipeline.wallTime
        sink.setWallTime(wall)
      }
      if isEnding {
        for line in lines { pipeline.removeSource(line.source, at: now, into: &sink) }
        pipeline.finishOwn(at: now, into: &sink)
        trips?.save(of: &pipeline, at: now, &sink)
        sink.end(at: now)
        return
      }
      trips?.saveDue(of: &pipeline, at: now, &sink)
      sink.flush(at: now)
      // If a record is made for each polling cycle, no record is due at a fixed time, and links wake this thread only
      // for events. Therefore, the thread then reads the rings once a second.
      let look = pipeline.isByCycle && !lines.isEmpty ? now + 1_000_000_000 : Int64.max
      let due = min(pipeline.nextDue, trips?.next ?? .max, look)
      if wakeUp.wait(until: progress?.report(until: due) ?? due) { wakeUp.clear() }
    }
  }

  private func saveFences(of pipeline: inout RecordPipeline, at now: Int64, isLast: Bool, _ sink: inout RecordOutput) {
    guard let memory = pipeline.removeChangedFenceState(at: now, isLast: isLast) else { return }
    if sink.keepsNotes {
      sink.setNote(memory.text, as: FenceStore.note)
    } else {
      fenceMemory.put(memory)
    }
  }

  private func perform(
    _ lines: inout [AdapterFeed], _ feeds: inout [ReceiverFeed], _ pipeline: inout RecordPipeline,
    _ sink: inout RecordOutput
  ) -> Bool {
    let taken = orders.withLock { orders in
      // Without requests, this allocates no memory, because an empty array has no storage.
      guard !orders.isEmpty else { return [Order]() }
      defer { orders = [] }
      return orders
    }
    var isEnding = false
    for order in taken {
      switch order {
      case .add(let line):
        line.source = pipeline.addSource(device: line.device, name: line.name, at: BootClock.now)
        lines.append(line)
      case .remove(let line):
        line.drain(into: &pipeline, &sink)
        pipeline.removeSource(line.source, at: BootClock.now, into: &sink)
        lines.removeAll { $0 === line }
      case .move(let line, let device):
        line.drain(into: &pipeline, &sink)
        pipeline.setDevice(device, of: line.source)
      case .record(let record, let time): pipeline.append(record, at: time, into: &sink)
      case .addReceiver(let feed):
        feed.number = pipeline.addReceiver(device: feed.device, at: BootClock.now)
        feeds.append(feed)
      case .removeReceiver(let feed):
        feed.drain(into: &pipeline, &sink)
        pipeline.removeReceiver(feed.number)
        feeds.removeAll { $0 === feed }
      case .moveReceiver(let feed, let device):
        feed.drain(into: &pipeline, &sink)
        pipeline.setDevice(device, ofReceiver: feed.number)
      case .cadence(let cadence): pipeline.setCadence(cadence)
      case .windows(let windows): pipeline.setWindows(windows)
      case .fences(let set, let rules, let privacy, let memory):
        pipeline.setFences(set, rules, privacy: privacy, resuming: memory, at: BootClock.now)
      case .status:
        statusQuery.answer {
          let now = BootClock.now
          return pipeline.status(of: lines.map { ($0.source, $0.figures.read(at: now)) }, made: sink.made, at: now)
        }
      case .end: isEnding = true
      }
    }
    return isEnding
  }

  private static func report(
    _ loss: RecordQueue.Loss, at now: Int64, _ pipeline: inout RecordPipeline, _ sink: inout RecordOutput
  ) {
    var gap = GapRecord(fromSequence: loss.fromSequence, toSequence: loss.toSequence, reason: .slowReader)
    gap.count = loss.count
    pipeline.record(gap, at: now, into: &sink)
  }
}

/// The part of an adapter's link that the record thread uses. After it was added, no other thread uses it.
package final class AdapterFeed: @unchecked Sendable {
  package let device: String
  /// Key that identifies the adapter, also after a restart.
  package let name: String
  /// The adapter's number in the pipeline; -1 until it is added.
  package var source = -1
  package let figures: LinkFigures
  private var consumer: RingConsumer<LinkDelivery>
  private var dropped = 0

  package init(
    device: String, name: String = "", _ consumer: consuming RingConsumer<LinkDelivery>,
    figures: LinkFigures = LinkFigures()
  ) {
    self.device = device
    self.name = name
    self.consumer = consumer
    self.figures = figures
  }

  /// Passes all deliveries in the ring to the pipeline, and reports deliveries that were lost because the ring was
  /// full.
  func drain(into pipeline: inout RecordPipeline, _ sink: inout RecordOutput) {
    while let delivery = consumer.pop() { pipeline.handle(delivery, from: source, into: &sink) }
    if consumer.dropped != dropped {
      pipeline.dropped(consumer.dropped - dropped, from: source, at: BootClock.now, into: &sink)
      dropped = consumer.dropped
    }
  }
}

/// The part of a receiver's link that the record thread uses. After it was added, no other thread uses it.
package final class ReceiverFeed: @unchecked Sendable {
  package let device: String
  /// The receiver's number in the pipeline; -1 until it is added.
  package var number = -1
  private var consumer: RingConsumer<FixDelivery>

  package init(device: String, _ consumer: consuming RingConsumer<FixDelivery>) {
    self.device = device
    self.consumer = consumer
  }

  /// Passes all deliveries in the ring to the pipeline. Fixes that were lost because the ring was full are not
  /// reported, because the next fix has the current position.
  func drain(into pipeline: inout RecordPipeline, _ sink: inout RecordOutput) {
    while let delivery = consumer.pop() { pipeline.handle(delivery, fromReceiver: number, into: &sink) }
  }
}
