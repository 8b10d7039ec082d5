import Failures
import Glibc
import NIOCore

/// An address on which the server listens, with the name of its setting.
public struct ListeningAddress: Equatable, Sendable {
  let key: String
  let host: String
  /// The port; 0 if the system may choose any free port.
  let port: Int

  /// Returns an address in the format of URLs, for example `127.0.0.1:8080` or `[::1]:8080`.
  public static func text(_ host: String, _ port: Int) -> String {
    host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// Whether two sockets with these addresses cannot be open at the same time. Host names are not resolved.
  func conflicts(with other: Self) -> Bool {
    guard port == other.port, port != 0 else { return false }
    guard let own = ip, let theirs = other.ip else { return host == other.host }
    return own == theirs || receivesConnections(to: theirs) || other.receivesConnections(to: own)
  }

  /// The IP address; `nil` if the host is a name.
  private var ip: SocketAddress? { try? SocketAddress(ipAddress: host, port: port) }

  /// Whether a socket on this address also receives connections to another address. 0.0.0.0 receives all IPv4
  /// connections, and `::` receives all connections.
  private func receivesConnections(to other: SocketAddress) -> Bool {
    switch ip?.ipAddress {
    case "0.0.0.0": other.protocol == .inet
    case "::": true
    default: false
    }
  }

  /// Binds a socket in the same way as the server, and closes it without listening, to check that the address can be
  /// used.
  ///
  /// - Throws: ``Failure`` if the host has no address, or if a socket cannot be bound to the port.
  func attempt() throws(Failure) {
    var wanted = unsafe addrinfo()
    unsafe wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &wanted, &found)
    guard code == 0, let address = unsafe found else { throw unknown(code) }
    defer { unsafe freeaddrinfo(address) }
    let descriptor = unsafe socket(address.pointee.ai_family, wanted.ai_socktype | O_CLOEXEC, 0)
    guard descriptor >= 0 else { throw refused(errno) }
    defer { close(descriptor) }
    var reuse: Int32 = 1
    guard
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout.size(ofValue: reuse)))
        == 0,
      unsafe bind(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0
    else { throw refused(errno) }
  }

  /// Returns the failure for a host name that has no address.
  ///
  /// - Parameter code: the error code of getaddrinfo(3). For `EAI_AGAIN` (no name server answered), another attempt may
  ///   succeed.
  func unknown(_ code: Int32) -> Failure {
    Failure(
      code == EAI_AGAIN ? .unavailable : .badConfiguration,
      "\(key) \(Self.text(host, port)): \(unsafe String(cString: gai_strerror(code))); expected an address of this machine"
    )
  }

  /// Returns the failure for an address that cannot be used.
  ///
  /// - Parameter code: the error code of bind(2).
  func refused(_ code: Int32) -> Failure {
    let advice =
      switch code {
      case EADDRINUSE: "; stop what listens there, or name another port"
      case EADDRNOTAVAIL: "; expected an address of this machine"
      case EACCES: "; expected a port from 1024 up, or the right to bind a lower one (CAP_NET_BIND_SERVICE)"
      default: ""
      }
    return Failure(
      .unavailable, "\(key) \(Self.text(host, port)): \(systemReason(code))\(advice)")
  }
}

extension ServerOptions {
  var address: ListeningAddress { ListeningAddress(key: "listen", host: host, port: port) }

  var metricsAddress: ListeningAddress? {
    metrics.map { ListeningAddress(key: "metrics.listen", host: $0.host, port: $0.port) }
  }

  /// Checks that the server's addresses differ. Makes no system calls.
  ///
  /// - Throws: ``Failure`` if a socket for metrics could not be open together with the server's own socket.
  public func checkAddresses() throws(Failure) {
    guard let metrics = metricsAddress, metrics.conflicts(with: address) else { return }
    throw Failure(
      .badConfiguration,
      "expected an address or a port of its own, found \(ListeningAddress.text(metrics.host, metrics.port)): the server listens on \(ListeningAddress.text(host, port))"
    )
  }

  /// Checks that the server can listen on its addresses. Call this at the start, before anything is changed.
  ///
  /// - Throws: the same ``Failure`` as ``FleetServer/run()``.
  public func tryAddresses() throws(Failure) {
    try address.attempt()
    try metricsAddress?.attempt()
  }
}
