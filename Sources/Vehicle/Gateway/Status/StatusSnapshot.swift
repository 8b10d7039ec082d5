import OBDWire
import Spool
import Telemetry

/// Where the daemon stands, as the thread that makes records knows it. Times in ns; ages up to the moment of asking.
struct PipelineStatus: Sendable {
  var vehicleId: String?
  var wall: WallTime
  /// Where no spool gives another.
  var epoch: UUIDv7
  var adapters: [AdapterStatus]
  var receivers: [ReceiverStatus]
  /// Records made, by the number of their type.
  var made: [UInt64]
}

/// How far it has come with a device.
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

/// One adapter.
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

/// One receiver.
struct ReceiverStatus: Sendable {
  var device: String
  var identity: String?
  var standing: Standing
  var fixes: UInt64
  /// Lines between good ones that could not be read.
  var unreadable: UInt64
  /// Of the last fix, boot time.
  var lastFix: Int64?
  var fixType: StaticString?
  var satellites: Int?
  var hdop: Double?
  /// Its positions are the ones in the records.
  var isChosen: Bool
}

/// Where spool and sinks stand.
struct ForwardingStatus: Sendable {
  var spool: SpoolFigures
  var sinks: [SinkStatus]
}

/// One sink.
struct SinkStatus: Sendable {
  enum State: String, Sendable { case waiting, delivering, failing, over }

  var name: String
  var state: State
  var reason: String?
  /// Records that it has for good, since the start.
  var delivered: UInt64
  /// When it took the last of them, boot time.
  var lastDelivery: Int64?
  /// Of the oldest record that it lacks, ns.
  var oldestAge: Int64?
}

extension StatusSnapshot {
  /// Records made of a type, by whichever thread; nil: the one that makes most does not answer.
  func made(_ type: RecordType) -> UInt64? {
    (pipeline?.made[Int(type.rawValue)]).map { $0 &+ (type == .gap ? losses.told : 0) }
  }
}

/// Everything, at one moment.
struct StatusSnapshot: Sendable {
  var now: Int64
  /// Boot time of the start.
  var started: Int64
  var gatewayId: String
  var configuration: String?
  /// Nil: the thread does not answer.
  var pipeline: PipelineStatus?
  /// Nil: records go to stdout alone.
  var forwarding: ForwardingStatus?
  /// Threads that do not go on.
  var stuck: [String]
  /// Threads that were asked and have answered.
  var answered: [String]
  var losses: LossFigures
}
