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
    case add(RecordLine)
    case remove(RecordLine)
    case move(RecordLine, device: String)
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
  let bell: WakeUp
  private let orders = Mutex<[Order]>([])
  private let way: RecordOutlet.Way
  private let fenceMemory: Kept<FenceMemory>
  private let followers: Followers?
  private let inquiry: Inquiry<DeskStatus>

  /// - Parameters:
  ///   - way: where the records go.
  ///   - kept: rung when something is to be kept over a restart.
  ///   - followers: of the records, where they go to stdout alone.
  init(_ way: RecordOutlet.Way, kept: WakeUp, followers: Followers? = nil) throws(PortError) {
    bell = try WakeUp()
    inquiry = try Inquiry()
    self.way = way
    self.followers = followers
    fenceMemory = Kept(bell: kept)
  }

  /// A new line; its thread puts in at `producer`.
  ///
  /// - Parameters:
  ///   - name: what its adapter is known by from one start to the next.
  ///   - figures: what it has carried.
  func add(
    device: String, name: String, _ consumer: consuming RingConsumer<Delivery>, figures: LineFigures
  ) -> RecordLine {
    let line = RecordLine(device: device, name: name, consumer, figures: figures)
    give(.add(line))
    return line
  }

  /// The line's device is somewhere else now.
  func move(_ line: RecordLine, to device: String) { give(.move(line, device: device)) }

  /// A line's thread has ended: what it left is made records of.
  func remove(_ line: RecordLine) { give(.remove(line)) }

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
  func status(patience: Int64) -> DeskStatus? { inquiry.ask(patience: patience) { give(.status) } }

  /// Nobody asks how it stands any more.
  func closeStatus() { inquiry.close() }

  /// Makes the last records, ends the queue, and ends.
  func end() { give(.end) }

  private func give(_ order: Order) {
    orders.withLock { $0.append(order) }
    bell.signal()
  }

  /// The thread's body.
  ///
  /// - Parameters:
  ///   - trips: what was under way, and where that is kept; nil: nowhere.
  ///   - facts: where facts are said beside their records; nil: nowhere.
  ///   - progress: of the thread, where somebody watches that it goes on.
  func run(
    _ options: RecordDesk.Options, trips: TripStore? = nil, facts: FactLog? = nil, progress: Progress? = nil
  ) {
    var desk = RecordDesk(options, facts: facts)
    var trips = trips.map { KeptTrips($0, desk: &desk) }
    var sink = RecordOutlet(way, followers: followers, epoch: options.epoch)
    var wall = WallTime.unknown
    var lines: [RecordLine] = []
    var feeds: [ReceiverFeed] = []
    var nextClock: Int64 = 0
    while true {
      let now = BootClock.now
      if now >= nextClock {
        desk.setMachineClock(WallClock.read())
        nextClock = now + 1_000_000_000
      }
      let isEnding = carryOut(&lines, &feeds, &desk, &sink)
      for index in lines.indices { lines[index].drain(into: &desk, &sink) }
      for index in feeds.indices { feeds[index].drain(into: &desk, &sink) }
      keepFences(of: &desk, at: now, isLast: isEnding, &sink)
      desk.advance(to: now, into: &sink)
      if let loss = sink.takeLoss(isLast: isEnding) { Self.report(loss, at: now, &desk, &sink) }
      if desk.wallTime != wall {
        wall = desk.wallTime
        sink.setWallTime(wall)
      }
      if isEnding {
        for line in lines { desk.removeSource(line.source, at: now, into: &sink) }
        desk.finishOwn(at: now, into: &sink)
        trips?.keep(of: &desk, at: now, &sink)
        sink.end(at: now)
        return
      }
      trips?.keepDue(of: &desk, at: now, &sink)
      sink.flush(at: now)
      // The clock is looked at when a record is made, not more often. By turns of the poll nothing is due at a time, and
      // lines ring only for news: what they have read is looked at once a second.
      let look = desk.isByCycle && !lines.isEmpty ? now + 1_000_000_000 : Int64.max
      let due = min(desk.nextDue, trips?.next ?? .max, look)
      if bell.wait(until: progress?.turn(until: due) ?? due) { bell.silence() }
    }
  }

  private func keepFences(of desk: inout RecordDesk, at now: Int64, isLast: Bool, _ sink: inout RecordOutlet) {
    guard let memory = desk.takeFenceNews(at: now, isLast: isLast) else { return }
    if sink.keepsNotes {
      sink.keep(memory.text, as: FenceFile.note)
    } else {
      fenceMemory.put(memory)
    }
  }

  private func carryOut(
    _ lines: inout [RecordLine], _ feeds: inout [ReceiverFeed], _ desk: inout RecordDesk, _ sink: inout RecordOutlet
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
        line.source = desk.addSource(device: line.device, name: line.name, at: BootClock.now)
        lines.append(line)
      case .remove(let line):
        line.drain(into: &desk, &sink)
        desk.removeSource(line.source, at: BootClock.now, into: &sink)
        lines.removeAll { $0 === line }
      case .move(let line, let device):
        line.drain(into: &desk, &sink)
        desk.setDevice(device, of: line.source)
      case .record(let record, let time): desk.tell(record, at: time, into: &sink)
      case .addReceiver(let feed):
        feed.number = desk.addReceiver(device: feed.device, at: BootClock.now)
        feeds.append(feed)
      case .removeReceiver(let feed):
        feed.drain(into: &desk, &sink)
        desk.removeReceiver(feed.number)
        feeds.removeAll { $0 === feed }
      case .moveReceiver(let feed, let device):
        feed.drain(into: &desk, &sink)
        desk.setDevice(device, ofReceiver: feed.number)
      case .cadence(let cadence): desk.setCadence(cadence)
      case .windows(let windows): desk.setWindows(windows)
      case .fences(let set, let rules, let privacy, let memory):
        desk.setFences(set, rules, privacy: privacy, resuming: memory, at: BootClock.now)
      case .status:
        inquiry.answer {
          let now = BootClock.now
          return desk.status(of: lines.map { ($0.source, $0.figures.read(at: now)) }, made: sink.made, at: now)
        }
      case .end: isEnding = true
      }
    }
    return isEnding
  }

  private static func report(
    _ loss: RecordQueue.Loss, at now: Int64, _ desk: inout RecordDesk, _ sink: inout RecordOutlet
  ) {
    var gap = GapRecord(fromSequence: loss.fromSequence, toSequence: loss.toSequence, reason: .slowReader)
    gap.count = loss.count
    desk.record(gap, at: now, into: &sink)
  }
}

