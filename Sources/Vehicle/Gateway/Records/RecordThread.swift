import Fusion
import Geofencing
import Ports
import Spool
import Synchronization
import Telemetry

/// The thread that makes records: empties the lines' rings, and wakes when a record is due.
///
/// Lines come and go while it runs; what they are told of goes through ``add(device:)`` and ``remove(_:)``.
final class RecordThread: Sendable {
  /// Deliveries that a line may be ahead: 20 s of polling flat out.
  static let ringCapacity = 2_048

  /// What the thread is asked to do, in turn.
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

  /// Wakes the thread.
  let wakeUp: WakeUp
  private let orders = Mutex<[Order]>([])
  private let destination: RecordOutlet.Destination
  private let fenceMemory: LatestValue<FenceMemory>
  private let followers: Followers?
  private let statusQuery: ThreadQuery<PipelineStatus>

  /// - Parameters:
  ///   - destination: where the records go.
  ///   - kept: rung when something is to be kept over a restart.
  ///   - followers: of the records, where they go to stdout alone.
  init(_ destination: RecordOutlet.Destination, kept: WakeUp, followers: Followers? = nil) throws(PortError) {
    wakeUp = try WakeUp()
    statusQuery = try ThreadQuery()
    self.destination = destination
    self.followers = followers
    fenceMemory = LatestValue(wakeUp: kept)
  }

  /// A new line; its thread puts in at `producer`.
  ///
  /// - Parameters:
  ///   - name: what its adapter is known by from one start to the next.
  ///   - figures: what it has carried.
  func add(
    device: String, name: String, _ consumer: consuming RingConsumer<Delivery>, figures: LinkFigures
  ) -> AdapterFeed {
    let line = AdapterFeed(device: device, name: name, consumer, figures: figures)
    give(.add(line))
    return line
  }

  /// The line's device is somewhere else now.
  func move(_ line: AdapterFeed, to device: String) { give(.move(line, device: device)) }

  /// A line's thread has ended: what it left is made records of.
  func remove(_ line: AdapterFeed) { give(.remove(line)) }

  /// Makes a record of something that no line tells.
  func record(_ record: AdapterRecord, at time: Int64) { give(.record(record, time: time)) }

  /// A new receiver; its thread puts in at the ring's other end.
  func add(receiver device: String, _ consumer: consuming RingConsumer<FixDelivery>) -> ReceiverFeed {
    let feed = ReceiverFeed(device: device, consumer)
    give(.addReceiver(feed))
    return feed
  }

  /// The receiver's device is somewhere else now.
  func move(_ feed: ReceiverFeed, to device: String) { give(.moveReceiver(feed, device: device)) }

  /// A receiver's thread has ended.
  func remove(_ feed: ReceiverFeed) { give(.removeReceiver(feed)) }

  /// Which fences are watched from now on; `memory` is an earlier run's, for the first ones.
  func setFences(
    _ set: FenceSet?, _ rules: FenceRules, privacy: PrivacyRules, resuming memory: FenceMemory? = nil
  ) {
    give(.fences(set, rules, privacy, memory))
  }

  /// What is to be kept of the fences over a restart; nil: nothing new.
  func takeFenceMemory() -> FenceMemory? { fenceMemory.take() }

  /// How long values stand from now on.
  func setWindows(_ windows: SignalWindows) { give(.windows(windows)) }

  /// When records are made from now on.
  func setCadence(_ cadence: Cadence) { give(.cadence(cadence)) }

  /// How it stands; nil: the thread does not answer in that time, ns. Asked by one at a time.
  func status(patience: Int64) -> PipelineStatus? { statusQuery.ask(patience: patience) { give(.status) } }

  /// Nobody asks how it stands any more.
  func closeStatus() { statusQuery.close() }

  /// Makes the last records, ends the queue, and ends.
  func end() { give(.end) }

  private func give(_ order: Order) {
    orders.withLock { $0.append(order) }
    wakeUp.signal()
  }

