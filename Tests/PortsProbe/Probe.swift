import Glibc
import Ports

/// Prints a line on stdout at once. `print` would keep it in a buffer if stdout is a pipe.
func printLine(_ line: String) {
  let bytes = Array("\(line)\n".utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

enum Probe {
  static func devices() throws(DiscoveryError) {
    var monitor = try DeviceMonitor()
    for device in try monitor.present().sorted(by: { $0.node < $1.node }) { printLine(line(device)) }
  }

  static func watch(count: Int) throws(DiscoveryError) {
    var monitor = try DeviceMonitor()
    var table = DeviceTable()
    for device in try monitor.present() {
      _ = table.apply(.present(device))
      printLine("present \(line(device))")
    }
    printLine("ready")
    var seen = 0
    while seen < count {
      var waiting = pollfd(fd: monitor.descriptor, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&waiting, 1, 60_000) == 0 { return printLine("nothing for a minute") }
      while let event = monitor.next() {
        for change in table.apply(event) {
          seen += 1
          switch change {
          case .appeared(let device): printLine("appeared \(line(device))")
          case .disappeared(let device): printLine("disappeared \(line(device))")
          case .changed(let device): printLine("changed \(line(device))")
          }
        }
      }
    }
  }

  static func query(_ address: String, _ command: String) throws(PortError) {
    var port = AddressedPort(try PortAddress(parsing: address))
    try port.open(within: .seconds(60), unless: nil)
    var asker = Asker(command: Array(command.utf8) + [0x0D])
    var loop = try PortLoop(wakeUp: WakeUp())
    try loop.run(&port, &asker)
  }

  /// Sends the same command repeatedly, each time after the prompt.
  static func exchange(_ address: String, _ command: String, _ wanted: Int) throws(PortError) {
    var port = AddressedPort(try PortAddress(parsing: address))
    try port.open(within: .seconds(60), unless: nil)
    var exchanges = Exchanges(command: Array(command.utf8) + [0x0D], wanted: wanted)
    var loop = try PortLoop(wakeUp: WakeUp())
    try loop.run(&port, &exchanges)
    port.close()
    printLine("\(wanted) replies")
  }

  /// Prints the devices that BlueZ knows.
  ///
  /// - Parameter duration: duration of an inquiry; `nil` for none.
  static func bluetooth(inquiring duration: Duration?) throws(DiscoveryError) {
    let directory = try BluetoothDirectory(patience: .seconds(60))
    let rules = DiscoveryRules()
    let devices: [BluetoothDevice]
    if let duration { devices = try directory.inquire(for: duration) } else { devices = try directory.devices() }
    for device in devices {
      let signal = device.signal.map { " \($0) dBm" } ?? ""
      printLine("\(device.address) '\(device.name)' '\(device.alias)'\(signal) \(word(rules.verdict(for: device)))")
    }
  }

  /// Returns the name of a verdict, for example `adapter(tagged)`.
  private static func word(_ verdict: DeviceVerdict) -> String {
    switch verdict {
    case .adapter(let ground): "adapter(\(ground.rawValue))"
    case .receiver(let ground): "receiver(\(ground.rawValue))"
    case .listen: "listen"
    case .leave(let reason): "leave(\(reason.rawValue))"
    }
  }

  /// Returns a line about a device: `/dev/ttyUSB0 usb:0403:6015:1130 'ScanTool.net LLC OBDLink SX' adapter(…)`.
  static func line(_ device: DeviceIdentity) -> String {
    let links = device.links.isEmpty ? "" : " \(device.links.joined(separator: ","))"
    return "\(device.node) \(device.key) '\(device.label)' \(word(DiscoveryRules().verdict(for: device)))\(links)"
  }
}

/// Sends a command again and again, and counts prompts.
struct Exchanges: PortHandler, ~Copyable {
  let command: [UInt8]
  let wanted: Int
  private var count = 0

  init(command: [UInt8], wanted: Int) {
    self.command = command
    self.wanted = wanted
  }

  mutating func opened(at now: Int64, _ actions: inout PortActions) { actions.send(command.span) }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    for index in bytes.indices where bytes[index] == UInt8(ascii: ">") {
      count += 1
      if count < wanted { actions.send(command.span) } else { actions.stop() }
    }
  }
}

/// Sends one command and prints received lines. Ends when the device is gone.
struct Asker: PortHandler, ~Copyable {
  let command: [UInt8]
  private var line: [UInt8] = []

  init(command: [UInt8]) { self.command = command }

  mutating func opened(at now: Int64, _ actions: inout PortActions) { actions.send(command.span) }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    for index in bytes.indices {
      if bytes[index] == 0x0D || bytes[index] == UInt8(ascii: ">") {
        if !line.isEmpty { printLine("answer \(String(decoding: line, as: UTF8.self))") }
        line = []
        if bytes[index] == UInt8(ascii: ">") { printLine("prompt") }
      } else {
        line.append(bytes[index])
      }
    }
  }
}
