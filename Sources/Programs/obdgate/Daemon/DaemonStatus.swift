/// The status of a running daemon: its response to `GET /status`. Keys that this program does not know are left out.
///
///     {"version":"0.1.0","pid":812,"uptime":12.5,"gatewayId":"gw-1","timeQuality":"ntp","adapters":[…],"sinks":[…],…}
///
/// A value that the response does not contain is `nil`. Texts are safe to show on a terminal.
struct DaemonStatus {
  var version: String?
  var pid: Int?
  /// Time since the daemon started, s.
  var uptime: Double?
  var gatewayId: String?
  var vehicleId: String?
  var timestamp: String?
  var timeQuality: String?
  /// Path of the configuration file with which the daemon was started.
  var configuration: String?
  var adapters: [Adapter] = []
  var receivers: [Receiver] = []
  var records = Records()
  /// The spool; `nil` if stdout is the only sink, because records are then not stored.
  var spool: Spool?
  var sinks: [Sink] = []
  var threads: [Thread] = []

  /// The state of the link to an adapter or receiver.
  struct Line {
    var device = ""
    /// The state of the link: `searching`, `connected`, `lost` or `sleeping`.
    var state = ""
    /// Time since the last change of the state, s.
    var stateAge: Double?
    var reason: String?
    var identity: String?
  }

  struct Adapter {
    var line = Line()
    /// The key that identifies the adapter. It remains the same after a restart of the daemon.
    var name: String?
    var protocolName: String?
    var vehicleId: String?
    var vin: String?
    /// Number of commands that were sent to the adapter since the daemon started.
    var commands: Int?
    var replies: Int?
    var readings: Int?
    /// Number of failures since the daemon started, by kind of failure. A reply may have several failures.
    var failures: [(name: String, count: Int)] = []
    /// Total time, since the daemon started, for which a command was in progress, s.
    var busy: Double?
    /// Total time, since the daemon started, for which the link was open, s.
    var open: Double?
    /// Time since the last reading, s.
    var lastReadingAge: Double?
  }

  struct Receiver {
    var line = Line()
    var fixes: Int?
    var lastFixAge: Double?
    var fixType: String?
    var satellites: Int?
    var hdop: Double?
    /// Whether the receiver's positions are used as the vehicle's positions.
    var isChosen: Bool?
  }

  struct Records {
    /// Number of records that were made, by type, in the order in which the daemon lists them.
    var made: [(name: String, count: Int)] = []
    var lost: Int?
    /// Number of lost records, by cause.
    var lostByReason: [(name: String, count: Int)] = []
  }

  struct Spool {
    /// The place where records are stored: `durable` (on the disk) or `memory`.
    var state = ""
    /// The error that prevents the daemon from storing records on the disk; `nil` if they are stored there, or if no
    /// state directory is configured.
    var reason: String?
    var records: Int?
    var memoryRecords: Int?
    var bytes: Int?
    /// Age of the oldest record in the spool, s.
    var oldestAge: Double?
  }

  struct Sink {
    var name = ""
    /// The state of the delivery: `waiting`, `delivering`, `failing` or `over`.
    var state = ""
    var reason: String?
    var delivered: Int?
    /// Number of records that the server rejected for good.
    var rejected: Int?
    /// The reason of the last rejection.
    var rejectionReason: String?
    var lastDeliveryAge: Double?
    var oldestAge: Double?
  }

  struct Thread {
    var name = ""
    var isStuck = false
  }
}
