import Synchronization

/// The recent actions of this process on the connection to a Bluetooth LE device.
///
/// BlueZ does not report which process established a connection. After Disconnect, it waits two seconds before it ends
/// the connection, and meanwhile reports it as connected.
struct OwnConnection {
  private struct Place: Hashable, Sendable {
    /// Address of the bus; `nil` for the system bus.
    let bus: String?
    /// Path of the device's D-Bus object.
    let device: String
  }
  private struct Times: Sendable {
    var made = Int64.min / 2
    var ended = Int64.min / 2
  }

  /// Maximum time that BlueZ takes to end a connection, ns: two seconds, up to one more for its timer, and some time
  /// for the radio.
  private static let ending: Int64 = 4_000_000_000
  /// Time for which another part of this process may take over a new connection, ns. After this time, the connection
  /// may be that of another process.
  private static let handover: Int64 = 10_000_000_000
  private static let times = Mutex<[Place: Times]>([:])

  private let place: Place

  init(_ bus: SystemBus, device: String) { place = Place(bus: bus.address, device: device) }

  /// Remembers that this process has established a connection, for another part of the process.
  func wasMade() { Self.times.withLock { $0[place] = Times(made: BootClock.now) } }

  /// Whether another part of this process has just established the connection, so that the caller may take it over.
  /// Returns `true` only once for each connection.
  func takeOver() -> Bool {
    Self.times.withLock { times in
      guard let made = times[place]?.made else { return false }
      times[place]?.made = .min / 2
      return BootClock.now - made < Self.handover
    }
  }

  /// Remembers that BlueZ was asked to end the connection.
  func wasEnded() { Self.times.withLock { $0[place, default: Times()].ended = BootClock.now } }

  /// The time of ``BootClock`` by which the connection will have ended; `nil` if this process has not recently asked
  /// BlueZ to end it.
  var isOver: Int64? {
    let moment = Self.times.withLock { $0[place] }.map { $0.ended + Self.ending }
    return moment.flatMap { $0 > BootClock.now ? $0 : nil }
  }
}
