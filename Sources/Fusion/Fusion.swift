import NMEAWire
import OBDWire
import Telemetry

/// Makes records of what the wire finds: readings, texts, trouble codes and fixes go in with their time, finished
/// JSON lines come out.
///
/// It knows no clock. Every time is nanoseconds on a line of the caller's that only goes up (a later call never has an
/// earlier time; one that does counts as now); ``setWallTime(offset:quality:)`` says what date that is.
///
/// Constraints:
/// - A value goes into one telemetry record: the first whose time is not before it. What was not read is absent.
/// - The columns stand in the order of their first appearance, as long as the struct lives.
/// - A reading costs a few table look-ups and no allocation, once its signal has been seen. What changes rarely
///   (VIN, trouble codes, monitors) may allocate, and only when it did change.
/// - At most eight ECUs; what a ninth says is counted in ``droppedReadings``.
///
/// Call order: ``begin(at:)`` if at all, then anything, then ``finish(at:into:)`` once.
public struct Fusion: ~Copyable {
  var options: FusionOptions
  var line = JSONLineEncoder()
  var sequence: UInt64
  /// `seq` of the next record. Several that share one count are given it in turn.
  public var nextSequence: UInt64 {
    get { sequence }
    set { sequence = newValue }
  }
  /// Readings of a ninth ECU: they are in no record.
  public internal(set) var droppedReadings = 0

  // Time.
  var now: Int64 = .min
  /// The next time at which a record is due; `.min` before the first event.
  public internal(set) var nextBoundary: Int64 = .min
  /// Time of the newest value that no record has yet.
  var newest: Int64?
  var wallOffset: Int64 = 0
  var timeQuality = TimeQuality.unset
  var isFinishing = false

  // Values.
  var columns: [Column] = []
  /// By signal: its column + 1, 0 for none yet, ``notTelemetry``.
  var columnOfSignal: [UInt16]
  let loadedKeys: LoadedKeys
  var speedColumn: Int?
  var vinColumn: Int?
  var codesColumn: Int?
  var ecus: [ECUState] = [ECUState(.unknown)]
  /// Index of the ECU that spoke last: most answers come from the same one.
  var lastECU = 0
  /// The ECUs with an address, lowest first.
  var ecuOrder: [Int] = []
  /// All of them: answers without a header first, then as ``ecuOrder``.
  var allECUs: [Int] = [0]
  var fix = Fix()
  /// When it was received; `.min / 2`: never.
  var fixTime: Int64 = .min / 2
  /// How much of it records show.
  var privacy = PositionPrivacy.full
  /// It came since the last record.
  var isFixFresh = false
  /// The fix that the record before had; nil: none.
  var toldFix: Fix?
  /// Something was read that the record before says otherwise.
  var hasChanged = false

  // The vehicle.
  var vin: [UInt8] = []
  var vinText = ""
  var vehicleId: String
  /// What records call the vehicle, and its VIN once it is known.
  public var vehicle: (id: String, vin: String?) { (vehicleId, vin.isEmpty ? nil : vinText) }
  var isVehicleNews = false
  /// ``vehicleLost()`` was called: what is older than ``ECUState/told`` may be another vehicle's.
  var wasLost = false
  /// ``vehicleUnnamed(at:into:)`` was called: a VIN that comes now is another vehicle's.
  var isUnnamed = false
  var protocolName: String?
  /// The bus that the adapter was told to use; it stands where the adapter does not name one.
  var protocolSetting: String?
  /// The adapter's banner, once it has said it: for `adapter` records.
  public internal(set) var adapterIdentity: String?
  var fuelTypeCode: Double?
  var obdStandardCode: Double?
  /// Something about an ECU's codes or monitors was read since the last record.
  var isDiagnosisNews = false

  // Trips and driving.
  var trips: TripWatch
  var driving: DrivingWatch
  /// When trips may have something to tell though nothing is read; `.max`: never.
  var tripDeadline: Int64 = .max
  /// Of the trip under way, once it is needed.
  var tripId: UUIDv7?
  /// Whose trip it was that another vehicle has ended.
  var formerVehicleId: String?
  var formerTrip: FormerTrip?
  /// Counts the records of trips: after each what is remembered of them is to be written anew.
  public internal(set) var tripChanges = 0

