import JSONText

// Reading the adapters and receivers, and how they are connected.

extension GatewayConfiguration.Adapter {
  init(_ value: JSONValue, folder: String) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    let links = ["device", "rfcomm", "ble", "tcp"].filter { reader.optional($0) != nil || value.leavesOut($0) }
    guard links.count == 1 else {
      throw value.invalid(
        expected: "exactly one of \"device\", \"rfcomm\", \"ble\" and \"tcp\"",
        found: links.isEmpty ? "none" : links.joined(separator: " and "))
    }
    var baud: Int?
    var preferredBaud: Int?
    var pin: String?
    var pinFile: String?
    let digit = try Self.protocolDigit(&reader)
    let link: Link
    switch links[0] {
    case "device":
      baud = try GatewayConfiguration.baud(&reader)
      preferredBaud = try reader.optionalInt("preferredBaud", in: 9_600...2_000_000)
      let device = try reader.requiredLast("device")
      link = .serial(device: try GatewayConfiguration.device(device, network: "tcp", folder))
    case "rfcomm":
      (pin, pinFile) = try Self.pin(&reader, isLowEnergy: false, folder)
      link = .rfcomm(address: try Self.bluetoothAddress(reader.requiredLast("rfcomm")))
    case "ble":
      (pin, pinFile) = try Self.pin(&reader, isLowEnergy: true, folder)
      link = .ble(address: try Self.bluetoothAddress(reader.requiredLast("ble")))
    default:
      let endpoint = try GatewayConfiguration.endpoint(reader.requiredLast("tcp"), defaultPort: 35_000)
      link = .tcp(host: endpoint.host, port: endpoint.port)
    }
    self.init(link: link, baud: baud, protocolDigit: digit)
    self.preferredBaud = preferredBaud
    self.pin = pin
    self.pinFile = pinFile
  }

  /// Parses a Bluetooth address such as `00:1D:A5:68:98:8A`, in upper or lower case.
  private static func bluetoothAddress(_ value: JSONValue) throws(JSONError) -> String {
    let text = try value.requireString().uppercased()
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let isGood = parts.count == 6 && parts.allSatisfy { $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }
    guard isGood else { throw value.invalid(expected: "a Bluetooth address such as \"00:1D:A5:68:98:8A\"") }
    return text
  }

  /// Reads the PIN, or the path of the file that contains the PIN. No error message shows the PIN.
  private static func pin(
    _ reader: inout JSONObjectReader, isLowEnergy: Bool, _ folder: String
  ) throws(JSONError) -> (String?, file: String?) {
    guard let value = reader.optional("pin") else {
      return (nil, try GatewayConfiguration.path(&reader, "pinFile", folder))
    }
    let expected = "\(pinForm(isLowEnergy: isLowEnergy)) in quotes"
    guard let text = value.string else { throw value.invalid(expected: expected, found: "no string") }
    guard isPIN(text, isLowEnergy: isLowEnergy) else {
      throw value.invalid(expected: expected, found: "something else")
    }
    if let file = reader.optional("pinFile") {
      throw file.invalid(expected: "either \"pin\" or \"pinFile\"", found: "both")
    }
    return (text, nil)
  }

  /// Reads the protocol: `auto` (returned as `nil`), or the digit that ATSP uses.
  private static func protocolDigit(_ reader: inout JSONObjectReader) throws(JSONError) -> Character? {
    guard let value = reader.optional("protocol") else { return nil }
    if value.isString("auto") { return nil }
    guard let text = value.string, text.count == 1, let digit = text.first, "123456789".contains(digit) else {
      // `A` is the ELM327's digit for SAE J1939.
      let isTruck = value.isString("A") || value.isString("a")
      throw value.invalid(
        expected: "\"auto\" or \"1\" to \"9\"", found: isTruck ? "\"A\", SAE J1939, which is not polled" : nil)
    }
    return digit
  }
}

extension GatewayConfiguration.GPSSource {
  init(_ value: JSONValue, folder: String) throws(JSONError) {
    var reader = try JSONObjectReader(value)
    let links = ["device", "gpsd"].filter { reader.optional($0) != nil || value.leavesOut($0) }
    guard links.count == 1 else { throw value.invalid(expected: "either \"device\" or \"gpsd\"") }
    if links[0] == "device" {
      let baud = try GatewayConfiguration.baud(&reader)
      let device = try reader.requiredLast("device")
      self = .serial(device: try GatewayConfiguration.device(device, network: "gpsd", folder), baud: baud)
    } else {
      let endpoint = try GatewayConfiguration.endpoint(reader.requiredLast("gpsd"), defaultPort: 2947)
      self = .gpsd(host: endpoint.host, port: endpoint.port)
    }
  }
}

