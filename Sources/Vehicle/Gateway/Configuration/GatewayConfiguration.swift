import JSONText
import Sinks

/// The configuration of the daemon: one JSON object, in which unknown keys are errors. `{}` is valid; the daemon then
/// finds all devices by itself.
///
///     { "gatewayId": "gw-17",
///       "adapters": [ { "device": "/dev/ttyUSB0", "baud": "auto", "protocol": "auto" } ],
///       "poll":     { "defaultPeriod": 1.0, "signals": { "rpm": 0.1 } },
///       "sinks":    [ { "type": "stdout" } ] }
///
/// Unknown keys, wrong types and invalid values are errors. Each error has the file, line, column and JSON path, and
/// the expected value. A relative path begins at the folder of the configuration file.
public struct GatewayConfiguration: Equatable, Sendable {
  /// The gateway's ID; `nil` to derive the ID from the machine ID.
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
  /// Paths of the OBDb signal-set files.
  public var signalSets: [String] = []
  /// The state directory, which contains data that must survive a restart; `nil` to store no such data.
  public var stateDirectory: String?
  public var sinks: [SinkConfiguration] = [.stdout(StdoutConfiguration())]
  public var spool = SpoolBounds()
  public var status = Status()
  /// Positions of the paths of ``geofences`` and ``signalSets`` in the configuration's text.
  var places = FilePlaces()

  public init() {}

  /// Properties of the vehicle that the user configures. A property is `nil` if it is not configured.
  public struct Vehicle: Equatable, Sendable {
    public enum Fuel: String, Equatable, Sendable, CaseIterable {
      case gasoline, diesel, ethanol, cng, lpg, electric, hybrid
    }

    public var id: String?
    /// Displacement of the engine in litres, 0.1…30.
    public var displacement: Double?
    public var fuel: Fuel?
    /// Volumetric efficiency of the engine, 0.3…1.5.
    public var volumetricEfficiency: Double?
    /// Number of cylinders, 1…16.
    public var cylinders: Int?

    public init() {}
  }

  /// An adapter that the user configures.
  public struct Adapter: Equatable, Sendable {
    public enum Link: Equatable, Sendable {
      case serial(device: String)
      /// Classic Bluetooth; the address in upper case, for example `00:1D:A5:68:98:8A`.
      case rfcomm(address: String)
      /// Bluetooth LE; the address in upper case, for example `00:1D:A5:68:98:8A`.
      case ble(address: String)
      case tcp(host: String, port: UInt16)
    }

    public var link: Link
    /// Baud rate of a serial device; `nil` to detect the rate.
    public var baud: Int?
    /// Baud rate to which a serial adapter is switched after it was found (ATBRD, STBR); `nil` to keep its rate.
    public var preferredBaud: Int?
    /// The ELM327's digit for the protocol, `1`…`9`; `nil` to detect the protocol. SAE J1939 (`A`) is not polled.
    public var protocolDigit: Character?
    /// The PIN for pairing: 1 to 16 letters and digits, or 1 to 6 digits with Bluetooth LE. If it is `nil` and there is
    /// no ``pinFile``, the usual PINs are tried.
    public var pin: String?
    /// Path of a file that contains the PIN; `nil` to use ``pin``. The daemon rejects a file that all users can read.
    public var pinFile: String?

    public init(link: Link, baud: Int? = nil, protocolDigit: Character? = nil) {
      self.link = link
      self.baud = baud
      self.protocolDigit = protocolDigit
    }
  }

  /// Rules for the discovery of adapters and receivers.
  public struct Discovery: Equatable, Sendable {
    public var serial = true
    public var bluetooth = true
    /// Whether the daemon may send bytes to an unknown device to find out whether it is an adapter.
    public var probe = false

    public init() {}
  }

  /// The signals to poll, and their periods in seconds.
  public struct Poll: Equatable, Sendable {
    public var defaultPeriod = 1.0
    /// Periods of single signals, in the order of the configuration; 0 to read a signal as often as the link allows.
    public var signals: [Period] = []
    public var dtcPeriod = 60.0

    public init() {}

