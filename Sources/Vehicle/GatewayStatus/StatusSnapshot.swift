import GatewayLinks
import GatewayOutput
import OBDWire
import Spool
import Telemetry

/// Status of the record pipeline.
package struct PipelineStatus: Sendable {
  package var vehicleId: String?
  package var wall: WallTime
  /// The epoch of the records; not used if there is a spool.
  package var epoch: UUIDv7
  package var adapters: [AdapterStatus]
  package var receivers: [ReceiverStatus]
  /// Number of records that were made, for each type. The index is the raw value of the type.
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

/// State of the connection to a device, and the time at which this state began.
package struct Standing: Sendable, Equatable {
  package enum State: String, Sendable { case searching, connected, lost, sleeping }

  private(set) var state = State.searching
  /// Time at which the state began, ns since boot.
  private(set) var since: Int64
  private(set) var reason: String?

  package init(since: Int64) { self.since = since }

  package mutating func become(_ state: State, _ reason: String? = nil, at time: Int64) {
    if state != self.state { since = time }
    self.state = state
    self.reason = reason
  }
}

/// Status of an adapter and of its link.
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

/// Status of a receiver.
package struct ReceiverStatus: Sendable {
  package var device: String
  package var identity: String?
  package var standing: Standing
  package var fixes: UInt64
  /// Number of text lines from gpsd that could not be read, although valid lines were received.
  package var unreadable: UInt64
  /// Time of the last fix, ns since boot; `nil` if there was none.
  package var lastFix: Int64?
  package var fixType: StaticString?
  package var satellites: Int?
  package var hdop: Double?
  /// Whether records use the receiver's positions as the vehicle's positions.
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

/// Status of the spool and the sinks.
package struct ForwardingStatus: Sendable {
  package var spool: SpoolFigures
  package var sinks: [SinkStatus]

  /// Creates a value; the parameters are the properties of the same names.
  package init(spool: SpoolFigures, sinks: [SinkStatus]) {
    self.spool = spool
    self.sinks = sinks
  }
}

/// Status of a sink.
package struct SinkStatus: Sendable {
  package enum State: String, Sendable { case waiting, delivering, failing, over }

  package var name: String
  package var state: State
  package var reason: String?
  /// Number of records that the sink has delivered since the start.
  package var delivered: UInt64
  /// Number of records that the server rejected for good since the start.
  package var rejected: UInt64
  /// The reason of the last rejection; `nil` if no record was rejected.
  package var rejectionReason: String?
  /// Time of the last delivery, ns since boot; `nil` if there was none.
  package var lastDelivery: Int64?
  /// Age of the oldest record that the sink has not acknowledged, ns; `nil` if it has acknowledged all.
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
  /// Returns the number of records of a type, including those that the spool's thread made. Returns `nil` if the record
  /// thread did not answer.
  package func made(_ type: RecordType) -> UInt64? {
    (pipeline?.made[Int(type.rawValue)]).map { $0 &+ (type == .gap ? losses.told : 0) }
  }
}

/// A snapshot of the status of the whole daemon.
package struct StatusSnapshot: Sendable {
  package var now: Int64
  /// Time at which the daemon started, ns since boot.
  package var started: Int64
  package var gatewayId: String
  package var configuration: String?
  /// Status of the record pipeline; `nil` if its thread did not answer.
  package var pipeline: PipelineStatus?
  /// Status of the spool and the sinks; `nil` if stdout is the only sink, or if the spool's thread did not answer.
  package var forwarding: ForwardingStatus?
  /// Names of the threads that did not answer, or that make no progress.
  package var stuck: [String]
  /// Names of the threads that answered and make progress.
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
