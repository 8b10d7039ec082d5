import AdapterSession
import Fusion
import OBDWire
import Spool
import Telemetry

/// Makes records of what the lines deliver: one ``Fusion/Fusion`` for each line, one count of records for all.
///
/// It knows no clock: deliveries carry their time, and ``advance(to:into:)`` says how late it is. In one thread.
public struct RecordPipeline: ~Copyable {
  /// How its records are made.
  public struct Options: Sendable {
    public var gatewayId: String
    /// The configured vehicle; nil: the VIN, once it is known.
    public var vehicleId: String?
    public var epoch: UUIDv7
    public var idSeed: UInt64
    public var cadence: Cadence = .every(nanoseconds: 1_000_000_000)
    public var naming: Naming = .plain
    public var loadedSignals: [LoadedSignal] = []
    /// Nil: no trips.
    public var trips: TripOptions? = TripOptions()
    /// Nil: nothing of the driving.
    public var driving: DrivingOptions? = DrivingOptions()
    /// Which boot the times of deliveries count from.
    public var bootId = ""
    public var windows = SignalWindows()

    public init(gatewayId: String, epoch: UUIDv7, idSeed: UInt64) {
      self.gatewayId = gatewayId
      self.epoch = epoch
      self.idSeed = idSeed
    }

    var fusion: FusionOptions {
      var fusion = FusionOptions(gatewayId: gatewayId, epoch: epoch, idSeed: idSeed)
      fusion.vehicleId = vehicleId
      // A vehicle that has not said who it is goes by the box it is in.
      fusion.unknownVehicleId = gatewayId
      fusion.cadence = cadence
      fusion.naming = naming
      fusion.loadedSignals = loadedSignals
      fusion.trips = trips
      fusion.driving = driving
      fusion.windows = windows
      return fusion
    }
  }

  private(set) var options: Options
  /// Where eventLog are said beside their records; nil: nowhere.
  private let eventLog: AdapterEventLog?
  private(set) var sources: [RecordSource] = []
  /// Speaks for the gateway itself.
  let own: RecordSource
  /// Trips of which no line goes on yet.
  var suspendedTrips: [SuspendedTrip] = []
  var receivers: [ReceiverSource] = []
  /// Where the vehicle is, and what that and the date depend on.
  var place: PositionAndDate
  /// `seq` of the next record.
  public private(set) var nextSequence: UInt64 = 1
  private var wallOffset: Int64 = 0
  private var quality = TimeQuality.unset
  private var hasWarnedOfTwoVehicles = false

  public init(_ options: Options) { self.init(options, eventLog: nil) }

  init(_ options: Options, eventLog: AdapterEventLog?) {
    self.options = options
    self.eventLog = eventLog
    own = RecordSource(device: "", name: "gateway", Fusion(options.fusion))
    place = PositionAndDate(notBefore: Version.released)
  }

  /// Adds a line; the number that its deliveries come with.
  ///
  /// - Parameters:
  ///   - device: how its records call the adapter.
  ///   - name: what the adapter is known by from one start to the next.
  ///   - time: now.
  public mutating func addSource(device: String, name: String = "", at time: Int64 = 0) -> Int {
    let source = RecordSource(device: device, name: name, Fusion(options.fusion), eventLog: eventLog, at: time)
    source.fusion.setWallTime(offset: wallOffset, quality: quality)
    resumeSuspendedTrip(to: source, at: time)
    // A line that is no more leaves its place.
    if let free = sources.firstIndex(where: { $0.isClosed }) {
      sources[free] = source
      return free
    }
    sources.append(source)
    return sources.count - 1
  }

  /// The line's device is called so from here on.
  public mutating func setDevice(_ device: String, of number: Int) { sources[number].device = device }

  /// The line is no more: its last, partial record is made.
  public mutating func removeSource<Sink: RecordSink & ~Copyable>(_ number: Int, at time: Int64, into sink: inout Sink)
  {
    let source = sources[number]
    begin(source)
    source.finish(at: time, into: &sink)
    end(source)
    takeTrip(of: source, at: time)
  }

