import CCurl
import CPorts
import Glibc

/// Looks up hosts for connections that are made without ``ProviderClient``, and applies the same rules to private
/// networks.
public enum CheckedHost {
  /// An address to which a connection is allowed.
  public struct Address: Equatable, Sendable {
    /// The IPv4 or IPv6 address as text.
    public let text: String
    /// Whether it is an address of this machine or of a private network.
    public let isPrivate: Bool
  }

  /// Maximum number of addresses of a host that are used.
  private static let most = 8

  /// Whether connections to a host may be allowed. This is decided from the text alone: names are not looked up.
  ///
  /// - Parameters:
  ///   - host: a name or an address in the usual notation.
  ///   - isEncrypted: whether the connection uses TLS. Without TLS, only private networks are allowed.
  ///   - mayUsePrivate: whether addresses of this machine and of private networks are allowed.
  public static func isAllowed(_ host: String, isEncrypted: Bool, mayUsePrivate: Bool) -> Bool {
    switch ServiceHost(host) {
    case nil: false
    case .thisMachine, .privateAddress: mayUsePrivate
    case .publicAddress: isEncrypted
    case .name: isEncrypted || mayUsePrivate
    }
  }

  /// Returns the addresses of a host to which a connection is allowed, the preferred one first. The call blocks the
  /// thread until the name server has answered, or the time limit is over.
  ///
  /// The caller must connect to one of these addresses: another lookup of the same name may have another result.
  ///
  /// - Parameters:
  ///   - isEncrypted: whether the connection uses TLS. Without TLS, only private addresses are returned.
  ///   - mayUsePrivate: whether private addresses are returned.
  ///   - seconds: the time limit, s.
  /// - Throws: an error if the host has no such address.
  public static func addresses(
    of host: String, isEncrypted: Bool, mayUsePrivate: Bool, within seconds: Int
  ) throws(ProviderFailure) -> [Address] {
    guard isAllowed(host, isEncrypted: isEncrypted, mayUsePrivate: mayUsePrivate) else {
      throw ProviderFailure(description: "not an address that may be used")
    }
    return try allowed(try lookUp(host, seconds), isEncrypted: isEncrypted, mayUsePrivate: mayUsePrivate)
  }

  /// Returns the addresses to which a connection is allowed.
  ///
  /// - Throws: an error if there is none.
  static func allowed(
    _ all: [Address], isEncrypted: Bool, mayUsePrivate: Bool
  ) throws(ProviderFailure) -> [Address] {
    let allowed = all.filter { $0.isPrivate ? mayUsePrivate : isEncrypted }
    guard !allowed.isEmpty else {
      throw ProviderFailure(
        description: mayUsePrivate
          ? "the address is not in a private network, so TLS is needed"
          : "the address is in a private network, which is not allowed")
    }
    return allowed
  }

  private static func lookUp(_ host: String, _ seconds: Int) throws(ProviderFailure) -> [Address] {
    // The port does not affect the result.
    guard let lookup = unsafe cports_lookup_begin(host, "1") else {
      throw ProviderFailure(description: "cannot look up the name: no memory or thread")
    }
    defer { unsafe cports_lookup_end(lookup) }
    let code = unsafe cports_lookup_wait(lookup, Int32(seconds * 1_000))
    guard code == 0 else {
      let reason = code > 0 ? "no answer from the name server" : unsafe String(cString: cports_lookup_message(code))
      throw ProviderFailure(description: "no address for \(host): \(reason)")
    }
    var found: [Address] = []
    var address = cports_address()
    while found.count < most, unsafe cports_lookup_address(lookup, Int32(found.count), &address) == 1 {
      guard let text = text(of: &address) else { break }
      // 0 means public. A text with the name of an interface, such as `fe80::1%eth0`, counts as private.
      found.append(Address(text: text, isPrivate: unsafe ccurl_is_private_text(text) != 0))
    }
    return found
  }

  private static func text(of address: inout cports_address) -> String? {
    var text = [CChar](repeating: 0, count: 64)
    let length = address.length
    let code = unsafe withUnsafePointer(to: &address.address) { storage in
      unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      }
    }
    guard code == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
