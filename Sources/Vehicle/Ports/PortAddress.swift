/// The address of a device, as a command or a configuration names it.
///
///     let address = try PortAddress(parsing: "/dev/ttyUSB0@115200")
public enum PortAddress: Hashable, Sendable, CustomStringConvertible {
  /// A serial port with the path of its device file. `baud` is `nil` if the rate must be found.
  case serial(path: String, baud: Int?)
  /// A Wi-Fi adapter with its host (a name or an IP address) and TCP port.
  case tcp(host: String, port: Int)
  /// A device of classic Bluetooth. `channel` is `nil` if service discovery must find it.
  case rfcomm(BluetoothAddress, channel: UInt8?)
  /// A Bluetooth LE device.
  case ble(BluetoothAddress)

  /// Parses `/dev/ttyUSB0`, `/dev/ttyUSB0@115200`, `./link`, `tcp:HOST[:PORT]`, `HOST:PORT`,
  /// `rfcomm:ADDRESS[/CHANNEL]`, `ble:ADDRESS`, or a Bluetooth address without a prefix, which means RFCOMM. IPv6
  /// addresses must be in brackets.
  ///
  /// - Throws: ``PortError/Kind/invalid`` if the text has another format. The error names the expected format.
  public init(parsing text: String) throws(PortError) {
    if ["/", "./", "../"].contains(where: text.hasPrefix) {
      self = try PortAddress.serial(text)
    } else if text.hasPrefix("rfcomm:") {
      self = try PortAddress.rfcomm(text.dropFirst(7), in: text)
    } else if text.hasPrefix("ble:") {
      self = try PortAddress.ble(text.dropFirst(4), in: text)
    } else if BluetoothAddress(text.prefix(17)) != nil {
      self = try PortAddress.rfcomm(text[...], in: text)
    } else if text.hasPrefix("tcp:") {
      self = try PortAddress.tcp(text.dropFirst(4), in: text, needsPort: false)
    } else {
      self = try PortAddress.tcp(text[...], in: text, needsPort: true)
    }
  }

  /// Parses the value of `tcp` in a configuration: `HOST[:PORT]`.
  public init(tcp text: String) throws(PortError) { self = try PortAddress.tcp(text[...], in: text, needsPort: false) }

  /// Parses the value of `rfcomm` in a configuration: `ADDRESS[/CHANNEL]`.
  public init(rfcomm text: String) throws(PortError) { self = try PortAddress.rfcomm(text[...], in: text) }

  /// Parses the value of `ble` in a configuration: `ADDRESS`.
  public init(ble text: String) throws(PortError) { self = try PortAddress.ble(text[...], in: text) }

  /// The address as text that ``init(parsing:)`` accepts.
  public var description: String {
    switch self {
    case .serial(let path, let baud): baud.map { "\(path)@\($0)" } ?? path
    case .tcp(let host, let port): TCPPort(host: host, port: port).name
    case .rfcomm(let address, let channel): RFCOMMPort(address: address, channel: channel).name
    case .ble(let address): BLEPort(address: address).name
    }
  }

  private static func serial(_ text: String) throws(PortError) -> PortAddress {
    guard let at = text.lastIndex(of: "@") else { return .serial(path: text, baud: nil) }
    guard let baud = Int(text[text.index(after: at)...]), (50...12_000_000).contains(baud) else {
      throw PortError(.invalid, text, "not a rate after @; write e.g. \(text[..<at])@115200")
    }
    return .serial(path: String(text[..<at]), baud: baud)
  }

  private static func rfcomm(_ rest: Substring, in text: String) throws(PortError) -> PortAddress {
    let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let address = parts.first.flatMap({ BluetoothAddress($0) }) else {
      throw PortError(.invalid, text, "not a Bluetooth address; write e.g. 00:1D:A5:68:98:8A")
    }
    guard parts.count == 2 else { return .rfcomm(address, channel: nil) }
    guard let channel = UInt8(parts[1]), (1...30).contains(channel) else {
      throw PortError(.invalid, text, "not a channel; RFCOMM has 1 to 30")
    }
    return .rfcomm(address, channel: channel)
  }

  private static func ble(_ rest: Substring, in text: String) throws(PortError) -> PortAddress {
    guard let address = BluetoothAddress(rest) else {
      throw PortError(.invalid, text, "not a Bluetooth address; write e.g. ble:00:1D:A5:68:98:8A")
    }
    return .ble(address)
  }

  private static func tcp(_ rest: Substring, in text: String, needsPort: Bool) throws(PortError) -> PortAddress {
    let malformed = PortError(
      .invalid, text,
      "not a device; write /dev/ttyUSB0, 192.168.0.10:35000, rfcomm:00:1D:A5:68:98:8A or ble:00:1D:A5:68:98:8A")
    var host = rest
    var port: Substring?
    if rest.hasPrefix("["), let close = rest.firstIndex(of: "]") {
      host = rest[rest.index(after: rest.startIndex)..<close]
      let behind = rest[rest.index(after: close)...]
      guard behind.isEmpty || behind.hasPrefix(":") else { throw malformed }
      port = behind.isEmpty ? nil : behind.dropFirst()
    } else if let colon = rest.lastIndex(of: ":") {
      host = rest[..<colon]
      port = rest[rest.index(after: colon)...]
      // If there are several colons, this is an IPv6 address without brackets, whose last group looks like a port.
      guard !host.contains(":") else { throw malformed }
    }
    guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || $0 == "/" }), port != nil || !needsPort else {
      throw malformed
    }
    guard let number = port.map({ Int($0) }) ?? TCPPort.defaultPort, (1...65_535).contains(number) else {
      throw PortError(.invalid, text, "not a port; 1 to 65535, adapters use 35000")
    }
    return .tcp(host: String(host), port: number)
  }
}
