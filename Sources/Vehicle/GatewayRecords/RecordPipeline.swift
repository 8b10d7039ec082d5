import AdapterSession
import Fusion
import GatewayLinks
import GatewayOutput
import OBDWire
import Spool
import Telemetry

/// Makes records from the deliveries of the links. Each link has its own ``Fusion/Fusion``. All records are numbered in
/// one sequence.
/// The pipeline reads no clock: deliveries contain their times, and ``advance(to:into:)`` receives the current time.
/// Only one thread may use the pipeline.
public struct RecordPipeline: ~Copyable {
  /// Options that determine the content and the times of records.
  public struct Options: Sendable {
    public var gatewayId: String
    /// The configured ID of the vehicle; `nil` to use the VIN after it was read.
    public var vehicleId: String?
    public var epoch: UUIDv7
    public var idSeed: UInt64
    public var cadence: Cadence = .every(nanoseconds: 1_000_000_000)
    public var naming: Naming = .plain
    public var loadedSignals: [LoadedSignal] = []
    /// Options for trips; `nil` if trips are not recorded.
    public var trips: TripOptions? = TripOptions()
    /// Options for driving events; `nil` if they are not recorded.
    public var driving: DrivingOptions? = DrivingOptions()
    /// ID of the boot since which the times of deliveries are counted.
    public var bootId = ""
    public var windows = SignalWindows()

    public init(gatewayId: String, epoch: UUIDv7, idSeed: UInt64) {
      self.gatewayId = gatewayId
      self.epoch = epoch
      self.idSeed = idSeed
    }

    package var fusion: FusionOptions {
      var fusion = FusionOptions(gatewayId: gatewayId, epoch: epoch, idSeed: idSeed)
      fusion.vehicleId = vehicleId
      // Until the vehicle's ID is known, records contain the gateway's ID instead.
      fusion.unknownVehicleId = gatewayId
      fusion.repeatsDiagnosis = true
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
  /// Logs the events of adapters and receivers; `nil` if they are not logged.
  private let eventLog: AdapterEventLog?
  private(set) var sources: [RecordSource] = []
  /// Makes the records that belong to no link, for example while there are no adapters.
  package let own: RecordSource
  /// Trips in progress that no link continues now.
  var suspendedTrips: [SuspendedTrip] = []
  package var receivers: [ReceiverSource] = []
  /// Chooses the vehicle's position and the date.
  package var place: PositionAndDate
  /// Sequence number of the next record.
  public private(set) var nextSequence: UInt64 = 1
  private var wallOffset: Int64 = 0
  private var quality = TimeQuality.unset
  private var hasWarnedOfTwoVehicles = false

  public init(_ options: Options) { self.init(options, eventLog: nil) }

  package init(_ options: Options, eventLog: AdapterEventLog?) {
    self.options = options
    self.eventLog = eventLog
    own = RecordSource(device: "", name: "gateway", Fusion(options.fusion))
    place = PositionAndDate(notBefore: Version.released)
  }

  /// Adds a link. Returns the number with which ``handle(_:from:into:)`` identifies the link.
  ///
  /// - Parameters:
  ///   - device: name of the adapter in records.
  ///   - name: key that identifies the adapter, also after a restart.
  ///   - time: the current time, ns since boot.
  public mutating func addSource(device: String, name: String = "", at time: Int64 = 0) -> Int {
    let source = RecordSource(device: device, name: name, Fusion(options.fusion), eventLog: eventLog, at: time)
    source.fusion.setWallTime(offset: wallOffset, quality: quality)
    resumeSuspendedTrip(to: source, at: time)
    // The number of a link that was removed is reused.
    if let free = sources.firstIndex(where: { $0.isClosed }) {
      sources[free] = source
      return free
    }
    sources.append(source)
    return sources.count - 1
  }

  /// Changes the name of an adapter in later records.
  public mutating func setDevice(_ device: String, of number: Int) { sources[number].device = device }

  /// Makes a last record of the values that a link has reported since its previous record, and removes the link.
  public mutating func removeSource<Sink: RecordSink & ~Copyable>(_ number: Int, at time: Int64, into sink: inout Sink)
  {
    let source = sources[number]
    begin(source)
    source.finish(at: time, into: &sink)
    end(source)
    suspendTrip(of: source, at: time)
  }

  /// Makes the last records of the values that belong to no link.
  public mutating func finishOwn<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    begin(own)
    own.finish(at: time, into: &sink)
    end(own)
  }

  /// Whether a record is made for each polling cycle. In this case, no record is due at a fixed time.
  var isByCycle: Bool { options.cadence == .cycle }