  /// The gateway ends: the last of what no line tells is made records of.
  public mutating func finishOwn<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    begin(own)
    own.finish(at: time, into: &sink)
    end(own)
  }

  /// Whether nothing is due at a time of its own.
  var isByCycle: Bool { options.cadence == .cycle }

  /// Says what the machine's clock is, from here on; where a receiver knows better, its date counts.
  public mutating func setMachineClock(_ clock: WallClock) {
    place.setMachineClock(clock)
    tellDate()
  }

  /// What is known of the date.
  var wallTime: WallTime { WallTime(offset: wallOffset, quality: quality) }

  /// Hands on what is known of the date.
  mutating func tellDate() { setWallTime(offset: place.date.offset, quality: place.date.quality) }

  private mutating func setWallTime(offset: Int64, quality: TimeQuality) {
    guard offset != wallOffset || quality != self.quality else { return }
    wallOffset = offset
    self.quality = quality
    own.fusion.setWallTime(offset: offset, quality: quality)
    for index in sources.indices { sources[index].fusion.setWallTime(offset: offset, quality: quality) }
  }

  /// When telemetry records are made, from the next one on.
  public mutating func setCadence(_ cadence: Cadence) {
    options.cadence = cadence
    own.fusion.setCadence(cadence)
    for source in sources { source.fusion.setCadence(cadence) }
  }

  /// How long values stand, from the next record on.
  public mutating func setWindows(_ windows: SignalWindows) {
    options.windows = windows
    for source in sources { source.fusion.setWindows(windows) }
  }

  /// Takes one delivery of a line.
  public mutating func take<Sink: RecordSink & ~Copyable>(
    _ delivery: Delivery, from number: Int, into sink: inout Sink
  ) {
    let source = sources[number]
    begin(source)
    source.take(delivery, into: &sink)
    end(source)
    if case .event = delivery.content { nameDevices() }
  }

  /// So many of a line's deliveries found no place and are lost.
  public mutating func dropped<Sink: RecordSink & ~Copyable>(
    _ count: Int, from number: Int, at time: Int64, into sink: inout Sink
  ) {
    let source = sources[number]
    begin(source)
    source.dropped(count, at: time, into: &sink)
    end(source)
  }

  /// Makes the records that are due.
  public mutating func advance<Sink: RecordSink & ~Copyable>(to now: Int64, into sink: inout Sink) {
    begin(own)
    own.fusion.advance(to: now, into: &sink)
    end(own)
    // By index: iterating the array itself takes from the heap in builds that are not optimised.
    for index in sources.indices where !sources[index].isClosed {
      let source = sources[index]
      begin(source)
      source.fusion.advance(to: now, into: &sink)
      source.reportFailures(at: now, notAfter: now, into: &sink)
      end(source)
    }
    if !suspendedTrips.isEmpty { endSuspendedTrips(at: now, into: &sink) }
  }

  /// When a record is due next; `.max`: none.
  public var nextDue: Int64 {
    var due = own.nextDue
    for index in suspendedTrips.indices { due = min(due, suspendedTrips[index].deadline) }
    for index in sources.indices where !sources[index].isClosed { due = min(due, sources[index].nextDue) }
    return due
  }

  /// Makes a record of the gateway's own.
  public mutating func record<Body: RecordBody, Sink: RecordSink & ~Copyable>(
    _ body: Body, at time: Int64, into sink: inout Sink
  ) {
    begin(own)
    own.fusion.record(body, at: time, into: &sink)
    end(own)
  }

  /// Makes a record of an adapter or receiver of which no line tells.
  mutating func tell<Sink: RecordSink & ~Copyable>(_ fact: AdapterRecord, at time: Int64, into sink: inout Sink) {
    eventLog?.tell(fact, at: time)
    record(fact, at: time, into: &sink)
  }

  /// Where several adapters have a vehicle, records say which one they come from: one `vehicle.id` may stand for two cars.
  private mutating func nameDevices() {
    var speaking = 0
    for index in sources.indices where sources[index].hasSpoken && !sources[index].isClosed { speaking += 1 }
    for index in sources.indices { sources[index].fusion.device = speaking > 1 ? sources[index].device : nil }
    if speaking > 1 { warnOfTwoVehicles() }
  }

  /// Adapters that read different VINs under one configured name are reported once.
  private mutating func warnOfTwoVehicles() {
    guard let vehicleId = options.vehicleId, !hasWarnedOfTwoVehicles else { return }
    for first in sources.indices where !sources[first].isClosed {
      for second in sources.indices where second > first && !sources[second].isClosed {
        guard let one = sources[first].fusion.vehicle.vin, let other = sources[second].fusion.vehicle.vin, one != other
        else { continue }
        hasWarnedOfTwoVehicles = true
        Log.write(
          "vehicle.id: \(sources[first].device) and \(sources[second].device) read different vehicles, and both are "
            + "recorded as \(vehicleId); the records' \"device\" tells them apart", .warning)
        return
      }
    }
  }

  func begin(_ source: RecordSource) { source.fusion.nextSequence = nextSequence }

  mutating func end(_ source: RecordSource) { nextSequence = source.fusion.nextSequence }
}
