import AdapterSession
import Fusion
import GatewayLinks
import OBDWire
import Telemetry

/// The known properties of an adapter, as the body of an `adapter` record. It has more keys than in the daemon's
/// records.
struct AdapterFacts: RecordBody {
  static let type = RecordType.adapter

  let device: String
  private var identity: String?
  private var protocolName: String?
  private var baud: Int?
  private var voltage: Double?
  private var quirks: [String] = []
  /// Addresses of the ECUs that have answered through the adapter.
  private var ecus: [String] = []
  private var isConnected = false
  /// The requests of the polling plan, one text line for each (see ``AdapterSession/PollPlan/describe(into:)``); `nil`
  /// if the user has not requested the plan.
  private var plan: [String]?

  init(device: String) { self.device = device }

  /// Copies the current properties of the adapter from a session.
  ///
  /// - Parameter voltage: voltage at the adapter, V; `nil` if it was not measured.
  mutating func update(from session: borrowing AdapterSession, voltage: Double?) {
    let name = String(latin1: session.identity)
    identity = name.isEmpty ? nil : name
    isConnected = session.isConnected
    protocolName = ProtocolName.text(fromDigit: session.currentProtocol)
    if case .serial(let named) = session.configuration.transport {
      // Use the baud rate that the session has detected. If there is none, use the configured rate.
      baud = session.memory.baud > 0 ? session.memory.baud : named
    }
    self.voltage = voltage
    quirks = session.memory.quirks.names
    ecus = (0..<session.car.ecuCount).map { session.car.address(of: $0).text }.filter { !$0.isEmpty }
  }

  mutating func recordPlan(of session: inout AdapterSession) {
    var writer = PlanLines()
    session.plan.describe(into: &writer)
    plan = writer.lines
  }

  func write(to line: inout JSONLineEncoder) {
    line.field("event", (isConnected ? AdapterRecord.Event.connected : .found).name)
    line.field("device", device)
    line.field("identity", identity)
    line.field("protocol", protocolName)
    line.field("baud", baud)
    line.field("batteryVoltage", voltage)
    line.field("quirks", quirks)
    line.field("ecus", ecus)
    line.field("plan", plan)
  }
}

private struct PlanLines: PlanWriter {
  private(set) var lines: [String] = []

  mutating func line(_ text: Span<UInt8>) { lines.append(String(latin1: text)) }
}
