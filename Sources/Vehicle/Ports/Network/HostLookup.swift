import CPorts

/// Resolves a host name within a time limit.
enum HostLookup {
  /// Returns the IPv4 and IPv6 addresses of a host, at least one, in the order in which they should be tried. `name` is
  /// the name of the port in errors.
  static func addresses(
    of host: String, port: Int, name: String, until deadline: Int64, unless wakeUp: WakeUp?
  ) throws(PortError) -> [cports_address] {
    guard let lookup = unsafe cports_lookup_begin(host, String(port)) else {
      throw PortError(.system, name, "cannot look up the name: no memory or thread")
    }
    defer { unsafe cports_lookup_end(lookup) }
    while true {
      // It is not possible to wait for a look-up and a wake-up at the same time. Therefore, wait for at most 50 ms for
      // the look-up, then check the wake-up, and so on.
      let slice = min(BootClock.milliseconds(until: deadline), 50)
      let code = unsafe cports_lookup_wait(lookup, slice)
      var found: [cports_address] = []
      var next = cports_address()
      while code == 0, unsafe cports_lookup_address(lookup, Int32(found.count), &next) != 0 { found.append(next) }
      if !found.isEmpty { return found }
      if code <= 0 {
        let reason = unsafe String(cString: cports_lookup_message(code))
        throw PortError(
          .unreachable, name, "no address for \(host): \(reason); write its IP address, e.g. 192.168.0.10")
      }
      if let wakeUp, wakeUp.wait(until: 0) {
        throw PortError(.interrupted, name, "interrupted while looking up the name")
      }
      if BootClock.now >= deadline {
        throw PortError(.timedOut, name, "no answer from the name server; write the IP address")
      }
    }
  }
}