extension GatewayConfiguration {
  /// Rejects an adapter that is in the list twice.
  static func refuseTwice(_ array: JSONValue?, _ links: [Adapter.Link]) throws(JSONError) {
    for (index, link) in links.enumerated() where links[..<index].contains(where: { $0.isSame(as: link) }) {
      guard let value = array?[index] else { continue }
      throw value.invalid(expected: "another adapter", found: "one that the list has already")
    }
  }

  /// Rejects a receiver that is in the list twice, or whose device is also in the list of adapters.
  static func refuseTwice(
    _ array: JSONValue?, _ sources: [GPSSource], besides links: [Adapter.Link]
  ) throws(JSONError) {
    for (index, source) in sources.enumerated() {
      guard let value = array?[index] else { continue }
      if sources[..<index].contains(where: { $0.isSame(as: source) }) {
        throw value.invalid(expected: "another receiver", found: "one that the list has already")
      }
      guard case .serial(let device, _) = source else { continue }
      if links.contains(where: { $0.isSame(as: .serial(device: device)) }) {
        throw value.invalid(expected: "a receiver's device", found: "one that is in \"adapters\"")
      }
    }
  }

  /// Reads the path of a serial device. A text with a colon but without a slash, such as `192.168.0.10:35000`, is
  /// rejected, because it is the address of something that is no serial device.
  ///
  /// - Parameter network: the key for network addresses, for the message.
  fileprivate static func device(
    _ value: JSONValue, network: String, _ folder: String
  ) throws(JSONError) -> String {
    let path = try notEmpty(value, value.requireString())
    guard path.utf8.contains(UInt8(ascii: "/")) || !path.utf8.contains(UInt8(ascii: ":")) else {
      throw value.invalidAddress(
        expected: "the path of a serial device such as \"/dev/ttyUSB0\" (for a network address, use \"\(network)\")")
    }
    return resolved(path, folder)
  }

  /// Parses a network address: `HOST`, `HOST:PORT` or `[IPv6]:PORT`.
  static func endpoint(
    _ value: JSONValue, defaultPort: UInt16
  ) throws(JSONError) -> (host: String, port: UInt16) {
    let text = try value.requireString()
    var host = Substring(text)
    var port = Substring()
    if text.utf8.first == UInt8(ascii: "["), let end = text.lastIndex(of: "]") {
      host = text[text.index(after: text.startIndex)..<end]
      let rest = text[text.index(after: end)...]
      guard rest.isEmpty || rest.first == ":" else { throw value.invalidAddress(expected: "HOST:PORT or [IPv6]:PORT") }
      port = rest.dropFirst()
    } else if let colon = text.lastIndex(of: ":") {
      host = text[..<colon]
      port = text[text.index(after: colon)...]
      guard !port.isEmpty else { throw value.invalidAddress(expected: "a port behind the colon") }
    }
    let isBracketed = text.utf8.first == UInt8(ascii: "[") && text.contains("]")
    let isName =
      !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 }
      && (isBracketed || !host.contains { ":[]".contains($0) })
    guard isName else { throw value.invalidAddress(expected: "HOST:PORT or [IPv6]:PORT") }
    guard !port.isEmpty else { return (String(host), defaultPort) }
    guard port.utf8.first != UInt8(ascii: "+"), let number = UInt16(port), number > 0 else {
      throw value.invalidAddress(expected: "a port from 1 to 65535")
    }
    return (String(host), number)
  }

  /// Reads a baud rate; `nil` for `auto` or a missing key.
  static func baud(_ reader: inout JSONObjectReader) throws(JSONError) -> Int? {
    guard let value = reader.optional("baud") else { return nil }
    if value.isString("auto") { return nil }
    guard value.kind == .number else { throw value.invalid(expected: "\"auto\" or a number") }
    return try value.requireInt(in: 1200...4_000_000)
  }
}

extension GatewayConfiguration.Adapter.Link {
  /// Whether this link and `other` lead to the same device. A Bluetooth LE link and a classic Bluetooth link with the
  /// same address count as links to the same device.
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.rfcomm(let one), .ble(let two)), (.ble(let one), .rfcomm(let two)): one == two
    case (.serial(let one), .serial(let two)): one.standardPath == two.standardPath
    default: self == other
    }
  }
}

extension GatewayConfiguration.GPSSource {
  /// Whether this source and `other` are the same receiver or the same gpsd.
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.serial(let one, _), .serial(let two, _)): one.standardPath == two.standardPath
    default: self == other
    }
  }
}
