/// What a running daemon tells of itself: its answer to `GET /status`, as far as this program understands it.
///
///     {"version":"0.1.0","pid":812,"uptime":12.5,"gatewayId":"gw-1","timeQuality":"ntp","adapters":[…],"sinks":[…],…}
///
/// What is absent there is nil here: not known. Texts are as a terminal may be shown them.
struct DaemonStatus {
  var version: String?
  var pid: Int?
  /// s
  var uptime: Double?
  var gatewayId: String?
  var vehicleId: String?
  var timestamp: String?
  var timeQuality: String?
  /// The file that it was started with.
  var configuration: String?
  var adapters: [Adapter] = []
  var receivers: [Receiver] = []
  var records = Records()
  /// nil: nothing is kept, stdout is the only sink.
  var spool: Spool?
  var sinks: [Sink] = []
  var threads: [Thread] = []

  /// Whether a line is open, and what is behind it.
  struct Line {
    var device = ""
    /// `searching`, `connected`, `lost`, `sleeping`
    var state = ""
    /// s
    var stateAge: Double?
    var reason: String?
    var identity: String?
  }

  struct Adapter {
    var line = Line()
    /// What it is known by from one start to the next.
    var name: String?
    var protocolName: String?
    var vehicleId: String?
    var vin: String?
    /// Since the daemon started.
    var commands: Int?
    var replies: Int?
    var readings: Int?
    /// Answers that could not be used, by what was wrong with them.
    var failures: [(name: String, count: Int)] = []
    /// How long the line was open, and how long of that a command was under way, s.
    var busy: Double?
    var open: Double?
    /// s
    var lastReadingAge: Double?
  }

  struct Receiver {
    var line = Line()
    var fixes: Int?
    var lastFixAge: Double?
    var fixType: String?
    var satellites: Int?
    var hdop: Double?
    /// Its fixes are the vehicle's position.
    var isChosen: Bool?
  }

  struct Records {
    /// By type, in the daemon's order.
    var made: [(name: String, count: Int)] = []
    var lost: Int?
    /// By what took them.
    var lostByReason: [(name: String, count: Int)] = []
  }

  struct Spool {
    /// `durable`, `memory`
    var state = ""
    /// Why it is in memory; nil: it has no folder to be in.
    var reason: String?
    var records: Int?
    var memoryRecords: Int?
    var bytes: Int?
    /// s
    var oldestAge: Double?
  }

  struct Sink {
    var name = ""
    /// `waiting`, `delivering`, `failing`, `over`
    var state = ""
    var reason: String?
    var delivered: Int?
    var lastDeliveryAge: Double?
    var oldestAge: Double?
  }

  struct Thread {
    var name = ""
    var isStuck = false
  }
}
