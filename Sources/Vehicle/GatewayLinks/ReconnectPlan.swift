import Ports

/// Decides when a link is opened and reopened. Events and the time go in, the next attempt comes out.
///
/// A check for a device file costs almost nothing, but paging a Bluetooth device costs battery and disturbs other
/// devices. Therefore, a serial device is tried three times a second, and a network address at most every four seconds.
/// The pause for classic Bluetooth grows to half a minute, for Bluetooth LE to one minute.
struct ReconnectPlan {
  /// Number of failed attempts since the link was last open.
  private var failures = 0
  private var lastFailure: PortError.Kind?
  private var openedAt = Int64.min / 2
  private var awaitsKey = false

  /// Time limit of an attempt to open a link. A Bluetooth device is paged for 5 s and queried for its channel. A
  /// Bluetooth LE device may have to be discovered first, and all its services are read.
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

  /// Records that the device needs a key. With Bluetooth LE, no further attempt is made until the device is paired,
  /// because an attempt would disturb the pairing. With classic Bluetooth, attempts continue, because such a rejection
  /// may concern a single attempt.
  mutating func wasNotPaired(_ address: PortAddress) { if case .ble = address { awaitsKey = true } }

  /// Returns the time of the next attempt, boot time in ns.
  ///
  /// - Parameters:
  ///   - wasOpen: whether the link was open, and was then closed by the session or by the loss of the device.
  ///   - notBefore: the earliest time, if the session requested one.
  mutating func nextTry(_ address: PortAddress, wasOpen: Bool, notBefore: Int64?, at now: Int64) -> Int64 {
    defer { awaitsKey = false }
    var pause = pause(of: address)
    if awaitsKey {
      pause = Self.longest
    } else if wasOpen, now - openedAt >= Self.useful {
      failures = 0
      pause = Self.shortest
    } else if wasOpen {
      // A connection that is accepted and closed at once means that another client uses the adapter, usually a phone.
      failures += 1
      if case .serial = address { pause = Self.shortest } else { pause = self.pause(of: address) }
    }
    return max(notBefore ?? 0, now + pause)
  }

  private static let shortest: Int64 = 100_000_000
  private static let longest: Int64 = 60_000_000_000
  /// Time for which a link must have been open to count as successful, ns.
  private static let useful: Int64 = 2_000_000_000

  private func pause(of address: PortAddress) -> Int64 {
    switch address {
    case .serial: 300_000_000
    case .tcp: Int64(min(max(failures, 1), 4)) * 1_000_000_000
    // Each attempt pages for five seconds. With Bluetooth LE, it may scan for ten seconds or page for thirty. While a
    // vehicle is away for the night, other devices must be able to use the radio.
    case .rfcomm: doubling(atMost: 30)
    case .ble: doubling(atMost: 60)
    }
  }

  /// Returns the pause after the failed attempts, ns: 1 s, 2 s, 4 s, …
  private func doubling(atMost longest: Int64) -> Int64 {
    min(1 << Int64(min(max(failures, 1), 7) - 1), longest) * 1_000_000_000
  }
}
