import Ports

/// Decides when a link is opened and reopened: events and the time go in, the next attempt comes out.
///
/// To look for a device file costs nothing; to page a Bluetooth device costs its battery and disturbs others. A serial
/// device is therefore tried three times a second and a network address finally every four seconds. The pause before
/// Bluetooth grows to half a minute, before Bluetooth LE to one minute.
struct ReconnectPlan {
  /// Failed attempts since the link was open.
  private var failures = 0
  private var lastFailure: PortError.Kind?
  private var openedAt = Int64.min / 2
  private var awaitsKey = false

  /// Maximum time for opening. A Bluetooth device is paged for 5 s and asked for its channel. A device with Bluetooth
  /// LE may have to be discovered first, and all its services are read.
  static func limit(of address: PortAddress) -> Duration {
    switch address {
    case .serial: .seconds(2)
    case .tcp: .seconds(5)
    case .rfcomm: .seconds(15)
    case .ble: .seconds(30)
    }
  }

  /// Records that the link is open.
  mutating func opened(at now: Int64 = .min / 2) {
    openedAt = now
    lastFailure = nil
  }

  /// Records that the link could not be opened.
  ///
  /// - Returns: whether to report it; each reason is reported once.
  mutating func failed(_ kind: PortError.Kind) -> Bool {
    // The wait was ended by a wake-up; the link did not fail.
    guard kind != .interrupted else { return false }
    failures += 1
    guard kind != lastFailure else { return false }
    lastFailure = kind
    return true
  }

  /// Records that the device needs a key. With Bluetooth LE, another attempt would only disturb the pairing, which
  /// signals the link when it is done. With classic Bluetooth, such a rejection may concern a single attempt.
  mutating func wasNotPaired(_ address: PortAddress) { if case .ble = address { awaitsKey = true } }

  /// Returns the time of the next attempt, boot time in ns.
  ///
  /// - Parameters:
  ///   - wasOpen: whether the link was open and was closed by the session or by the loss of the device.
  ///   - notBefore: the earliest time, if the session asked for one.
  mutating func nextTry(_ address: PortAddress, wasOpen: Bool, notBefore: Int64?, at now: Int64) -> Int64 {
    defer { awaitsKey = false }
    var pause = pause(of: address)
    if awaitsKey {
      pause = Self.longest
    } else if wasOpen, now - openedAt >= Self.useful {
      failures = 0
      pause = Self.shortest
    } else if wasOpen {
      // Accepted and closed at once: another client has the adapter, usually a phone.
      failures += 1
      if case .serial = address { pause = Self.shortest } else { pause = self.pause(of: address) }
    }
    return max(notBefore ?? 0, now + pause)
  }

  private static let shortest: Int64 = 100_000_000
  private static let longest: Int64 = 60_000_000_000
  /// A link that was open for this long, ns, was useful.
  private static let useful: Int64 = 2_000_000_000

  private func pause(of address: PortAddress) -> Int64 {
    switch address {
    case .serial: 300_000_000
    case .tcp: Int64(min(max(failures, 1), 4)) * 1_000_000_000
    // Each attempt pages for five seconds; with Bluetooth LE it may scan for ten or page for thirty. A vehicle that is
    // away for the night must leave the radio to others.
    case .rfcomm: doubling(atMost: 30)
    case .ble: doubling(atMost: 60)
    }
  }

  /// 1 s, 2 s, 4 s, … for the failed attempts, ns.
  private func doubling(atMost longest: Int64) -> Int64 {
    min(1 << Int64(min(max(failures, 1), 7) - 1), longest) * 1_000_000_000
  }
}
