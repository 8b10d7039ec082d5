import Synchronization

/// A record of this process's recent actions on a Bluetooth LE connection.
///
/// BlueZ does not report which process established a connection. After Disconnect, it waits two seconds before it ends
/// the connection, and meanwhile reports it as connected.
struct OwnConnection {
  private struct Place: Hashable, Sendable {
    /// Address of the bus; `nil` for the system bus.
    let bus: String?
    /// Object of the device.
    let device: String
  }
  private struct Times: Sendable {
    var made = Int64.min / 2
    var ended = Int64.min / 2
  }

  /// The longest time for BlueZ to end a connection in ns: two seconds, up to one more of its timer, and the radio.
  private static let ending: Int64 = 4_000_000_000
  /// The time in ns in which a new connection may be taken over. A later one may belong to another process.
  private static let handover: Int64 = 10_000_000_000
  private static let times = Mutex<[Place: Times]>([:])

  private let place: Place

  init(_ bus: SystemBus, device: String) { place = Place(bus: bus.address, device: device) }

  /// Records that a connection was established for another part of this process.
  func wasMade() { Self.times.withLock { $0[place] = Times(made: BootClock.now) } }

  /// Returns `true` once if another part of this process has just established the connection.
  func takeOver() -> Bool {
    Self.times.withLock { times in
      guard let made = times[place]?.made else { return false }
      times[place]?.made = .min / 2
      return BootClock.now - made < Self.handover
    }
  }

  /// Records that BlueZ was asked to end the connection.
  func wasEnded() { Self.times.withLock { $0[place, default: Times()].ended = BootClock.now } }

  /// The latest time at which the connection ends, of ``BootClock``; `nil` if this process has not recently asked for
  /// its end.
  var isOver: Int64? {
    let moment = Self.times.withLock { $0[place] }.map { $0.ended + Self.ending }
    return moment.flatMap { $0 > BootClock.now ? $0 : nil }
  }
}
