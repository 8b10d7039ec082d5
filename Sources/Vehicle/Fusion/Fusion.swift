import NMEAWire
import OBDWire
import Telemetry

/// Turns readings, texts, trouble codes and fixes into records, as finished JSON lines. Each input has a time.
///
/// ```swift
/// struct Printer: RecordSink {
///   mutating func record(_ line: Span<UInt8>) { write(line) }
/// }
///
/// var fusion = Fusion(FusionOptions(gatewayId: "gw-17", epoch: epoch, idSeed: seed))
/// var sink = Printer()
/// fusion.setWallTime(offset: wallOffset, quality: .ntp)
/// fusion.begin(at: now)
/// fusion.reading(reading, at: now, into: &sink)        // for each reading, text, code list and fix
/// fusion.advance(to: now, into: &sink)                 // when `nextDue` has come
/// fusion.finish(at: now, into: &sink)
/// ```
///
/// `Fusion` reads no clock. Every time is in nanoseconds of the caller's clock, which must not decrease. A time that is
/// earlier than a previous time is replaced with that previous time. ``setWallTime(offset:quality:)`` relates that
/// clock to the date.
///
/// Functions with the parameters `time` and `sink` handle an event that occurred at `time`. They pass to `sink` all
/// records that are due before this event, and all records that the event causes.
///
/// Guarantees:
/// - A value is contained in the first telemetry record whose time is not earlier than the value's time. Later records
///   repeat the value only within its window (``SignalWindows``). Values that were not read are absent.
/// - In all records of a `Fusion` value, keys are in the order in which they first appeared.
/// - The first reading of a signal may allocate memory. Each further reading costs a few table look-ups and no
///   allocation. Rare data (VIN, trouble codes, monitors) allocate memory only when they change.
/// - At most eight ECUs are distinguished. Readings of other ECUs are ignored and counted in ``droppedReadings``.
///
/// Call ``begin(at:)``, if you use it, before all other functions. At the end, call ``finish(at:into:)`` once.
public struct Fusion: ~Copyable {
  var options: FusionOptions
  var line = JSONLineEncoder()
  var sequence: UInt64
  /// The `seq` of the next record. Set it if several `Fusion` values share one series of sequence numbers.
  public var nextSequence: UInt64 {
    get { sequence }
    set { sequence = newValue }
  }
  /// Number of readings that were ignored because they came from a ninth or later ECU.
  public internal(set) var droppedReadings = 0

  /// The adapter's name for records; `nil` to omit it. Set it if the gateway has several adapters.
  public var device: String?

  // Time.
  var now: Int64 = .min
  /// Time at which the next telemetry record is due; `.min` before the first event, `.max` with the cadence `cycle`.
  public internal(set) var nextBoundary: Int64 = .min
  /// Time of the newest value that is not in a record yet; `nil` if there is no such value.
  var newest: Int64?
  /// Time of the last reading of any signal whose values are repeated in later records (``Column/window`` is not 0).
  var lastRead: Int64 = .min / 2
  var wallOffset: Int64 = 0
  var timeQuality = TimeQuality.unset
  var isFinishing = false

  // Values.
  var columns: [Column] = []
  /// For each signal, the index of its column plus 1. The value is 0 if the signal has no column yet, and
  /// ``notTelemetry`` if it never gets one.
  var columnOfSignal: [UInt16]
  let loadedKeys: LoadedKeys
  var speedColumn: Int?
  var vinColumn: Int?
  var codesColumn: Int?
  var ecus: [ECUState] = [ECUState(.unknown)]
  /// Index of the ECU that answered last. Its address is compared first, because most answers come from the same ECU.
  var lastECU = 0
  /// Indices of the ECUs whose address is known, in ascending order of address.
  var ecuOrder: [Int] = []
  /// Indices of all ECUs: first 0, which stands for answers without a header, then the indices in ``ecuOrder``.
  var allECUs: [Int] = [0]
  var position = PositionState()
  /// Whether the value of any signal has changed since the last record.
  var hasChanged = false

  // The vehicle.
  var identity: VehicleIdentity
  /// The vehicle's ID in records, and the vehicle's VIN; the VIN is `nil` if unknown.
  public var vehicle: (id: String, vin: String?) { (identity.id, identity.vin.isEmpty ? nil : identity.vinText) }
  /// The adapter's name and version, for `adapter` records; `nil` before they were read.
  public internal(set) var adapterIdentity: String?
  /// Whether codes or monitors were read since the last record.
  var hasNewDiagnosis = false
  /// Time of the last report of all codes and monitors; `nil` before codes were first read.
  var snapshotTime: Int64?

  // Trips and driving.
  var trips: TripWatch
  var driving: DrivingWatch
  var tripState = TripState()
  /// Number of trip records made so far. Each time it changes, store ``tripMemory(bootId:at:)`` again.
  public internal(set) var tripChanges = 0

