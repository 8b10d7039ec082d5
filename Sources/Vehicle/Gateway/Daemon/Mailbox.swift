import GatewayOutput
import Ports
import Synchronization

/// Messages from other threads to the daemon's main thread.
final class Mailbox: Sendable {
  enum News: Sendable {
    /// Listening to a device is over; `nil` if it could not be opened.
    case heard(Listener.Heard?, DeviceIdentity)
    case bluetooth([BluetoothDevice])
    /// Bluetooth cannot be searched; sent once.
    case noBluetooth(String)
    /// The result of pairing a Bluetooth adapter.
    case pairing(PairingNews)
    /// An adapter has answered, or its link was rejected, possibly for want of a key.
    case key(isWanted: Bool, PortAddress)
    /// The output thread has ended.
    case writerEnded(LineWriter.End)
    /// No sink can deliver any more, after a failure or because the last reader left.
    case sinkOver(hasFailed: Bool)
    /// Fences of a server for this gateway.
    case fences([UInt8])
  }

  /// Signalled by messages and by signals.
  let wakeUp: WakeUp
  private let news = Mutex<[News]>([])
  private let reloadCount = Atomic(0)

  init() throws(PortError) { wakeUp = try WakeUp() }

  /// How often the configuration was read again.
  var reloads: Int { reloadCount.load(ordering: .acquiring) }

  /// Counts a new configuration that is in force.
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
