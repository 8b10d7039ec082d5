import OBDWire
import Telemetry

/// The times at which telemetry records are made.
public enum Cadence: Equatable, Sendable {
  /// At multiples of this period since the first event.
  case every(nanoseconds: Int64)
  /// Whenever a signal of the same ECU repeats: one record for each polling cycle.
  case cycle
  /// At multiples of this period, if the record differs from the previous one: a value changed, appeared or expired, or
  /// the vehicle moved farther than the receiver's error.
  case onChange(nanoseconds: Int64)
}

/// Time for which signal values are repeated in telemetry records after they were read, ns; 0 if a value is only in the
/// record of the same interval.
///
/// Without a window, a signal polled every 5 s would be in only every fifth record of one second. A value that is older
/// than its window is omitted, because later polls were not answered. If a slow bus delivers a signal less often than
/// requested, the window is twice the interval between its last two readings.
public struct SignalWindows: Equatable, Sendable {
  /// By PID of service 01, and of service 22 for F4xx.
  public var parameters: [Int64]
  /// By index of the signal loaded at run time.
  public var loaded: [Int64] = []
  /// For values that the adapter measures itself.
  public var adapter: Int64 = 0

  /// Creates the same window for every PID and none for other values.
  ///
  /// - Parameter window: window of every PID, ns.
  public init(_ window: Int64 = 0) { parameters = [Int64](repeating: window, count: 256) }
}

/// Names of the values in telemetry records.
public enum Naming: Equatable, Sendable {
  /// Plain names such as `rpm` and `coolantTemp`.
  case plain
  /// Paths of the COVESA Vehicle Signal Specification 6.0, or the plain name if it lacks the signal. The record
  /// contains `"vss":"6.0"`.
  case vss
}

/// Properties of a signal loaded at run time that records need.
public struct LoadedSignal: Equatable, Sendable {
  /// The text for one raw value.
  public struct Text: Equatable, Sendable {
    /// The raw value.
    public var code: UInt64
    /// The text in records.
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

/// Configuration of a ``Fusion``.
public struct FusionOptions: Sendable {
  /// Gateway ID in every record.
  public var gatewayId: String
  /// The configured vehicle ID; `nil` to use the VIN.
  public var vehicleId: String?
  /// Vehicle ID while no VIN is known.
  public var unknownVehicleId = "unknown"
  /// The epoch of `seq`; a new one whenever `seq` restarts.
  public var epoch: UUIDv7
  /// Seed of the record IDs, in addition to time and `seq`: a hash of the capture's content, or a random number for
  /// each epoch.
  public var idSeed: UInt64
  /// The first `seq`; greater than 1 if an epoch continues.
  public var firstSequence: UInt64 = 1
  /// Times at which telemetry records are made.
  public var cadence: Cadence = .every(nanoseconds: 1_000_000_000)
  /// Names of the values in telemetry records.
  public var naming: Naming = .plain
  /// Signals loaded at run time. ``OBDWire/SignalID`` `0x8000 + i` refers to index i.
  public var loadedSignals: [LoadedSignal] = []
  /// Conditions for the start and end of trips; `nil` for no `trip` records.
  public var trips: TripOptions? = TripOptions()
  /// Thresholds of driving events; `nil` for no `driving` records.
  public var driving: DrivingOptions? = DrivingOptions()
  /// Whether unchanged trouble codes and monitors are recorded again: when the vehicle's ID becomes known, with a trip, and
  /// once a day. A receiver that has lost them gets them again. Off for captures, of which each answer gives one record.
  public var repeatsDiagnosis = false
  /// Time for which values are repeated.
  public var windows = SignalWindows()

  /// Creates options with defaults for all other properties; the parameters are the properties of the same names.
  public init(gatewayId: String, epoch: UUIDv7, idSeed: UInt64) {
    self.gatewayId = gatewayId
    self.epoch = epoch
    self.idSeed = idSeed
  }
}
