import OBDWire
import Telemetry

/// When a telemetry record is made.
public enum Cadence: Equatable, Sendable {
  /// At multiples of this period, counted from the first event.
  case every(nanoseconds: Int64)
  /// Whenever a signal of the same ECU repeats: one record for each turn of the poll.
  case cycle
  /// At multiples of this period, but only where it says something else than the record before: a value is another, has
  /// come or has fallen out of its window, or the vehicle has moved farther than its receiver errs.
  case onChange(nanoseconds: Int64)
}

/// How long the values of signals stand in telemetry records after they were read, ns; 0: only in the record of the
/// interval in which they were read.
///
/// A signal that is polled every 5 s would otherwise stand in every fifth record of a second. What is older than its
/// window is absent: it was asked for since, and there was no answer. Where a slow bus brings a signal more seldom than
/// it was asked for, twice the time between its last two readings is its window.
public struct SignalWindows: Equatable, Sendable {
  /// By PID of service 01 (and of service 22, F4xx).
  public var parameters: [Int64]
  /// By index of the signal loaded at run time.
  public var loaded: [Int64] = []
  /// Of what the adapter itself measures.
  public var adapter: Int64 = 0

  /// - Parameter window: of every PID.
  public init(_ window: Int64 = 0) { parameters = [Int64](repeating: window, count: 256) }
}

/// What the values of a telemetry record are called.
public enum Naming: Equatable, Sendable {
  /// `rpm`, `coolantTemp`
  case plain
  /// Paths of the COVESA Vehicle Signal Specification 6.0 where it has the signal, else the plain name; the record
  /// says `"vss":"6.0"`.
  case vss
}

/// What records need to know of a signal that was loaded at run time.
public struct LoadedSignal: Equatable, Sendable {
  /// The text of one code.
  public struct Text: Equatable, Sendable {
    /// The raw value.
    public var code: UInt64
    /// What records print for it.
    public var text: String

    public init(code: UInt64, text: String) {
      self.code = code
      self.text = text
    }
  }

  /// The key of its values in records.
  public var name: String
  /// Whether its values are numbers, booleans or texts.
  public var kind: SignalDefinition.Kind
  /// The texts of an enumeration's codes, in any order.
  public var texts: [Text]

  public init(name: String, kind: SignalDefinition.Kind, texts: [Text] = []) {
    self.name = name
    self.kind = kind
    self.texts = texts
  }
}

/// How ``Fusion`` makes records.
public struct FusionOptions: Sendable {
  /// Goes into every record.
  public var gatewayId: String
  /// The configured vehicle; nil: the VIN, once known.
  public var vehicleId: String?
  /// Stands for the vehicle until its VIN is known.
  public var unknownVehicleId = "unknown"
  /// New whenever `seq` starts again.
  public var epoch: UUIDv7
  /// What the records' ids are made of, beside their time and `seq`: a hash of the capture's content, or a random
  /// number of this epoch.
  public var idSeed: UInt64
  /// The first `seq`; above 1 where an epoch goes on.
  public var firstSequence: UInt64 = 1
  /// When a telemetry record is made.
  public var cadence: Cadence = .every(nanoseconds: 1_000_000_000)
  /// What its values are called.
  public var naming: Naming = .plain
  /// The row of ``OBDWire/SignalID`` `0x8000 + i` is the entry i.
  public var loadedSignals: [LoadedSignal] = []
  /// When a trip begins and ends; nil: no `trip` records.
  public var trips: TripOptions? = TripOptions()
  /// What of the driving is told; nil: no `driving` records.
  public var driving: DrivingOptions? = DrivingOptions()
  /// How long values stand.
  public var windows = SignalWindows()

  public init(gatewayId: String, epoch: UUIDv7, idSeed: UInt64) {
    self.gatewayId = gatewayId
    self.epoch = epoch
    self.idSeed = idSeed
  }
}