    public struct Period: Equatable, Sendable {
      public var signal: String
      public var seconds: Double
      /// The error to report if no signal set defines the signal; `nil` if the value was not read from a configuration.
      /// Comparisons of two periods ignore this property.
      var refusal: JSONError?

      public static func == (a: Period, b: Period) -> Bool { a.signal == b.signal && a.seconds == b.seconds }

      public init(signal: String, seconds: Double) {
        self.signal = signal
        self.seconds = seconds
      }
    }
  }

  /// Rules that determine when the daemon stops polling a parked vehicle and when it starts again. Voltages refer to a
  /// 12 V system; times are in seconds. `nil` selects the default of `AdapterSession.PowerConfiguration`.
  public struct Power: Equatable, Sendable {
    /// Whether polling stops automatically while the vehicle is parked.
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
    /// Whether the adapter is switched to its low-power mode (ATLP) while the vehicle is asleep.
    public var usesLowPower = false

    public init() {}
  }

  /// The rules for making telemetry records.
  public struct Record: Equatable, Sendable {
    /// The condition for making a telemetry record.
    public enum Trigger: String, Equatable, Sendable, CaseIterable {
      /// One record in each period.
      case period
      /// One record in each period in which a value has changed.
      case change
      /// One record for each polling cycle. A cycle ends when a signal is read for the second time.
      case cycle
    }

    /// Period in seconds, 0.05…3600.
    public var period = 1.0
    public var trigger = Trigger.period

    public init() {}
  }

  /// The geofences, and the rules for their events. Distances are in metres, times in seconds. `nil` selects the
  /// default of `Geofencing.FenceRules`.
  public struct Geofences: Equatable, Sendable {
    /// Path of the GeoJSON file that contains the fences.
    public var file: String
    /// Whether an `enter` event is reported for each fence in which the first fix lies.
    public var announcesFirstFix = false
    public var leastErrorRadius: Double?
    public var errorPerHDOP: Double?
    public var hold: Double?
    public var carriedDistance: Double?
    public var carriedTime: Double?

    public init(file: String) { self.file = file }
  }

  /// The precision of positions in records.
  public struct Privacy: Equatable, Sendable {
    public enum Level: String, Equatable, Sendable, CaseIterable { case full, coarse, off }

    public struct Zone: Equatable, Sendable {
      /// ID of the fence.
      public var fence: String
      public var level: Level
      /// The error to report if no fence has this ID; `nil` if the value was not read from a configuration. Comparisons
      /// of two zones ignore this property.
      var refusal: JSONError?

      public static func == (a: Zone, b: Zone) -> Bool { a.fence == b.fence && a.level == b.level }

      init(fence: String, level: Level) {
        self.fence = fence
        self.level = level
      }
    }

    /// The precision of positions outside all zones.
    public var position = Level.full
    /// Number of decimals of a degree that a coarse position has, 0…5.
    public var decimals = 2
    /// Fences with the precision that applies inside each of them.
    public var zones: [Zone] = []

    public init() {}
  }

  /// A source of positions: a GPS receiver on a serial device, or gpsd.
  public enum GPSSource: Equatable, Sendable {
    case serial(device: String, baud: Int?)
    case gpsd(host: String, port: UInt16)
  }

  /// Limits of the spool's size and of the age of its records, and the time between its commits.
  public struct SpoolBounds: Equatable, Sendable {
    /// Time between two commits of the spool in seconds, 0.1…3600. A power cut can lose the telemetry of this time.
    public var commitPeriod = 5.0
    /// Maximum size of the spool's file in MB, 4…1,000,000. When it is reached, the oldest telemetry records are
    /// removed first.
    public var megabytes = 256.0
    /// Age in days at which a record is removed although it was not delivered, 0.01…36,500; `nil` to remove no record
    /// because of its age.
    public var days: Double?

    public init() {}
  }
}

/// The reason why a configuration is rejected.
public struct ConfigurationError: Error, Equatable, Sendable, CustomStringConvertible {
  public var file: String
  /// All errors of the configuration, in the order of their positions; at least one.
  public var errors: [JSONError]

  /// One line for each error: `gateway.json:3:14: adapters[0].baud: expected …, found …`.
  public var lines: [String] { errors.messages(in: file) }

  public var description: String { lines.joined(separator: "; ") }
}
