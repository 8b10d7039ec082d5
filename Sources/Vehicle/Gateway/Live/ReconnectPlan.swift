import Ports

/// When a line is opened, and opened again: what happened and the time in, the next moment out.
///
/// Looking for a device file costs nothing; calling a radio costs its battery, and the air of others. So a serial device
/// is looked for three times a second, a peer on the network every four seconds in the end, and Bluetooth more and more
/// seldom, every half a minute in the end, Bluetooth LE every minute.
struct ReconnectPlan {
  /// Tries that failed since the line was open.
  private var failures = 0
  private var lastFailure: PortError.Kind?
  private var openedAt = Int64.min / 2
  private var awaitsKey = false

  /// How long opening may take: a Bluetooth device is paged for 5 s, and asked for its channel; one with Bluetooth LE may
  /// have to be listened for, and tells all its services.
  static func limit(of address: PortAddress) -> Duration {
    switch address {
    case .serial: .seconds(2)
    case .tcp: .seconds(5)
    case .rfcomm: .seconds(15)
    case .ble: .seconds(30)
    }
  }

  /// The line is open.
  mutating func opened(at now: Int64 = .min / 2) {
    openedAt = now
    lastFailure = nil
  }

  /// The line could not be opened.
  ///
  /// - Returns: whether that is news: each reason is told once.
  mutating func failed(_ kind: PortError.Kind) -> Bool {
    // Somebody rang: no fault of the line.
    guard kind != .interrupted else { return false }
    failures += 1
    guard kind != lastFailure else { return false }
    lastFailure = kind
    return true
  }

  /// The device wants a key. With Bluetooth LE the next try would only disturb whoever asks it for one, and rings the line then.
  /// With classic Bluetooth such a refusal may be that of one try.
  mutating func wasNotPaired(_ address: PortAddress) { if case .ble = address { awaitsKey = true } }

  /// When the next try is made, ns of the boot clock.
  ///
  /// - Parameters:
  ///   - wasOpen: the line was open, and is closed now: by the session, or because the device is gone.
  ///   - notBefore: what the session asked for.
  mutating func nextTry(_ address: PortAddress, wasOpen: Bool, notBefore: Int64?, at now: Int64) -> Int64 {
    defer { awaitsKey = false }
    var pause = pause(of: address)
    if awaitsKey {
      pause = Self.longest
    } else if wasOpen, now - openedAt >= Self.useful {
      failures = 0
      pause = Self.shortest
    } else if wasOpen {
      // Taken and hung up at once: another has it, a phone as a rule.
      failures += 1
      if case .serial = address { pause = Self.shortest } else { pause = self.pause(of: address) }
    }
    return max(notBefore ?? 0, now + pause)
  }

  private static let shortest: Int64 = 100_000_000
  private static let longest: Int64 = 60_000_000_000
  /// A line that was open for so long was worth opening.
  private static let useful: Int64 = 2_000_000_000

  private func pause(of address: PortAddress) -> Int64 {
    switch address {
    case .serial: 300_000_000
    case .tcp: Int64(min(max(failures, 1), 4)) * 1_000_000_000
    // Each try calls for five seconds, with Bluetooth LE it may listen for ten or call for thirty: a vehicle that is away
    // for the night leaves the radio to others.
    case .rfcomm: doubling(atMost: 30)
    case .ble: doubling(atMost: 60)
    }
  }

  /// 1 s, 2, 4, … for each try that failed, ns.
  private func doubling(atMost longest: Int64) -> Int64 {
    min(1 << Int64(min(max(failures, 1), 7) - 1), longest) * 1_000_000_000
  }
}
