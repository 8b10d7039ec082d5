import Ports

/// Decides when the next attempt to open a link is made. It receives events with their times, and returns the time of
/// the next attempt.
///
/// To look for a device file costs almost nothing, but to page a Bluetooth device costs battery and disturbs other
/// devices. Therefore, a serial device is tried three times a second. For a network address, the pause between attempts
/// grows to four seconds, for classic Bluetooth to half a minute, and for Bluetooth LE to one minute.
struct ReconnectPlan {
  /// Number of failed attempts since the link was last open for a useful time.
  private var failures = 0
  private var lastFailure: PortError.Kind?
  private var openedAt = Int64.min / 2
  private var awaitsKey = false

  /// Time limit of one attempt to open a link. A Bluetooth device is paged for 5 s, and then asked for its channel. A
  /// Bluetooth LE device may have to be discovered first, and all of its services are read.
  static func limit(of address: PortAddress) -> Duration {
    switch address {
    case .serial: .seconds(2)
    case .tcp: .seconds(5)
    case .rfcomm: .seconds(15)
    case .ble: .seconds(30)
    }
  }

  /// Remembers that the link is open.
  mutating func opened(at now: Int64 = .min / 2) {
    openedAt = now
    lastFailure = nil
  }

  /// Remembers that the link could not be opened.
  ///
  /// - Returns: whether to report the failure. The same reason is not reported twice in a row.
  mutating func failed(_ kind: PortError.Kind) -> Bool {
    // A wake-up ended the attempt. This is no failure of the link.
    guard kind != .interrupted else { return false }
    failures += 1
    guard kind != lastFailure else { return false }
    lastFailure = kind
    return true
  }

  /// Remembers that the device needs a key. With Bluetooth LE, the next attempt is made only after a long pause,
  /// because an attempt would disturb the pairing. With classic Bluetooth, attempts continue as usual, because the
  /// device may reject one attempt and accept the next.
  mutating func wasNotPaired(_ address: PortAddress) { if case .ble = address { awaitsKey = true } }

  /// Returns the time of the next attempt, boot time in ns.
  ///
  /// - Parameters:
  ///   - wasOpen: whether the last attempt succeeded, and the link was closed later.
  ///   - notBefore: the earliest time that the session has requested; `nil` if it has not.
  mutating func nextTry(_ address: PortAddress, wasOpen: Bool, notBefore: Int64?, at now: Int64) -> Int64 {
    defer { awaitsKey = false }
    var pause = pause(of: address)
    if awaitsKey {
      pause = Self.longest
    } else if wasOpen, now - openedAt >= Self.useful {
      failures = 0
      pause = Self.shortest
    } else if wasOpen {
      // If a connection is accepted and closed at once, another client, usually a phone, is using the adapter.
      failures += 1
      if case .serial = address { pause = Self.shortest } else { pause = self.pause(of: address) }
    }
    return max(notBefore ?? 0, now + pause)
  }

  private static let shortest: Int64 = 100_000_000
  private static let longest: Int64 = 60_000_000_000
  /// If a link was open for at least this time, the attempt counts as successful, ns.
  private static let useful: Int64 = 2_000_000_000

  private func pause(of address: PortAddress) -> Int64 {
    switch address {
    case .serial: 300_000_000
    case .tcp: Int64(min(max(failures, 1), 4)) * 1_000_000_000
    // Each attempt pages the device for five seconds. With Bluetooth LE, it may scan for ten seconds or page for
    // thirty. While a vehicle is away for the night, other devices must be able to use the radio.
    case .rfcomm: doubling(atMost: 30)
    case .ble: doubling(atMost: 60)
    }
  }

  /// Returns the pause after the failed attempts so far, ns: 1 s, 2 s, 4 s, …, up to `longest` seconds.
  private func doubling(atMost longest: Int64) -> Int64 {
    min(1 << Int64(min(max(failures, 1), 7) - 1), longest) * 1_000_000_000
  }
}
