import GatewayLinks
import GatewayOutput
import OBDWire
import Spool
import Telemetry

/// State of the pipeline. Times are boot times in ns.
package struct PipelineStatus: Sendable {
  package var vehicleId: String?
  package var wall: WallTime
  /// The epoch of the records if there is no spool.
  package var epoch: UUIDv7
  package var adapters: [AdapterStatus]
  package var receivers: [ReceiverStatus]
  /// Number of records, by the raw value of their type.
  package var made: [UInt64]

  /// Creates a value; the parameters are the properties of the same names.
  package init(
    vehicleId: String? = nil, wall: WallTime, epoch: UUIDv7, adapters: [AdapterStatus], receivers: [ReceiverStatus],
    made: [UInt64]
  ) {
    self.vehicleId = vehicleId
    self.wall = wall
    self.epoch = epoch
    self.adapters = adapters
    self.receivers = receivers
    self.made = made
  }
}

/// State of the connection to a device.
package struct Standing: Sendable, Equatable {
  package enum State: String, Sendable { case searching, connected, lost, sleeping }

  private(set) var state = State.searching
  /// Boot time, ns.
  private(set) var since: Int64
  private(set) var reason: String?

  package init(since: Int64) { self.since = since }

  package mutating func become(_ state: State, _ reason: String? = nil, at time: Int64) {
    if state != self.state { since = time }
    self.state = state
    self.reason = reason
  }
}

/// State of an adapter.
package struct AdapterStatus: Sendable {
  package var device: String
  package var name: String
  package var standing: Standing
  package var identity: String?
  package var protocolName: String?
  package var vehicleId: String
  package var vin: String?
  package var counts: LinkFigures.Counts

  /// Creates a value; the parameters are the properties of the same names.
  package init(
    device: String, name: String, standing: Standing, identity: String? = nil, protocolName: String? = nil,
    vehicleId: String, vin: String? = nil, counts: LinkFigures.Counts
  ) {
    self.device = device
    self.name = name
    self.standing = standing
    self.identity = identity
    self.protocolName = protocolName
    self.vehicleId = vehicleId
    self.vin = vin
    self.counts = counts
  }
}

/// State of a receiver.
package struct ReceiverStatus: Sendable {
  package var device: String
  package var identity: String?
  package var standing: Standing
  package var fixes: UInt64
  /// Unreadable text lines between valid ones.
  package var unreadable: UInt64
  /// Time of the last fix, boot time.
  package var lastFix: Int64?
  package var fixType: StaticString?
  package var satellites: Int?
  package var hdop: Double?
  /// Whether its positions are used in the records.
  package var isChosen: Bool

  /// Creates a value; the parameters are the properties of the same names.
  package init(
    device: String, identity: String? = nil, standing: Standing, fixes: UInt64, unreadable: UInt64,
    lastFix: Int64? = nil, fixType: StaticString? = nil, satellites: Int? = nil, hdop: Double? = nil, isChosen: Bool
  ) {
    self.device = device
    self.identity = identity
    self.standing = standing
    self.fixes = fixes
    self.unreadable = unreadable
    self.lastFix = lastFix
    self.fixType = fixType
    self.satellites = satellites
    self.hdop = hdop
    self.isChosen = isChosen
  }
}

/// State of spool and sinks.
package struct ForwardingStatus: Sendable {
  package var spool: SpoolFigures
  package var sinks: [SinkStatus]

  /// Creates a value; the parameters are the properties of the same names.
  package init(spool: SpoolFigures, sinks: [SinkStatus]) {
    self.spool = spool
    self.sinks = sinks
  }
}

/// State of a sink.
package struct SinkStatus: Sendable {
  package enum State: String, Sendable { case waiting, delivering, failing, over }

  package var name: String
  package var state: State
  package var reason: String?
  /// Number of records delivered since the start.
  package var delivered: UInt64
  /// Number of records that the peer rejected for good since the start, and the reason of the last one.
  package var rejected: UInt64
  package var rejectionReason: String?
  /// Boot time of the last delivery; `nil` if there was none.
  package var lastDelivery: Int64?
  /// Age of the oldest record that it lacks, ns.
  package var oldestAge: Int64?

  /// Creates a value; the parameters are the properties of the same names.
  package init(
    name: String, state: State, reason: String? = nil, delivered: UInt64, rejected: UInt64 = 0,
    rejectionReason: String? = nil, lastDelivery: Int64? = nil, oldestAge: Int64? = nil
  ) {
    self.name = name
    self.state = state
    self.reason = reason
    self.delivered = delivered
    self.rejected = rejected
    self.rejectionReason = rejectionReason
    self.lastDelivery = lastDelivery
    self.oldestAge = oldestAge
  }
}

extension StatusSnapshot {
  /// Number of records of a type, made by any thread; `nil` if the record thread does not answer.
  package func made(_ type: RecordType) -> UInt64? {
    (pipeline?.made[Int(type.rawValue)]).map { $0 &+ (type == .gap ? losses.told : 0) }
  }
}

/// A snapshot of the whole daemon.
package struct StatusSnapshot: Sendable {
  package var now: Int64
  /// Boot time of the start.
  package var started: Int64
  package var gatewayId: String
  package var configuration: String?
  /// `nil` if the thread does not answer.
  package var pipeline: PipelineStatus?
  /// `nil` if stdout is the only sink.
  package var forwarding: ForwardingStatus?
  /// Names of threads that do not answer or do not progress.
  package var stuck: [String]
  /// Names of threads that answered.
  package var answered: [String]
  package var losses: LossFigures

  /// Creates a value; the parameters are the properties of the same names.
  package init(
    now: Int64, started: Int64, gatewayId: String, configuration: String? = nil, pipeline: PipelineStatus? = nil,
    forwarding: ForwardingStatus? = nil, stuck: [String], answered: [String], losses: LossFigures
  ) {
    self.now = now
    self.started = started
    self.gatewayId = gatewayId
    self.configuration = configuration
    self.pipeline = pipeline
    self.forwarding = forwarding
    self.stuck = stuck
    self.answered = answered
    self.losses = losses
  }
}
