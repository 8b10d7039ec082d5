import OBDWire
import Telemetry

/// When telemetry records are made.
public enum Cadence: Equatable, Sendable {
  /// At multiples of this period since the first event.
  case every(nanoseconds: Int64)
  /// One record for each polling cycle. A cycle ends when a signal of the same ECU is read a second time.
  case cycle
  /// At multiples of this period, but only if the record differs from the previous one: a value changed, appeared or
  /// expired, or the vehicle moved farther than the receiver's error.
  case onChange(nanoseconds: Int64)
}

/// The windows of the signals, ns: the time for which telemetry records repeat a value after it was read. With 0, a
/// value is only in the record of the interval in which it was read.
///
/// Without a window, a signal polled every 5 s would be in only every fifth record of one second. A value that is older
/// than its window is omitted, because later requests were not answered. If a slow bus delivers a signal less often
/// than requested, twice the interval between its readings is used instead.
public struct SignalWindows: Equatable, Sendable {
  /// The windows of PIDs of service 01, and of identifiers F4xx of service 22; the index is the PID.
  public var parameters: [Int64]
  /// The windows of signals loaded at run time, in the order of ``FusionOptions/loadedSignals``.
  public var loaded: [Int64] = []
  /// The window of values that the adapter measures itself.
  public var adapter: Int64 = 0

  /// Creates windows that are the same for every PID, and 0 for other values.
  ///
  /// - Parameter window: the window of every PID, ns.
  public init(_ window: Int64 = 0) { parameters = [Int64](repeating: window, count: 256) }
}

/// Which names the values have in telemetry records.
public enum Naming: Equatable, Sendable {
  /// Plain names such as `rpm` and `coolantTemp`.
  case plain
  /// Paths of the COVESA Vehicle Signal Specification 6.0; the plain name for a signal that it lacks. Records contain
  /// `"vss":"6.0"`.
  case vss
}

/// A signal loaded at run time, with the properties that records need.
public struct LoadedSignal: Equatable, Sendable {
  /// The text that records contain for a raw value.
  public struct Text: Equatable, Sendable {
    /// The raw value.
    public var code: UInt64
    /// The text that records contain instead of the value.
    public var text: String

    /// Creates a text; the parameters are the properties of the same names.
    public init(code: UInt64, text: String) {
      self.code = code
      self.text = text
    }
  }

  /// The key of the signal's values in records.
  public var name: String
  /// Whether the values are numbers, booleans or texts.
  public var kind: SignalDefinition.Kind
  /// The texts of an enumeration, in any order.
  public var texts: [Text]

  /// Creates a signal; the parameters are the properties of the same names.
  public init(name: String, kind: SignalDefinition.Kind, texts: [Text] = []) {
    self.name = name
    self.kind = kind
    self.texts = texts
  }
}

/// Options of a ``Fusion``.
public struct FusionOptions: Sendable {
  /// The gateway's ID, which every record contains.
  public var gatewayId: String
  /// The vehicle's ID in records; `nil` to use the VIN.
  public var vehicleId: String?
  /// The vehicle's ID in records while the VIN is unknown.
  public var unknownVehicleId = "unknown"
  /// The epoch of `seq`. It must be a new one whenever `seq` restarts.
  public var epoch: UUIDv7
  /// A seed. The ID of a record is made from the seed, the record's time and its `seq`. For a capture, the seed is a
  /// hash of the content; otherwise, it is a random number for each epoch.
  public var idSeed: UInt64
  /// The first `seq`. It is greater than 1 if an epoch continues.
  public var firstSequence: UInt64 = 1
  /// When telemetry records are made.
  public var cadence: Cadence = .every(nanoseconds: 1_000_000_000)
  /// Which names the values have in telemetry records.
  public var naming: Naming = .plain
  /// Signals loaded at run time. The one with index i has the ``OBDWire/SignalID`` `0x8000 + i`.
  public var loadedSignals: [LoadedSignal] = []
  /// Conditions for the start and end of trips; `nil` for no `trip` records.
  public var trips: TripOptions? = TripOptions()
  /// Thresholds of driving events; `nil` for no `driving` records.
  public var driving: DrivingOptions? = DrivingOptions()
  /// Whether unchanged trouble codes and monitors are recorded again: when the vehicle's ID becomes known, at the start
  /// of a trip, and once a day. A receiver that has lost them thus gets them again. It is off for captures, so that
  /// each answer in them is recorded only once.
  public var repeatsDiagnosis = false
  /// The time for which telemetry records repeat each value.
  public var windows = SignalWindows()

  /// Creates options with defaults for all other properties; the parameters are the properties of the same names.
  public init(gatewayId: String, epoch: UUIDv7, idSeed: UInt64) {
    self.gatewayId = gatewayId
    self.epoch = epoch
    self.idSeed = idSeed
  }
}
