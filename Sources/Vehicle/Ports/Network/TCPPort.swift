import CPorts
import Failures
import Glibc

/// A connection to a Wi-Fi adapter, usually at 192.168.0.10, port 35000.
///
/// If the peer disappears, the port detects this within about 25 seconds: by keepalive if no data are being sent,
/// otherwise by a time limit for unacknowledged data.
public struct TCPPort: Port, ~Copyable {
  /// The TCP port that Wi-Fi adapters usually have.
  public static let defaultPort = 35_000

  public let name: String
  private let host: String
  private let port: Int
  var socket = Descriptor()

  /// Creates a closed port.
  ///
  /// - Parameters:
  ///   - host: a host name, or an IPv4 or IPv6 address without brackets.
  ///   - port: TCP port, 1…65535.
  public init(host: String, port: Int = TCPPort.defaultPort) {
    self.host = host
    self.port = port
    name = host.utf8.contains(UInt8(ascii: ":")) ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
  }

  public var descriptor: Int32 { socket.number }

  public mutating func open(within limit: Duration, unless wakeUp: WakeUp?) throws(PortError) {
    close()
    guard (1...65_535).contains(port), !host.isEmpty else {
      throw PortError(.invalid, name, "not an address; write HOST:PORT, e.g. 192.168.0.10:35000")
    }
    let deadline = BootClock.after(limit)
    let peers = try HostLookup.addresses(of: host, port: port, name: name, until: deadline, unless: wakeUp)
    var failure: PortError?
    for peer in peers {
      do throws(PortError) {
        socket = try connected(to: peer, until: deadline, unless: wakeUp)
        return
      } catch {
        // A name may have several addresses of which only some answer, so try the next one.
        if error.kind == .interrupted || error.kind == .timedOut { throw error }
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func connected(
    to peer: cports_address, until deadline: Int64, unless wakeUp: WakeUp?
  ) throws(PortError) -> Descriptor {
    var peer = peer
    let number = Glibc.socket(Int32(peer.address.ss_family), Int32(SOCK_STREAM.rawValue) | O_NONBLOCK | O_CLOEXEC, 0)
    guard number >= 0 else { throw PortError(.system, name, code: errno, systemReason(errno)) }
    let opened = Descriptor(owning: number)
    let code = unsafe withUnsafePointer(to: &peer.address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(number, $0, peer.length) == 0 ? 0 : -errno
      }
    }
    switch Connecting.finish(opened, code: code, until: deadline, unless: wakeUp) {
    case .connected: break
    case .timedOut: throw notReached(ETIMEDOUT)
    case .interrupted: throw PortError(.interrupted, name, "interrupted while connecting")
    case .failed(let code): throw notReached(code)
    }
    TCPPort.configure(number)
    return opened
  }

  public mutating func close() { socket.close() }

  public mutating func read(into buffer: inout MutableSpan<UInt8>) throws(PortError) -> Int {
    try socket.read(into: &buffer, for: name)
  }

  public mutating func write(_ bytes: Span<UInt8>) throws(PortError) -> Int {
    try socket.write(bytes, for: name, isSocket: true)
  }

  private func notReached(_ code: Int32) -> PortError {
    switch code {
    case ECONNREFUSED:
      PortError(.refused, name, code: code, "refused: nothing listens on port \(port); adapters use 35000, some 23")
    case ETIMEDOUT:
      PortError(.timedOut, name, code: code, "no answer; join the adapter's Wi-Fi network, or check the address")
    case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN:
      PortError(.unreachable, name, code: code, "no route to the address; join the adapter's Wi-Fi network")
    default: PortError(.system, name, code: code, systemReason(code))
    }
  }

  /// Sets the socket's options so that short commands are sent immediately and a missing peer is detected.
  private static func configure(_ socket: Int32) {
    set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
    set(socket, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 10)
    set(socket, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 5)
    set(socket, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    set(socket, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, 20_000)
  }

  private static func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    // These options are useful but not necessary, so ignore errors.
    _ = unsafe setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
