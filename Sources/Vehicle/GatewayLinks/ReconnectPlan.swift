import Ports

/// Determines when the next attempt to open a link is made. It receives events with their times, and returns the time
/// of the next attempt.
///
/// Checking for a device file costs almost nothing. Paging a Bluetooth device uses battery and disturbs other devices.
/// Therefore, the pause between attempts depends on the link: 0.3 s for a serial device, up to 4 s for a network
/// address, up to 30 s for classic Bluetooth, and up to 60 s for Bluetooth LE.
struct ReconnectPlan {
  /// Number of failed attempts since the link was last open for at least ``useful``.
  private var failures = 0
  private var lastFailure: PortError.Kind?
  private var openedAt = Int64.min / 2
  private var awaitsKey = false

  /// Returns the time limit of one attempt to open a link. A classic Bluetooth device is paged for 5 s, and then asked
  /// for its channel. A Bluetooth LE device may have to be discovered first, and all of its services are read.
  static func limit(of address: PortAddress) -> Duration {
    switch address {
    case .serial: .seconds(2)
    case .tcp: .seconds(5)
    case .rfcomm: .seconds(15)
    case .ble: .seconds(30)
    }
  }

  /// Handles a successful attempt: the link is open.
  mutating func opened(at now: Int64 = .min / 2) {
    openedAt = now
    lastFailure = nil
  }

  /// Handles a failed attempt: the link could not be opened.
  ///
  /// - Returns: whether to report the failure. The same kind of error is not reported twice in succession.
  mutating func failed(_ kind: PortError.Kind) -> Bool {
    // A wake-up interrupted the attempt. This is not a failure of the link.
    guard kind != .interrupted else { return false }
    failures += 1
    guard kind != lastFailure else { return false }
    lastFailure = kind
    return true
  }

  /// Remembers that the device needs a key. With Bluetooth LE, the next attempt is made after a long pause, because it
  /// would disturb the pairing. With classic Bluetooth, the pause does not change, because the device may reject one
  /// attempt and accept the next.
  mutating func wasNotPaired(_ address: PortAddress) { if case .ble = address { awaitsKey = true } }

  /// Returns the time of the next attempt, ns since boot.
  ///
  /// - Parameters:
  ///   - wasOpen: whether the last attempt succeeded; the link was then closed later.
  ///   - notBefore: the earliest time that the session has requested, ns since boot; `nil` if it has requested none.
  mutating func nextTry(_ address: PortAddress, wasOpen: Bool, notBefore: Int64?, at now: Int64) -> Int64 {
    defer { awaitsKey = false }
    var pause = pause(of: address)
    if awaitsKey {
      pause = Self.longest
    } else if wasOpen, now - openedAt >= Self.useful {
      failures = 0
      pause = Self.shortest
    } else if wasOpen {
      // If a connection is accepted and closed immediately, another client of the adapter, usually a phone, is
      // connected.
      failures += 1
      if case .serial = address { pause = Self.shortest } else { pause = self.pause(of: address) }
    }
    return max(notBefore ?? 0, now + pause)
  }

  private static let shortest: Int64 = 100_000_000
  private static let longest: Int64 = 60_000_000_000
  /// Time for which a link must be open so that the attempt counts as successful, ns.
  private static let useful: Int64 = 2_000_000_000

  private func pause(of address: PortAddress) -> Int64 {
    switch address {
    case .serial: 300_000_000
    case .tcp: Int64(min(max(failures, 1), 4)) * 1_000_000_000
    // Each attempt pages a classic Bluetooth device for 5 s. With Bluetooth LE, an attempt may scan for 10 s or page
    // for 30 s. While a vehicle is away for the night, other devices must be able to use the radio.
    case .rfcomm: doubling(atMost: 30)
    case .ble: doubling(atMost: 60)
    }
  }

  /// Returns the pause after a number of failed attempts, ns: 1 s, 2 s, 4 s and so on, up to `longest` seconds.
  private func doubling(atMost longest: Int64) -> Int64 {
    min(1 << Int64(min(max(failures, 1), 7) - 1), longest) * 1_000_000_000
  }
}
