import Failures
import Gateway
import Ports

/// Checks whether adapters and gpsd servers on the network accept connections. It sends nothing to them.
enum NetworkCheck {
  /// A configured adapter or gpsd server on the network.
  struct Peer: Sendable {
    let host: String
    let port: Int
    let isGPSD: Bool
  }

  static func peers(_ configuration: GatewayConfiguration) -> [Peer] {
    let adapters = configuration.adapters.compactMap { adapter -> Peer? in
      guard case .tcp(let host, let port) = adapter.link else { return nil }
      return Peer(host: host, port: Int(port), isGPSD: false)
    }
    let receivers = configuration.gps.compactMap { source -> Peer? in
      guard case .gpsd(let host, let port) = source else { return nil }
      return Peer(host: host, port: Int(port), isGPSD: true)
    }
    return adapters + receivers
  }
}

extension NetworkCheck.Peer {
  private static let name = "adapter"

  /// Checks whether the adapter or gpsd server accepts connections.
  ///
  /// - Parameter status: status of the running daemon; `nil` if no daemon answers. If the daemon is connected to the
  ///   adapter or gpsd, no connection is made, because an adapter accepts only one.
  func finding(_ status: DaemonStatus?) -> Finding {
    var line = TCPPort(host: host, port: port)
    let what = isGPSD ? "\(line.name): gpsd" : "\(line.name): the configured adapter"
    let lines = status.map { $0.adapters.map(\.line) + $0.receivers.map(\.line) } ?? []
    if lines.contains(where: { $0.device == line.name && ($0.state == "connected" || $0.state == "sleeping") }) {
      return Finding(.ok, Self.name, "\(what), connected")
    }
    do throws(PortError) {
      try line.open(within: .nanoseconds(Examination.limit), unless: nil)
      line.close()
      return Finding(.ok, Self.name, "\(what): accepts connections; nothing was sent")
    } catch {
      let reason = isGPSD && error.code != 0 ? systemReason(error.code) : error.detail
      return Finding(
        .problem, Self.name, "\(what): \(reason)",
        remedy: isGPSD ? "systemctl status gpsd.socket gpsd, or check the address" : nil)
    }
  }
}
