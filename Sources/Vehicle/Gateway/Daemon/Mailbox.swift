import Ports
import Synchronization

/// What other threads tell the daemon's own.
final class Mailbox: Sendable {
  enum News: Sendable {
    /// Listening to a device is over; nil: it could not be opened.
    case heard(Listener.Heard?, DeviceIdentity)
    case bluetooth([BluetoothDevice])
    /// Bluetooth cannot be searched; said once.
    case noBluetooth(String)
    /// A Bluetooth adapter was paired, or could not be.
    case pairing(PairingNews)
    /// An adapter has answered, or its line was refused, perhaps for want of a key.
    case key(isWanted: Bool, PortAddress)
    /// The thread that has the destination out has ended.
    case writerEnded(LineWriter.End)
    /// Nobody takes anything at any sink's end any more; after a failure, or because the last reader left.
    case sinkOver(hasFailed: Bool)
    /// Fences that a server has for this gateway.
    case fences([UInt8])
  }

  /// Rung when there is news, and by signals.
  let wakeUp: WakeUp
  private let news = Mutex<[News]>([])
  private let reloadCount = Atomic(0)

  init() throws(PortError) { wakeUp = try WakeUp() }

  /// How often the configuration was read anew.
  var reloads: Int { reloadCount.load(ordering: .acquiring) }

  /// The configuration was read anew, and is in force.
  func countReload() { reloadCount.add(1, ordering: .acquiringAndReleasing) }

  func post(_ item: News) {
    news.withLock { $0.append(item) }
    wakeUp.signal()
  }

  func take() -> [News] {
    news.withLock { news in
      defer { news = [] }
      return news
    }
  }
}
