import FleetAPI

/// An address and port on which the server listens: `127.0.0.1:8080`, `[::1]:8080`. Port 0 means any free port.
struct ListenAddress: Equatable {
  let host: String
  let port: Int

  /// The description of a valid address, for messages.
  static let expectation =
    "an address such as 127.0.0.1:8080 or [::1]:8080; 0.0.0.0:8080 or [::]:8080 for all addresses of this machine"

  /// Parses an address; `nil` if there is no host, or no port from 0 to 65535. `*` is rejected, because the system
  /// would look it up as a host name.
  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard digits.first != "+", let port = UInt16(digits) else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(where: { ":[]".contains($0) }) {
      return nil
    }
    guard !host.isEmpty, host != "*", host.utf8.allSatisfy({ $0 > 0x20 }) else { return nil }
    self.host = String(host)
    self.port = Int(port)
  }

  func apply(to options: inout ServerOptions) {
    options.host = host
    options.port = port
  }
}
