import ArgumentParser
import CommandLineSupport
import Failures
import Ports
import Telemetry

/// `obdgate scan`: lists adapters and receivers, and the vehicles that answer.
struct ScanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan", abstract: "Lists adapters and GPS receivers, and the vehicles that answer.",
    discussion: """
      udev lists serial devices, BlueZ lists Bluetooth devices (8 s). Bytes are sent to a device only if its ids or its \
      name are an adapter's, or if it has the udev property OBDGATE=adapter. The command listens to other USB serial \
      devices for 2 s: a device that sends NMEA is a receiver; all others are reported as notProbed.
      """)

  @Flag(help: "Print JSON lines instead of a table.")
  var json = false

  func run() throws {
    do {
      let scan = Scan()
      var output = OutputStream()
      if json {
        var encoder = JSONLineEncoder()
        for row in scan.rows {
          encoder.begin()
          row.write(into: &encoder)
          encoder.finish()
          try output.write(encoder)
        }
      } else if !scan.rows.isEmpty {
        for line in TextTable.lines([ScanRow.header] + scan.rows.map(\.cells)) { try output.write(line) }
      }
      try output.flush()
      for problem in scan.problems { StandardError.print("obdgate scan: \(problem)") }
      if scan.rows.isEmpty { StandardError.print("obdgate scan: no adapter or receiver found") }
    } catch let failure as Failure {
      throw failure.reported(by: "scan")
    }
  }
}

/// One device that a scan has found.
struct ScanRow {
  enum Kind: String { case adapter, receiver, unknown }

  let device: String
  let key: String
  let label: String
  let kind: Kind
  /// The evidence for the kind of the device, or the reason why the device was not opened.
  let reason: String
  /// Baud rate of a receiver, or of a serial adapter that has answered; otherwise `nil`.
  var baud: Int?
  /// The name with which the adapter identifies itself; `nil` if it has not answered.
  var identity: String?
  var protocolName: String?
  /// Whether a vehicle answers through the adapter; `nil` if the adapter has not answered.
  var hasVehicle: Bool?
  /// The reason why the query of an adapter failed; `nil` if it did not fail, or if the device is not an adapter.
  var problem: String?

  init(_ device: LocalDevices.Device, heard: Listener.Result?) {
    self.device = device.address.device
    key = device.key
    label = device.label
    switch device.verdict {
    case .adapter(let ground): (kind, reason) = (.adapter, ground.rawValue)
    case .receiver(let ground): (kind, reason) = (.receiver, ground.rawValue)
    case .leave(let reason): (kind, self.reason) = (.unknown, reason.rawValue)
    case .listen: (kind, reason) = (.unknown, DeviceVerdict.Reason.notProbed.rawValue)
    }
    if case .sentences(let rate) = heard { baud = rate }
  }

  /// Stores the adapter's answer in this row.
  mutating func record(_ answer: Answer) {
    problem = answer.failure?.description
    guard let facts = answer.of("adapter").last, let name = facts["identity"]?.string else { return }
    identity = name
    protocolName = facts["protocol"]?.string
    baud = facts["baud"]?.int
    hasVehicle = answer.failure == nil
  }

  func write(into line: inout JSONLineEncoder) {
    line.field("device", device)
    line.field("key", key)
    if !label.isEmpty { line.field("label", label) }
    line.field("kind", kind.rawValue)
    line.field("reason", reason)
    line.field("baud", baud)
    line.field("identity", identity)
    line.field("protocol", protocolName)
    line.field("vehicleAnswers", hasVehicle)
    line.field("problem", problem)
  }

  static let header = ["DEVICE", "KIND", "REASON", "LABEL", "ANSWERS"]

  var cells: [String] {
    let vehicle = hasVehicle.map { $0 ? "vehicle: \(protocolName ?? "yes")" : "no vehicle" }
    let rate = baud.map { "\($0) baud" }
    let answers = [identity, rate, vehicle].compactMap { $0 }
    let last = answers.isEmpty ? problem ?? "" : answers.joined(separator: ", ")
    return [device, kind.rawValue, reason, label, last]
  }
}

/// Lists the devices, listens to those that may be GPS receivers, and asks adapters for their identity and their
/// vehicle.
private struct Scan {
  private(set) var rows: [ScanRow] = []
  private(set) var problems: [String] = []

  /// Duration of the Bluetooth inquiry. It finds nearly all devices in range; 10.24 s would be needed to find all
  /// (Bluetooth Core 5, volume 3, part C, appendix A).
  private static let inquiry = Duration.seconds(8)
  /// Time limit for querying one adapter, ns. If no vehicle answers, the adapter's search for the protocol may take 30
  /// s. A scan does not wait so long.
  private static let limit: Int64 = 20_000_000_000

  init() {
    var progress = ProgressLine()
    progress.show("obdgate scan: Bluetooth devices, 8 s")
    var localDevices = LocalDevices(inquiry: Self.inquiry)
    let heard = localDevices.listen { progress.show("obdgate scan: listening to \($0.address.device)") }
    for device in localDevices.devices {
      var row = ScanRow(device, heard: heard[device.address.device])
      if device.isAdapter {
        progress.show("obdgate scan: asking \(device.address.device)")
        row.record(VehicleQueryRun(name: "scan", address: device.address, limit: Self.limit).query(.adapter))
      }
      rows.append(row)
    }
    progress.end()
    problems = localDevices.problems
  }
}
