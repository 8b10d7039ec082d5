import JSONText
import Sinks

/// The configuration of the daemon: one JSON object, parsed strictly. `{}` is valid and leaves everything to discovery.
///
///     { "gatewayId": "gw-17",
///       "adapters": [ { "device": "/dev/ttyUSB0", "baud": "auto", "protocol": "auto" } ],
///       "poll":     { "defaultPeriod": 1.0, "signals": { "rpm": 0.1 } },
///       "sinks":    [ { "type": "stdout" } ] }
///
/// Unknown keys, wrong types and invalid values are errors with file, line, column, path and what is expected. Relative
/// paths are relative to the folder of the configuration file.
public struct GatewayConfiguration: Equatable, Sendable {
  /// `nil` to derive it from the machine ID.
  public var gatewayId: String?
  public var vehicle = Vehicle()
  public var adapters: [Adapter] = []
  public var discovery = Discovery()
  public var poll = Poll()
  public var power = Power()
  public var record = Record()
  public var trips = Trips()
  public var driving = Driving()
  public var gps: [GPSSource] = []
  public var geofences: Geofences?
  public var privacy = Privacy()
  /// Paths of OBDb signal sets.
  public var signalSets: [String] = []
  /// Folder for data that must survive a restart.
  public var stateDirectory: String?
  public var sinks: [SinkConfiguration] = [.stdout(StdoutConfiguration())]
  public var spool = SpoolBounds()
  public var status = Status()
  /// Where the file names those of ``geofences`` and ``signalSets``.
  var places = FilePlaces()

  public init() {}

  /// What is known about the vehicle in advance.
  public struct Vehicle: Equatable, Sendable {
    public enum Fuel: String, Equatable, Sendable, CaseIterable {
      case gasoline, diesel, ethanol, cng, lpg, electric, hybrid
    }

    public var id: String?
    /// Litres, 0.1…30.
    public var displacement: Double?
    public var fuel: Fuel?
    /// Volumetric efficiency of the engine, 0.3…1.5.
    public var volumetricEfficiency: Double?
    /// 1…16
    public var cylinders: Int?

    public init() {}
  }

  /// A configured adapter.
  public struct Adapter: Equatable, Sendable {
    public enum Link: Equatable, Sendable {
      case serial(device: String)
      /// A Bluetooth address in upper case: `00:1D:A5:68:98:8A`.
      case rfcomm(address: String)
      /// The address of a device with Bluetooth LE.
      case ble(address: String)
      case tcp(host: String, port: UInt16)
    }

    public var link: Link
    /// Baud rate of a serial device; `nil` to find it.
    public var baud: Int?
    /// Baud rate to which a serial adapter is switched (ATBRD, STBR); `nil` to leave it.
    public var preferredBaud: Int?
    /// The ELM digit, `1`…`9`; `nil` to find it. SAE J1939 (`A`) is not polled.
    public var protocolDigit: Character?
    /// The PIN for pairing: 1 to 16 letters and digits, with Bluetooth LE 1 to 6 digits; `nil` to try the usual ones.
    public var pin: String?
    /// Path of a file with the PIN, which not everyone may read; `nil` to use ``pin``.
    public var pinFile: String?

    public init(link: Link, baud: Int? = nil, protocolDigit: Character? = nil) {
      self.link = link
      self.baud = baud
      self.protocolDigit = protocolDigit
    }
  }

  /// Where adapters and receivers are searched.
  public struct Discovery: Equatable, Sendable {
    public var serial = true
    public var bluetooth = true
    /// Whether bytes may be sent to a device that is not known to be an adapter.
    public var probe = false

    public init() {}
  }

  /// What is polled, and how often, in seconds.
  public struct Poll: Equatable, Sendable {
    public var defaultPeriod = 1.0
    /// By signal name, in the order of the file; 0 for as often as the link allows.
    public var signals: [Period] = []
    public var dtcPeriod = 60.0

    public init() {}

    public struct Period: Equatable, Sendable {
      public var signal: String
      public var seconds: Double
      /// The error with its position, in case no signal set has the signal. It does not affect equality.
      var refusal: JSONError?

