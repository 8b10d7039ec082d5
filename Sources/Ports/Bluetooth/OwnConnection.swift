import Synchronization

/// A connection of Bluetooth LE, and what this process has done to it a short while ago. BlueZ tells nobody who made
/// one, and after Disconnect lets two seconds pass before it begins to end it: whoever connects meanwhile is told that
/// the connection is there.
struct OwnConnection {
  private struct Place: Hashable, Sendable {
    /// The bus' address; nil: the system's.
    let bus: String?
    /// The device's object.
    let device: String
  }
  private struct Deed: Sendable {
    var made = Int64.min / 2
    var ended = Int64.min / 2
  }

  /// How long BlueZ may take to end a connection: two seconds and up to one more by its timer, then the radio.
  private static let ending: Int64 = 4_000_000_000
  /// Whom a connection was made for takes it over at once; a later one may be somebody else's.
  private static let handover: Int64 = 10_000_000_000
  private static let deeds = Mutex<[Place: Deed]>([:])

  private let place: Place

  init(_ bus: SystemBus, device: String) { place = Place(bus: bus.address, device: device) }

  /// It was made for another part of this process, after the end of the one before.
  func wasMade() { Self.deeds.withLock { $0[place] = Deed(made: BootClock.now) } }

  /// True once where another part of this process made it.
  func takeOver() -> Bool {
    Self.deeds.withLock { deeds in
      guard let made = deeds[place]?.made else { return false }
      deeds[place]?.made = .min / 2
      return BootClock.now - made < Self.handover
    }
  }

  /// BlueZ was asked to end it.
  func wasEnded() { Self.deeds.withLock { $0[place, default: Deed()].ended = BootClock.now } }

  /// When it is over at the latest, a moment of ``BootClock``; nil: this process has not asked for its end, or long ago.
  var isOver: Int64? {
    let moment = Self.deeds.withLock { $0[place] }.map { $0.ended + Self.ending }
    return moment.flatMap { $0 > BootClock.now ? $0 : nil }
  }
}
