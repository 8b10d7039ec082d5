import OBDWire
import Telemetry

/// The rule that determines when telemetry records are made.
public enum Cadence: Equatable, Sendable {
  /// One record for each period, counted from the first event.
  case every(nanoseconds: Int64)
  /// One record for each polling cycle. A cycle ends when a value is read again from the same ECU.
  case cycle
  /// One record for each period, but only if it differs from the previous record: a value changed, appeared or expired,
  /// or the vehicle moved farther than the receiver's error.
  case onChange(nanoseconds: Int64)
}

/// The windows of the signals, ns. A window is the time for which telemetry records repeat a value after it was read.
/// With 0, only the record of the interval in which a value was read contains it.
///
/// Without a window, only every fifth record would contain a signal that is polled every 5 s, if one record is made
/// each second. A value that is older than its window is omitted, because requests since then were not answered. If a
/// slow bus delivers a signal less often than requested, twice the interval between its readings is used as its window.
public struct SignalWindows: Equatable, Sendable {
  /// The windows of the PIDs of service 01 and of the identifiers F4xx of service 22, ns. The index is the PID (xx).
  public var parameters: [Int64]
  /// The windows of the signals loaded at run time, ns, in the order of ``FusionOptions/loadedSignals``.
  public var loaded: [Int64] = []
  /// The window of the values that the adapter itself measures, such as the voltage; ns.
  public var adapter: Int64 = 0

  /// Creates windows: one for all PIDs, and 0 for all other values.
  ///
  /// - Parameter window: the window of every PID, ns.
  public init(_ window: Int64 = 0) { parameters = [Int64](repeating: window, count: 256) }
}

/// The kind of names that values have in telemetry records.
public enum Naming: Equatable, Sendable {
  /// Plain names such as `rpm` and `coolantTemp`.
  case plain
  /// Paths of the COVESA Vehicle Signal Specification 6.0; plain names for signals without a path. Records contain
  /// `"vss":"6.0"`.
  case vss
}

/// A signal loaded at run time (from a signal set), with the properties that records need.
public struct LoadedSignal: Equatable, Sendable {
  /// A text that records contain instead of a raw value.
  public struct Text: Equatable, Sendable {
    /// The raw value.
    public var code: UInt64
    /// The text that records contain instead of the raw value.
    public var text: String

    /// Creates a text; the parameters are the properties of the same names.
    public init(code: UInt64, text: String) {
      self.code = code
      self.text = text
    }
  }

  /// The key of the signal's values in records.
  public var name: String
  /// The kind of the values: numbers, booleans or texts.
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
  /// The vehicle's ID in records while the VIN is unknown and ``vehicleId`` is `nil`.
  public var unknownVehicleId = "unknown"
  /// The epoch to which the sequence numbers (`seq`) belong. Each time that `seq` restarts, a new epoch is necessary.
  public var epoch: UUIDv7
  /// A seed for the IDs of records. The ID of a record is computed from this seed, the record's time and its `seq`. For
  /// a capture, the seed is a hash of the content; otherwise, it is a random number for each epoch.
  public var idSeed: UInt64
  /// The sequence number (`seq`) of the first record. It is greater than 1 if the epoch already has records.
  public var firstSequence: UInt64 = 1
  /// The rule that determines when telemetry records are made.
  public var cadence: Cadence = .every(nanoseconds: 1_000_000_000)
  /// The kind of names that values have in telemetry records.
  public var naming: Naming = .plain
  /// Signals loaded at run time. The signal with index i has the ``OBDWire/SignalID`` `0x8000 + i`.
  public var loadedSignals: [LoadedSignal] = []
  /// Conditions for the start and end of trips; `nil` to make no `trip` records.
  public var trips: TripOptions? = TripOptions()
  /// Thresholds of driving events; `nil` to make no `driving` records.
  public var driving: DrivingOptions? = DrivingOptions()
  /// Whether trouble codes and monitors are recorded again although they have not changed: when the vehicle's ID
  /// becomes known, at the start of a trip, and once a day. If a server has lost earlier records, it thus gets the
  /// codes and monitors again. This is off for captures, so that each of their answers is recorded only once.
  public var repeatsDiagnosis = false
  /// The time for which telemetry records repeat each value.
  public var windows = SignalWindows()

  /// Creates options with default values for all properties that are not parameters.
  public init(gatewayId: String, epoch: UUIDv7, idSeed: UInt64) {
    self.gatewayId = gatewayId
    self.epoch = epoch
    self.idSeed = idSeed
  }
}