      public static func == (a: Period, b: Period) -> Bool { a.signal == b.signal && a.seconds == b.seconds }

      public init(signal: String, seconds: Double) {
        self.signal = signal
        self.seconds = seconds
      }
    }
  }

  /// When polling of a parked vehicle stops and what starts it again; volts of a 12 V system, seconds. `nil` means the
  /// default of `AdapterSession.PowerConfiguration`.
  public struct Power: Equatable, Sendable {
    /// Whether the session stops polling a parked vehicle.
    public var isEnabled = true
    public var cutOffVoltage: Double?
    public var cutOffTime: Double?
    public var electricCutOffTime: Double?
    public var restingVoltage: Double?
    public var silentTime: Double?
    public var asleepPeriod: Double?
    public var wakeRise: Double?
    public var wakeInterval: Double?
    public var heavySystemVoltage: Double?
    public var calibrationLimit: Double?
    /// Whether the adapter sleeps with the vehicle (ATLP).
    public var usesLowPower = false

    public init() {}
  }

  /// When telemetry records are made.
  public struct Record: Equatable, Sendable {
    /// What triggers a record.
    public enum Trigger: String, Equatable, Sendable, CaseIterable {
      /// Every period.
      case period
      /// Every period in which a value has changed.
      case change
      /// Each cycle of the poll: whenever a signal repeats.
      case cycle
    }

    /// Seconds, 0.05…3600.
    public var period = 1.0
    public var trigger = Trigger.period

    public init() {}
  }

  /// Which fences are watched, and when a change counts; metres, seconds. `nil` means the default of
  /// `Geofencing.FenceRules`.
  public struct Geofences: Equatable, Sendable {
    /// Path of a GeoJSON file.
    public var file: String
    /// Whether a position inside a fence at the first fix is reported as `enter`.
    public var announcesFirstFix = false
    public var leastErrorRadius: Double?
    public var errorPerHDOP: Double?
    public var hold: Double?
    public var carriedDistance: Double?
    public var carriedTime: Double?

    public init(file: String) { self.file = file }
  }

  /// How precise the positions in records are.
  public struct Privacy: Equatable, Sendable {
    public enum Level: String, Equatable, Sendable, CaseIterable { case full, coarse, off }

    public struct Zone: Equatable, Sendable {
      /// ID of the fence.
      public var fence: String
      public var level: Level
      /// The error with its position, in case there is no such fence. It does not affect equality.
      var refusal: JSONError?

      public static func == (a: Zone, b: Zone) -> Bool { a.fence == b.fence && a.level == b.level }

      init(fence: String, level: Level) {
        self.fence = fence
        self.level = level
      }
    }

    /// Precision everywhere else.
    public var position = Level.full
    /// Decimals of a degree of a coarse position, 0…5.
    public var decimals = 2
    /// Precision inside certain fences.
    public var zones: [Zone] = []

    public init() {}
  }

  /// A GPS receiver, or gpsd.
  public enum GPSSource: Equatable, Sendable {
    case serial(device: String, baud: Int?)
    case gpsd(host: String, port: UInt16)
  }

  /// Limits of the spool.
  public struct SpoolBounds: Equatable, Sendable {
    /// How long telemetry waits to be committed together, seconds, 0.1…3600. A power cut can cost this much.
    public var commitPeriod = 5.0
    /// Maximum size of the file, MB, 4…1,000,000; the oldest telemetry is removed first.
    public var megabytes = 256.0
    /// Days after which an undelivered record is removed, 0.01…36,500; `nil` for never.
    public var days: Double?

    public init() {}
  }
}

/// Why a configuration is rejected.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  public var file: String
  /// All faults, in the order of the file; at least one.
  public var errors: [JSONError]

  /// A line for each fault: `gateway.json:3:14: adapters[0].baud: expected …, found …`.
  public var lines: [String] { errors.messages(in: file) }

  public var description: String { lines.joined(separator: "; ") }
}
