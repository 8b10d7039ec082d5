import GatewayOutput
import Ports
import Synchronization

/// Messages from other threads to the daemon's main thread.
final class Mailbox: Sendable {
  enum Message: Sendable {
    /// The result of listening to a device; `nil` if it could not be opened.
    case listened(Listener.Result?, DeviceIdentity)
    case bluetooth([BluetoothDevice])
    /// Bluetooth cannot be searched. Sent once.
    case noBluetooth(String)
    /// The result of pairing a Bluetooth adapter.
    case pairing(PairingEvent)
    /// An adapter has answered, or it rejected the link and possibly needs a key.
    case key(isWanted: Bool, PortAddress)
    /// The output thread has ended.
    case writerEnded(LineWriter.End)
    /// No sink can deliver any more, after a failure or because the last reader left.
    case sinkOver(hasFailed: Bool)
    /// Fences that a server sent for this gateway.
    case fences([UInt8])
  }

  /// Signalled by messages and by signals.
  let wakeUp: WakeUp
  private let messages = Mutex<[Message]>([])
  private let reloadCount = Atomic(0)

  init() throws(PortError) { wakeUp = try WakeUp() }

  /// Number of times that the configuration was read again.
  var reloads: Int { reloadCount.load(ordering: .acquiring) }

  /// Counts a new configuration that was applied.
  func countReload() { reloadCount.add(1, ordering: .acquiringAndReleasing) }

  func post(_ item: Message) {
    messages.withLock { $0.append(item) }
    wakeUp.signal()
  }

  func take() -> [Message] {
    messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