  /// The thread's body.
  ///
  /// - Parameters:
  ///   - trips: what was under destination, and where that is kept; nil: nowhere.
  ///   - eventLog: where eventLog are said beside their records; nil: nowhere.
  ///   - progress: of the thread, where somebody watches that it goes on.
  func run(
    _ options: RecordPipeline.Options, trips: TripStore? = nil, eventLog: AdapterEventLog? = nil,
    progress: Progress? = nil
  ) {
    var pipeline = RecordPipeline(options, eventLog: eventLog)
    var trips = trips.map { TripSaver($0, pipeline: &pipeline) }
    var sink = RecordOutlet(destination, followers: followers, epoch: options.epoch)
    var wall = WallTime.unknown
    var lines: [AdapterFeed] = []
    var feeds: [ReceiverFeed] = []
    var nextClock: Int64 = 0
    while true {
      let now = BootClock.now
      if now >= nextClock {
        pipeline.setMachineClock(WallClock.read())
        nextClock = now + 1_000_000_000
      }
      let isEnding = perform(&lines, &feeds, &pipeline, &sink)
      for index in lines.indices { lines[index].drain(into: &pipeline, &sink) }
      for index in feeds.indices { feeds[index].drain(into: &pipeline, &sink) }
      keepFences(of: &pipeline, at: now, isLast: isEnding, &sink)
      pipeline.advance(to: now, into: &sink)
      if let loss = sink.takeLoss(isLast: isEnding) { Self.report(loss, at: now, &pipeline, &sink) }
      if pipeline.wallTime != wall {
        wall = pipeline.wallTime
        sink.setWallTime(wall)
      }
      if isEnding {
        for line in lines { pipeline.removeSource(line.source, at: now, into: &sink) }
        pipeline.finishOwn(at: now, into: &sink)
        trips?.keep(of: &pipeline, at: now, &sink)
        sink.end(at: now)
        return
      }
      trips?.keepDue(of: &pipeline, at: now, &sink)
      sink.flush(at: now)
      // The clock is looked at when a record is made, not more often. By turns of the poll nothing is due at a time, and
      // lines ring only for news: what they have read is looked at once a second.
      let look = pipeline.isByCycle && !lines.isEmpty ? now + 1_000_000_000 : Int64.max
      let due = min(pipeline.nextDue, trips?.next ?? .max, look)
      if wakeUp.wait(until: progress?.turn(until: due) ?? due) { wakeUp.clear() }
    }
  }

  private func keepFences(of pipeline: inout RecordPipeline, at now: Int64, isLast: Bool, _ sink: inout RecordOutlet) {
    guard let memory = pipeline.takeFenceNews(at: now, isLast: isLast) else { return }
    if sink.keepsNotes {
      sink.keep(memory.text, as: FenceStore.note)
    } else {
      fenceMemory.put(memory)
    }
  }

  private func perform(
    _ lines: inout [AdapterFeed], _ feeds: inout [ReceiverFeed], _ pipeline: inout RecordPipeline,
    _ sink: inout RecordOutlet
  ) -> Bool {
    let taken = orders.withLock { orders in
      // An empty array has no storage: taking it costs nothing while nothing is asked.
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
      case .record(let record, let time): pipeline.tell(record, at: time, into: &sink)
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
    _ loss: RecordQueue.Loss, at now: Int64, _ pipeline: inout RecordPipeline, _ sink: inout RecordOutlet
  ) {
    var gap = GapRecord(fromSequence: loss.fromSequence, toSequence: loss.toSequence, reason: .slowReader)
    gap.count = loss.count
    pipeline.record(gap, at: now, into: &sink)
  }
}

/// One line as the record thread knows it; nobody else touches it once it is added.
final class AdapterFeed: @unchecked Sendable {
  let device: String
  /// What its adapter is known by from one start to the next.
  let name: String
  /// Its number at the pipeline.
  var source = -1
  let figures: LinkFigures
  private var consumer: RingConsumer<Delivery>
  private var dropped = 0

  init(
    device: String, name: String = "", _ consumer: consuming RingConsumer<Delivery>,
    figures: LinkFigures = LinkFigures()
  ) {
    self.device = device
    self.name = name
    self.consumer = consumer
    self.figures = figures
  }

  /// Gives everything that has come to the pipeline.
  func drain(into pipeline: inout RecordPipeline, _ sink: inout RecordOutlet) {
    while let delivery = consumer.take() { pipeline.take(delivery, from: source, into: &sink) }
    if consumer.dropped != dropped {
      pipeline.dropped(consumer.dropped - dropped, from: source, at: BootClock.now, into: &sink)
      dropped = consumer.dropped
    }
  }
}

/// One receiver as the record thread knows it; nobody else touches it once it is added.
final class ReceiverFeed: @unchecked Sendable {
  /// Fixes that a receiver may be ahead: half a minute of a fast one.
  static let ringCapacity = 256

  let device: String
  /// Its number at the pipeline.
  var number = -1
  private var consumer: RingConsumer<FixDelivery>

  init(device: String, _ consumer: consuming RingConsumer<FixDelivery>) {
    self.device = device
    self.consumer = consumer
  }

  /// Gives everything that has come to the pipeline. A fix that found no place is one fewer: the next one says where the
  /// vehicle is.
  func drain(into pipeline: inout RecordPipeline, _ sink: inout RecordOutlet) {
    while let delivery = consumer.take() { pipeline.take(delivery, fromReceiver: number, into: &sink) }
  }
}
