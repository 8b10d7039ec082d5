import Glibc

/// The part of an address that identifies one client: an IPv4 address, or the network (first 64 bits) of an IPv6
/// address.
enum PeerAddress {
  /// Returns the part of an address that identifies the client, as text.
  ///
  /// - Parameter address: the whole address as text; `nil` if unknown.
  static func group(_ address: String?) -> String {
    guard let address, address.utf8.contains(UInt8(ascii: ":")) else { return address ?? "" }
    var bytes = in6_addr()
    guard unsafe inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
    let parts = unsafe withUnsafeBytes(of: &bytes) { unsafe Array($0) }
    // An IPv4 address in IPv6: ::ffff:192.0.2.1
    if parts[..<10].allSatisfy({ $0 == 0 }), parts[10] == 0xFF, parts[11] == 0xFF {
      return parts[12...].map(String.init).joined(separator: ".")
    }
    return parts[..<8].map { String($0, radix: 16) }.joined(separator: ":") + "::/64"
  }
}
