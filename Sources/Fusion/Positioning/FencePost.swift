import Geofencing
import NMEAWire
import Telemetry

/// Follows the vehicle through its fences and makes `geofence` records of what happens there.
///
///     var post = FencePost(set)
///     post.fix(fix, at: now, vehicleSpeed: fusion.vehicleSpeed(at: now), fusion: &fusion, into: &sink)
public struct FencePost: ~Copyable {
  private var watch: FenceWatch
  /// What the fix under way has brought.
  private var events = Events()
  /// Fences in which records show less of the position, by index.
  private var zones: [(fence: Int, privacy: PositionPrivacy)] = []
  private var privacy: PrivacyRules
  /// Something happened at a fence since this was set to false: what is remembered is worth a write.
  public var hasNews = false
  /// The place that was last worth remembering.
  private var remembered: (place: GeoPosition, time: Int64)?
  /// m from there, and ns, from which on another is: after a power cut the vehicle must not seem to have been carried.
  private static let rememberedWay = 100.0
  private static let rememberedTime: Int64 = 60_000_000_000

  private struct Events: FenceHandler {
    var list: [FenceEvent] = []

    mutating func fenceEvent(_ event: FenceEvent) { list.append(event) }
  }

  /// - Parameters:
  ///   - memory: what an earlier run remembered; nil: nothing.
  ///   - time: now.
  public init(
    _ set: FenceSet, rules: FenceRules = FenceRules(), privacy: PrivacyRules = PrivacyRules(),
    resuming memory: FenceMemory? = nil, at time: Int64 = 0
  ) {
    self.privacy = privacy
    if let memory {
      watch = FenceWatch(set, rules: rules, resuming: memory, at: time)
    } else {
      watch = FenceWatch(set, rules: rules)
    }
    events.list.reserveCapacity(64)
    findZones()
  }

  private mutating func findZones() {
    zones = privacy.zones.compactMap { zone in
      watch.set.fences.firstIndex { $0.id == zone.fence }.map { ($0, zone.privacy) }
    }
  }

  /// How much of a place records show. A fix near the edge of a zone counts as inside: its error must not tell where home
  /// is, and the way to the door neither.
  ///
  /// - Parameter fix: with a position.
  public func privacy(of fix: Fix) -> PositionPrivacy {
    guard let latitude = fix.latitude, let longitude = fix.longitude else { return privacy.everywhere }
    return privacy(at: GeoPosition(latitude: latitude, longitude: longitude))
  }

  private func privacy(at place: GeoPosition) -> PositionPrivacy {
    var shown = privacy.everywhere
    for zone in zones {
      let isNear =
        watch.isInside(zone.fence) || watch.set.contains(place, fence: zone.fence)
        || watch.set.distance(from: place, toBoundaryOf: zone.fence, limit: Self.zoneMargin) != nil
      if isNear { shown = shown.stricter(zone.privacy) }
    }
    return shown
  }

  /// m around a zone in which it counts, too.
  private static let zoneMargin = 50.0

  /// Watches other fences from now on; visits to fences that are in both go on.
  public mutating func reload(_ set: FenceSet, privacy: PrivacyRules) {
    watch.reload(set)
    self.privacy = privacy
    findZones()
    hasNews = true
  }

  /// What is to be kept over a restart.
  public func memory(at time: Int64) -> FenceMemory { watch.memory(at: time) }

  /// The lowest limit of the fences that the vehicle is in, km/h; nil: none has one.
  public var speedLimit: Double? { watch.speedLimit?.limit }

  private mutating func remember(_ place: GeoPosition, at time: Int64) {
    if let remembered {
      guard time - remembered.time >= Self.rememberedTime,
        place.distance(to: remembered.place) >= Self.rememberedWay
      else { return }
      hasNews = true
    }
    remembered = (place, time)
  }

  /// Takes the vehicle's next fix. One without a position says nothing.
  ///
  /// - Parameters:
  ///   - time: when it was received.
  ///   - vehicleSpeed: km/h, as the vehicle says; nil where it does not.
  ///   - fusion: writes the records, each at the time of its event.
  public mutating func fix<Sink: RecordSink & ~Copyable>(
    _ fix: Fix, at time: Int64, vehicleSpeed: Double?, fusion: inout Fusion, into sink: inout Sink
  ) {
    guard let latitude = fix.latitude, let longitude = fix.longitude else { return }
    watch.fix(
      FenceFix(
        time: time, latitude: latitude, longitude: longitude, hdop: fix.hdop, vehicleSpeed: vehicleSpeed,
        groundSpeed: fix.speed), into: &events)
    remember(GeoPosition(latitude: latitude, longitude: longitude), at: time)
    guard !events.list.isEmpty else { return }
    hasNews = true
    let ofFix = privacy(of: fix)
    for event in events.list {
      // The place of a fence that was crossed between two fixes lies elsewhere.
      let shown = ofFix.stricter(privacy(at: event.position))
      let fence = watch.set.fences[event.fence]
      let record = GeofenceRecord(
        fenceId: fence.id, fenceName: fence.name, event: GeofenceRecord.Event(event.kind),
        latitude: shown.shown(event.position.latitude), longitude: shown.shown(event.position.longitude))
      fusion.record(record, at: time, occurred: event.time, into: &sink)
    }
    events.list.removeAll(keepingCapacity: true)
  }
}

extension GeofenceRecord.Event {
  /// What a watch tells, as records say it.
  public init(_ kind: FenceEvent.Kind) {
    self =
      switch kind {
      case .enter: .enter
      case .exit: .exit
      case .dwell: .dwell
      }
  }
}