/// One line as the record thread knows it; nobody else touches it once it is added.
final class RecordLine: @unchecked Sendable {
  let device: String
  /// What its adapter is known by from one start to the next.
  let name: String
  /// Its number at the desk.
  var source = -1
  let figures: LineFigures
  private var consumer: RingConsumer<Delivery>
  private var dropped = 0

  init(
    device: String, name: String = "", _ consumer: consuming RingConsumer<Delivery>,
    figures: LineFigures = LineFigures()
  ) {
    self.device = device
    self.name = name
    self.consumer = consumer
    self.figures = figures
  }

  /// Gives everything that has come to the desk.
  func drain(into desk: inout RecordDesk, _ sink: inout RecordOutlet) {
    while let delivery = consumer.take() { desk.take(delivery, from: source, into: &sink) }
    if consumer.dropped != dropped {
      desk.dropped(consumer.dropped - dropped, from: source, at: BootClock.now, into: &sink)
      dropped = consumer.dropped
    }
  }
}

/// One receiver as the record thread knows it; nobody else touches it once it is added.
final class ReceiverFeed: @unchecked Sendable {
  /// Fixes that a receiver may be ahead: half a minute of a fast one.
  static let ringCapacity = 256

  let device: String
  /// Its number at the desk.
  var number = -1
  private var consumer: RingConsumer<FixDelivery>

  init(device: String, _ consumer: consuming RingConsumer<FixDelivery>) {
    self.device = device
    self.consumer = consumer
  }

  /// Gives everything that has come to the desk. A fix that found no place is one fewer: the next one says where the
  /// vehicle is.
  func drain(into desk: inout RecordDesk, _ sink: inout RecordOutlet) {
    while let delivery = consumer.take() { desk.take(delivery, fromReceiver: number, into: &sink) }
  }
}