  /// Sets the date of the machine's clock. A receiver's date is used instead if it is more reliable.
  public mutating func setMachineClock(_ clock: MachineClock) {
    place.setMachineClock(clock)
    applyDate()
  }

  /// The date that is known now.
  var wallTime: WallTime { WallTime(offset: wallOffset, quality: quality) }

  /// Passes the known date to all objects that make records.
  mutating func applyDate() { setWallTime(offset: place.date.offset, quality: place.date.quality) }

  private mutating func setWallTime(offset: Int64, quality: TimeQuality) {
    guard offset != wallOffset || quality != self.quality else { return }
    wallOffset = offset
    self.quality = quality
    own.fusion.setWallTime(offset: offset, quality: quality)
    for index in sources.indices { sources[index].fusion.setWallTime(offset: offset, quality: quality) }
  }

  /// Sets when telemetry records are made. This applies from the next record on.
  public mutating func setCadence(_ cadence: Cadence) {
    options.cadence = cadence
    own.fusion.setCadence(cadence)
    for source in sources { source.fusion.setCadence(cadence) }
  }

  /// Sets for how long records repeat values. This applies from the next record on.
  public mutating func setWindows(_ windows: SignalWindows) {
    options.windows = windows
    for source in sources { source.fusion.setWindows(windows) }
  }

  /// Handles a delivery (a reading or an event) of a link.
  public mutating func handle<Sink: RecordSink & ~Copyable>(
    _ delivery: LinkDelivery, from number: Int, into sink: inout Sink
  ) {
    let source = sources[number]
    begin(source)
    source.handle(delivery, into: &sink)
    end(source)
    if case .event = delivery.content { nameDevices() }
  }

  /// Reports that `count` deliveries of a link were lost because its ring was full.
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
    // The loop uses indices, because iterating over the array would allocate memory in debug builds.
    for index in sources.indices where !sources[index].isClosed {
      let source = sources[index]
      begin(source)
      source.fusion.advance(to: now, into: &sink)
      source.reportFailures(at: now, notAfter: now, into: &sink)
      end(source)
    }
    if !suspendedTrips.isEmpty { endSuspendedTrips(at: now, into: &sink) }
  }

  /// Time at which the next record is due, ns since boot; `.max` if none is due at a fixed time.
  public var nextDue: Int64 {
    var due = own.nextDue
    for index in suspendedTrips.indices { due = min(due, suspendedTrips[index].deadline) }
    for index in sources.indices where !sources[index].isClosed { due = min(due, sources[index].nextDue) }
    return due
  }

  /// Makes a record that belongs to no link, with the given body.
  public mutating func record<Body: RecordBody, Sink: RecordSink & ~Copyable>(
    _ body: Body, at time: Int64, into sink: inout Sink
  ) {
    begin(own)
    own.fusion.record(body, at: time, into: &sink)
    end(own)
  }

  /// Logs an event of an adapter or receiver, and makes a record of it that belongs to no link.
  mutating func append<Sink: RecordSink & ~Copyable>(_ fact: AdapterRecord, at time: Int64, into sink: inout Sink) {
    eventLog?.log(fact, at: time)
    record(fact, at: time, into: &sink)
  }

  /// Adds the adapter's name to records if vehicles answer on several adapters. In this case, records with the same
  /// `vehicle.id` may come from two vehicles.
  private mutating func nameDevices() {
    var speaking = 0
    for index in sources.indices where sources[index].hasSpoken && !sources[index].isClosed { speaking += 1 }
    for index in sources.indices { sources[index].fusion.device = speaking > 1 ? sources[index].device : nil }
    if speaking > 1 { warnOfTwoVehicles() }
  }

  /// Logs once that adapters have read different VINs although one vehicle ID is configured for all.
  private mutating func warnOfTwoVehicles() {
    guard let vehicleId = options.vehicleId, !hasWarnedOfTwoVehicles else { return }
    for first in sources.indices where !sources[first].isClosed {
      for second in sources.indices where second > first && !sources[second].isClosed {
        guard let one = sources[first].fusion.vehicle.vin, let other = sources[second].fusion.vehicle.vin, one != other
        else { continue }
        hasWarnedOfTwoVehicles = true
        Log.write(
          "vehicle.id: \(sources[first].device) and \(sources[second].device) read different vehicles, and both are "
            + "recorded as \(vehicleId); the records differ by \"device\"", .warning)
        return
      }
    }
  }

  func begin(_ source: RecordSource) { source.fusion.nextSequence = nextSequence }

  mutating func end(_ source: RecordSource) { nextSequence = source.fusion.nextSequence }
}