  static let maximumECUs = 8
  /// A fix that is older is no position of the record's time.
  static let fixWindow: Int64 = 1_500_000_000
  /// What comes more seldom than this has no pace: it was interrupted.
  static let slowestPace: Int64 = 15_000_000_000
  /// A speed that is older says nothing of now.
  static let speedWindow: Int64 = 3_000_000_000
  static let notTelemetry: UInt16 = .max

  public init(_ options: FusionOptions) {
    self.options = options
    sequence = options.firstSequence
    vehicleId = options.vehicleId ?? options.unknownVehicleId
    columnOfSignal = [UInt16](repeating: 0, count: saeSignals.count + options.loadedSignals.count)
    loadedKeys = LoadedKeys(options.loadedSignals)
    trips = TripWatch(options.trips ?? TripOptions())
    driving = DrivingWatch(options.driving ?? DrivingOptions())
    columns.reserveCapacity(256)
  }

  /// Says that the caller's time 0 was `offset` nanoseconds after 1970, from here on; records made before keep theirs.
  ///
  /// - Parameter quality: where that is known from; `unset`: it is not known, and records say `elapsed`.
  public mutating func setWallTime(offset: Int64, quality: TimeQuality) {
    wallOffset = offset
    timeQuality = quality
    // How long the power was off may be known now.
    if formerTrip != nil { tripDeadline = .min }
  }

  /// Changes when telemetry records are made, once the one under way is.
  public mutating func setCadence(_ cadence: Cadence) {
    guard cadence != options.cadence else { return }
    options.cadence = cadence
    // From `.cycle` nothing was due by itself: periods count from here on.
    if nextBoundary == .max { nextBoundary = now }
  }

  /// Says when the session begins: records are due then, and a period later, and so on. Without it the first one is due a
  /// period after the first reading; once they are counted it changes nothing.
  public mutating func begin(at time: Int64) {
    guard nextBoundary == .min else { return }
    if time > now { now = time }
    nextBoundary = options.cadence == .cycle ? .max : now
  }

  /// When ``advance(to:into:)`` has something to do next; `.max`: nothing is due.
  public var nextDue: Int64 { min(nextBoundary == .min ? .max : nextBoundary, tripDeadline) }

  /// Makes the records that are due by `time` though nothing was read.
  public mutating func advance<Sink: RecordSink & ~Copyable>(to time: Int64, into sink: inout Sink) {
    if time > now { now = time }
    if nextBoundary != .min, now >= nextBoundary { cross(into: &sink) }
    if now >= tripDeadline { tellTrips(into: &sink) }
  }

  /// Ends the session: the last, partial record is stamped with the time of its newest value.
  public mutating func finish<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    advance(to: time, into: &sink)
    isFinishing = true
    cut(at: newest ?? now, into: &sink)
    isFinishing = false
    finishTrips(into: &sink)
    nextBoundary = .min
  }

  /// Notes the time of an event, and makes the record that is due before it.
  @inline(__always)
  mutating func tick<Sink: RecordSink & ~Copyable>(_ time: Int64, into sink: inout Sink) {
    if time > now { now = time }
    // A value of that very time still belongs to the record.
    if now > nextBoundary { cross(into: &sink) }
    if now >= tripDeadline { tellTrips(into: &sink) }
  }

  /// Makes the record of the interval that has ended, and finds the end of the one that `now` lies in.
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
    // The next one is not before now, and behind the one just made.
    nextBoundary += max((now - nextBoundary + period - 1) / period, 1) * period
  }

  /// Makes all records that what was gathered gives.
  mutating func cut<Sink: RecordSink & ~Copyable>(at time: Int64, into sink: inout Sink) {
    if isVehicleNews { writeVehicle(at: time, into: &sink) }
    if newest != nil { tellTelemetry(at: time, into: &sink) }
    if isDiagnosisNews { writeDiagnosis(at: time, into: &sink) }
    newest = nil
    isFixFresh = false
  }
}
