import JSONText
import Sinks

/// What the daemon is told to do: one JSON object, strict. `{}` is valid and leaves everything to discovery.
///
///     { "gatewayId": "gw-17",
///       "adapters": [ { "device": "/dev/ttyUSB0", "baud": "auto", "protocol": "auto" } ],
///       "poll":     { "defaultPeriod": 1.0, "signals": { "rpm": 0.1 } },
///       "sinks":    [ { "type": "stdout" } ] }
///
/// Unknown keys, wrong types and impossible values are errors that name file, line, column and path, and say what would
/// be right. Relative paths are relative to the folder of the configuration file.
public struct GatewayConfiguration: Equatable, Sendable {
  /// Nil: made from the machine id.
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
  /// Folder for what must survive a restart.
  public var stateDirectory: String?
  public var sinks: [SinkConfiguration] = [.stdout(StdoutConfiguration())]
  public var spool = SpoolBounds()
  public var status = Status()

  public init() {}

  /// The vehicle, as far as it is known beforehand.
  public struct Vehicle: Equatable, Sendable {
    public enum Fuel: String, Equatable, Sendable, CaseIterable {
      case gasoline, diesel, ethanol, cng, lpg, electric, hybrid
    }

    public var id: String?
    /// Litres, 0.1…30.
    public var displacement: Double?
    public var fuel: Fuel?
    /// The share of its swept volume that the engine takes in, 0.3…1.5.
    public var volumetricEfficiency: Double?
    /// 1…16
    public var cylinders: Int?

    public init() {}
  }

  /// One adapter that is named, not found.
  public struct Adapter: Equatable, Sendable {
    public enum Link: Equatable, Sendable {
      case serial(device: String)
      /// A Bluetooth address, upper case: `00:1D:A5:68:98:8A`.
      case rfcomm(address: String)
      /// Bluetooth LE, by its address.
      case ble(address: String)
      case tcp(host: String, port: UInt16)
    }

    public var link: Link
    /// Baud of a serial device; nil: found out.
    public var baud: Int?
    /// Baud that a serial adapter is asked to change to (ATBRD, STBR); nil: it stays as found.
    public var preferredBaud: Int?
    /// The ELM digit, `1`…`9`; nil: found out. SAE J1939 (`A`) is not polled.
    public var protocolDigit: Character?
    /// What a Bluetooth adapter wants when it is paired: 1 to 16 letters and digits, with Bluetooth LE 1 to 6 digits; nil:
    /// the usual ones are tried.
    public var pin: String?
    /// Path of a file that has it, which not everyone may read; nil: ``pin`` says it.
    public var pinFile: String?

    public init(link: Link, baud: Int? = nil, protocolDigit: Character? = nil) {
      self.link = link
      self.baud = baud
      self.protocolDigit = protocolDigit
    }
  }

  /// Where adapters and receivers are looked for.
  public struct Discovery: Equatable, Sendable {
    public var serial = true
    public var bluetooth = true
    /// Whether bytes may be sent to a device that is not known to be an adapter.
    public var probe = false

    public init() {}
  }

  /// What is asked for, and how often; seconds.
  public struct Poll: Equatable, Sendable {
    public var defaultPeriod = 1.0
    /// By signal name, in the order of the file. 0: as often as the link allows.
    public var signals: [Period] = []
    public var dtcPeriod = 60.0

    public init() {}

    public struct Period: Equatable, Sendable {
      public var signal: String
      public var seconds: Double
      /// What to say, and where it stands, should no signal set have it. Two that ask for the same are the same.
      var refusal: JSONError?

      public static func == (a: Period, b: Period) -> Bool { a.signal == b.signal && a.seconds == b.seconds }

      public init(signal: String, seconds: Double) {
        self.signal = signal
        self.seconds = seconds
      }
    }
  }

  /// When a standing vehicle is left alone, and what lets it be asked again; volts of a 12 V system, seconds. What is nil
  /// is as `AdapterSession.PowerConfiguration` says.
  public struct Power: Equatable, Sendable {
    /// Whether the session goes to sleep by itself.
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
    /// When one is made.
    public enum Trigger: String, Equatable, Sendable, CaseIterable {
      /// Every period.
      case period
      /// Every period in which something has changed.
      case change
      /// Whenever a signal repeats: for each turn of the poll.
      case cycle
    }

    /// Seconds, 0.05…3600.
    public var period = 1.0
    public var trigger = Trigger.period

    public init() {}
  }

  /// Which fences are watched, and when a change counts; what is nil is as `Geofencing.FenceRules` says. Metres, seconds.
  public struct Geofences: Equatable, Sendable {
    /// Path of a GeoJSON file.
    public var file: String
    /// Whether being in a fence at the first fix is told as an enter.
    public var announcesFirstFix = false
    public var leastErrorRadius: Double?
    public var errorPerHDOP: Double?
    public var hold: Double?
    public var carriedDistance: Double?
    public var carriedTime: Double?

    public init(file: String) { self.file = file }
  }

  /// How much of the vehicle's position leaves it.
  public struct Privacy: Equatable, Sendable {
    public enum Level: String, Equatable, Sendable, CaseIterable { case full, coarse, off }

    public struct Zone: Equatable, Sendable {
      /// The fence's id.
      public var fence: String
      public var level: Level
      /// Where it stands, should there be no such fence. Two that ask for the same are the same.
      var refusal: JSONError?

      public static func == (a: Zone, b: Zone) -> Bool { a.fence == b.fence && a.level == b.level }

      init(fence: String, level: Level) {
        self.fence = fence
        self.level = level
      }
    }

    /// Everywhere.
    public var position = Level.full
    /// Of a coarse position, decimals of a degree: 0…5.
    public var decimals = 2
    /// In certain fences.
    public var zones: [Zone] = []

    public init() {}
  }

  /// A GPS receiver, or gpsd.
  public enum GPSSource: Equatable, Sendable {
    case serial(device: String, baud: Int?)
    case gpsd(host: String, port: UInt16)
  }

  /// How records are kept until every sink has them.
  public struct SpoolBounds: Equatable, Sendable {
    /// Seconds that telemetry waits for company before it is on the disk, 0.1…3600: what a power cut can cost.
    public var commitPeriod = 5.0
    /// MB that the file may have, 4…1,000,000; the oldest telemetry goes first.
    public var megabytes = 256.0
    /// Days after which a record that no sink took is dropped, 0.01…36,500; nil: never.
    public var days: Double?

    public init() {}
  }
}

/// Why a configuration is refused.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  public var file: String
  public var error: JSONError

  /// One line: `gateway.json:3:14: adapters[0].baud: expected …, found …`.
  public var description: String { error.message(in: file) }
}