  static let maximumECUs = 8
  /// If the interval between a signal's readings (``Column/pace``) is at least this long, the readings were
  /// interrupted, ns. The interval is then not used to determine how long the last value stays valid.
  static let slowestPace: Int64 = 15_000_000_000
  /// Maximum age of a vehicle speed that still counts as current, ns.
  static let speedWindow: Int64 = 3_000_000_000
  static let notTelemetry: UInt16 = .max

  /// Creates a `Fusion` without any readings.
  public init(_ options: FusionOptions) {
    self.options = options
    sequence = options.firstSequence
    identity = VehicleIdentity(id: options.vehicleId ?? options.unknownVehicleId)
    columnOfSignal = [UInt16](repeating: 0, count: saeSignals.count + options.loadedSignals.count)
    loadedKeys = LoadedKeys(options.loadedSignals)
    trips = TripWatch(options.trips ?? TripOptions())
    driving = DrivingWatch(options.driving ?? DrivingOptions())
    columns.reserveCapacity(256)
  }

  /// Relates the caller's clock to the date: the clock's time 0 is `offset` nanoseconds after 1970. Records that were
  /// already made keep their dates.
  ///
  /// - Parameter quality: source of the date; `unset` if the date is unknown. Records then contain `elapsed` instead of
  ///   a date.
  public mutating func setWallTime(offset: Int64, quality: TimeQuality) {
    wallOffset = offset
    timeQuality = quality
    // With a date, the length of the interruption before this session may now be known.
    if tripState.former != nil { tripState.deadline = .min }
  }

  /// Changes when telemetry records are made. The change takes effect after the current interval.
  public mutating func setCadence(_ cadence: Cadence) {
    guard cadence != options.cadence else { return }
    options.cadence = cadence
    // With `.cycle`, no record had a due time. The periods of the new cadence begin now.
    if nextBoundary == .max { nextBoundary = now }
  }

  /// Starts the session: telemetry records are due at `time` and after each further period. Without this call, the
  /// periods begin with the first reading. If the periods have already begun, this call has no effect.
  public mutating func begin(at time: Int64) {
    guard nextBoundary == .min else { return }
    if time > now { now = time }
    nextBoundary = options.cadence == .cycle ? .max : now
  }

  /// Time at which ``advance(to:into:)`` must be called next; `.max` if nothing is due.
  public var nextDue: Int64 { min(nextBoundary == .min ? .max : nextBoundary, tripState.deadline) }

  /// Makes the records that are due at `time` or before.
  public mutating func advance<Sink: RecordSink & ~Copyable>(to time: Int64, into sink: inout Sink) {
    if time > now { now = time }
    if nextBoundary != .min, now >= nextBoundary { cross(into: &sink) }
    if now >= tripState.deadline { recordTrips(into: &sink) }
  }

  /// Ends the session, and makes the record of the last, incomplete interval. This record has the time of its newest
  /// value.
  public mutating func finish<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    advance(to: time, into: &sink)
    isFinishing = true
    cut(at: newest ?? now, into: &sink)
    isFinishing = false
    finishTrips(into: &sink)
    nextBoundary = .min
  }

  /// Sets the current time, and makes the records that were due before it.
  @inline(__always)
  mutating func tick<Sink: RecordSink & ~Copyable>(_ time: Int64, into sink: inout Sink) {
    if time > now { now = time }
    // A value whose time is exactly the end of the interval still belongs to its record.
    if now > nextBoundary { cross(into: &sink) }
    if now >= tripState.deadline { recordTrips(into: &sink) }
  }

  /// Makes the record of the interval that has ended, and computes the end of the next interval.
  private mutating func cross<Sink: RecordSink & ~Copyable>(into sink: inout Sink) {
    let period: Int64
    switch options.cadence {
    case .every(let nanoseconds), .onChange(let nanoseconds): period = max(nanoseconds, 1)
    case .cycle:
      nextBoundary = .max
      return
    }
    if nextBoundary == .min {
      nextBoundary = now
    } else {
      cut(at: nextBoundary, into: &sink)
    }
    // Add as many whole periods as are needed, at least one, so that the next boundary is not earlier than now.
    nextBoundary += max((now - nextBoundary + period - 1) / period, 1) * period
  }

  /// Makes records of all data that were collected since the last records.
  mutating func cut<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    if identity.isRecordDue(at: time) || isFinishing && identity.pendingChange != .none {
      writeVehicle(at: time, into: &sink)
    }
    if newest != nil || holdsValue(at: time) { recordTelemetry(at: time, into: &sink) }
    if hasNewDiagnosis { writeDiagnosis(at: time, into: &sink) }
    newest = nil
    position.isFresh = false
  }
}
