import Synchronization

/// The recent actions of this process on the connection to a Bluetooth LE device.
///
/// The actions are stored because BlueZ does not report which process established a connection. Also, BlueZ waits two
/// seconds after Disconnect before it ends the connection, and meanwhile reports the device as connected.
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

  /// Maximum time that BlueZ needs to end a connection, ns: two seconds, up to one more second for its timer, and some
  /// time for the radio.
  private static let ending: Int64 = 4_000_000_000
  /// For this time after a connection was established, another part of this process may take it over, ns. Later, the
  /// connection may belong to another process.
  private static let handover: Int64 = 10_000_000_000
  private static let times = Mutex<[Place: Times]>([:])

  private let place: Place

  init(_ bus: SystemBus, device: String) { place = Place(bus: bus.address, device: device) }

  /// Stores the time at which this process established the connection, so that another part of the process can take the
  /// connection over.
  func wasMade() { Self.times.withLock { $0[place] = Times(made: BootClock.now) } }

  /// Whether another part of this process established the connection within the last 10 s. If `true`, the caller takes
  /// the connection over. Returns `true` only once for each connection.
  func claim() -> Bool {
    Self.times.withLock { times in
      guard let made = times[place]?.made else { return false }
      times[place]?.made = .min / 2
      return BootClock.now - made < Self.handover
    }
  }

  /// Stores the time at which this process asked BlueZ to end the connection.
  func wasEnded() { Self.times.withLock { $0[place, default: Times()].ended = BootClock.now } }

  /// Time of ``BootClock`` at which the connection will have ended; `nil` if this process has not recently asked BlueZ
  /// to end it.
  var isOver: Int64? {
    let moment = Self.times.withLock { $0[place] }.map { $0.ended + Self.ending }
    return moment.flatMap { $0 > BootClock.now ? $0 : nil }
  }
}
