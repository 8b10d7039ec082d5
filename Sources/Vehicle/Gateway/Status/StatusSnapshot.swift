import GatewayLinks
import OBDWire
import Spool
import Telemetry

/// State of the pipeline. Times are boot times in ns.
struct PipelineStatus: Sendable {
  var vehicleId: String?
  var wall: WallTime
  /// Used if there is no spool.
  var epoch: UUIDv7
  var adapters: [AdapterStatus]
  var receivers: [ReceiverStatus]
  /// Number of records, by the raw value of their type.
  var made: [UInt64]
}

/// State of the connection to a device.
struct Standing: Sendable, Equatable {
  enum State: String, Sendable { case searching, connected, lost, sleeping }

  private(set) var state = State.searching
  /// Boot time, ns.
  private(set) var since: Int64
  private(set) var reason: String?

  init(since: Int64) { self.since = since }

  mutating func become(_ state: State, _ reason: String? = nil, at time: Int64) {
    if state != self.state { since = time }
    self.state = state
    self.reason = reason
  }
}

/// State of an adapter.
struct AdapterStatus: Sendable {
  var device: String
  var name: String
  var standing: Standing
  var identity: String?
  var protocolName: String?
  var vehicleId: String
  var vin: String?
  var counts: LinkFigures.Counts
}

/// State of a receiver.
struct ReceiverStatus: Sendable {
  var device: String
  var identity: String?
  var standing: Standing
  var fixes: UInt64
  /// Unreadable text lines between valid ones.
  var unreadable: UInt64
  /// Time of the last fix, boot time.
  var lastFix: Int64?
  var fixType: StaticString?
  var satellites: Int?
  var hdop: Double?
  /// Whether its positions are used in the records.
  var isChosen: Bool
}

/// State of spool and sinks.
struct ForwardingStatus: Sendable {
  var spool: SpoolFigures
  var sinks: [SinkStatus]
}

/// State of a sink.
struct SinkStatus: Sendable {
  enum State: String, Sendable { case waiting, delivering, failing, over }

  var name: String
  var state: State
  var reason: String?
  /// Number of records delivered since the start.
  var delivered: UInt64
  /// When it took the last record, boot time.
  var lastDelivery: Int64?
  /// Age of the oldest record that it lacks, ns.
  var oldestAge: Int64?
}

extension StatusSnapshot {
  /// Number of records of a type, made by any thread; `nil` if the record thread does not answer.
  func made(_ type: RecordType) -> UInt64? {
    (pipeline?.made[Int(type.rawValue)]).map { $0 &+ (type == .gap ? losses.told : 0) }
  }
}

/// A snapshot of the whole daemon.
struct StatusSnapshot: Sendable {
  var now: Int64
  /// Boot time of the start.
  var started: Int64
  var gatewayId: String
  var configuration: String?
  /// `nil` if the thread does not answer.
  var pipeline: PipelineStatus?
  /// `nil` if stdout is the only sink.
  var forwarding: ForwardingStatus?
  /// Names of threads that do not answer or do not progress.
  var stuck: [String]
  /// Names of threads that answered.
  var answered: [String]
  var losses: LossFigures
}
