import Geofencing
import NMEAWire
import Telemetry

/// Evaluates the vehicle's position against its geofences, and makes `geofence` records.
///
///     var recorder = GeofenceRecorder(set)
///     recorder.fix(fix, at: now, vehicleSpeed: fusion.vehicleSpeed(at: now), fusion: &fusion, into: &sink)
public struct GeofenceRecorder: ~Copyable {
  private var watch: FenceWatch
  /// The geofence events that the current fix has caused.
  private var events = Events()
  /// The geofences for which a precision of positions is configured, each with its index and its precision.
  private var zones: [(fence: Int, privacy: PositionPrivacy)] = []
  private var privacy: PrivacyRules
  /// Whether the state has changed so much that the caller should store ``memory(at:)``. The caller then sets this to
  /// `false`.
  public var hasChanges = false
  /// Position and time of the last fix at which the vehicle had moved so far that ``hasChanges`` was set. If there was
  /// no such fix yet, the position and time of the first fix; `nil` before the first fix.
  private var lastStored: (place: GeoPosition, time: Int64)?
  /// A new position is stored if it is at least this far from the last stored position, m. If the stored position were
  /// old, a vehicle that has driven since would seem to have been towed during a power cut.
  private static let storedDistance = 100.0
  /// Minimum time between two stored positions, ns.
  private static let storedInterval: Int64 = 60_000_000_000

  private struct Events: FenceHandler {
    var list: [FenceEvent] = []

    mutating func fenceEvent(_ event: FenceEvent) { list.append(event) }
  }

  /// Creates a recorder for a set of geofences.
  ///
  /// - Parameters:
  ///   - memory: the state that an earlier run of the program stored; `nil` if there is none.
  ///   - time: the current time, ns.
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

  /// Returns the precision with which records show a fix. A fix just outside a privacy zone counts as inside.
  /// Otherwise, the receiver's error or the last metres of the way could reveal the place.
  ///
  /// - Parameter fix: a fix with a position.
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

  /// A fix counts as inside a privacy zone if it is at most this far outside the zone, m.
  private static let zoneMargin = 50.0

  /// Replaces the geofences. If a geofence is also in the new set, a visit to it continues.
  public mutating func reload(_ set: FenceSet, privacy: PrivacyRules) {
    watch.reload(set)
    self.privacy = privacy
    findZones()
    hasChanges = true
  }

  /// Returns the state. The caller stores it and passes it to `init` after a restart.
  public func memory(at time: Int64) -> FenceMemory { watch.memory(at: time) }

  /// The lowest speed limit of the geofences that contain the vehicle, km/h; `nil` if none has a limit.
  public var speedLimit: Double? { watch.speedLimit?.limit }

  private mutating func storeIfMoved(_ place: GeoPosition, at time: Int64) {
    if let lastStored {
      guard time - lastStored.time >= Self.storedInterval,
        place.distance(to: lastStored.place) >= Self.storedDistance
      else { return }
      hasChanges = true
    }
    lastStored = (place, time)
  }

  /// Evaluates the vehicle's next fix. A fix without a position is ignored.
  ///
  /// - Parameters:
  ///   - time: time at which the fix was received.
  ///   - vehicleSpeed: speed that the vehicle reports, km/h; `nil` if unknown.
  ///   - fusion: makes the records. Each record has the time at which its event occurred.
  public mutating func fix<Sink: RecordSink & ~Copyable>(
    _ fix: Fix, at time: Int64, vehicleSpeed: Double?, fusion: inout Fusion, into sink: inout Sink
  ) {
    guard let latitude = fix.latitude, let longitude = fix.longitude else { return }
    watch.fix(
      FenceFix(
        time: time, latitude: latitude, longitude: longitude, hdop: fix.hdop, vehicleSpeed: vehicleSpeed,
        groundSpeed: fix.speed), into: &events)
    storeIfMoved(GeoPosition(latitude: latitude, longitude: longitude), at: time)
    guard !events.list.isEmpty else { return }
    hasChanges = true
    let ofFix = privacy(of: fix)
    for event in events.list {
      // The event's position differs from that of the fix if a fence was crossed between two fixes.
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
  /// Converts the kind of a geofence event to its name in records.
  public init(_ kind: FenceEvent.Kind) {
    self =
      switch kind {
      case .enter: .enter
      case .exit: .exit
      case .dwell: .dwell
      }
  }
}
