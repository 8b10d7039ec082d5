import GatewayOutput
import Ports
import Synchronization

/// A queue of messages from other threads to the daemon's main thread.
final class Mailbox: Sendable {
  enum Message: Sendable {
    /// The result of listening to a device; `nil` if the device could not be opened.
    case listened(Listener.Result?, DeviceIdentity)
    case bluetooth([BluetoothDevice])
    /// The search for Bluetooth devices failed, for this reason. The same reason is sent only once in succession.
    case noBluetooth(String)
    /// An event of pairing a Bluetooth adapter, for example its result.
    case pairing(PairingEvent)
    /// An adapter has answered (`isWanted` is false), or it has rejected the connection and may need a key (`isWanted`
    /// is true).
    case key(isWanted: Bool, PortAddress)
    /// The output thread has ended.
    case writerEnded(LineWriter.End)
    /// No sink can deliver further records, because of a failure or because the last reader has disconnected.
    case sinkOver(hasFailed: Bool)
    /// The fences, as GeoJSON, that were fetched from a server for this gateway.
    case fences([UInt8])
  }

  /// The wake-up of the main thread. It is signalled when a message is posted, and when the process receives a signal.
  let wakeUp: WakeUp
  private let messages = Mutex<[Message]>([])
  private let reloadCount = Atomic(0)

  init() throws(PortError) { wakeUp = try WakeUp() }

  /// The number of times that a new configuration was applied.
  var reloads: Int { reloadCount.load(ordering: .acquiring) }

  /// Counts a new configuration that was applied.
  func countReload() { reloadCount.add(1, ordering: .acquiringAndReleasing) }

  func post(_ item: Message) {
    messages.withLock { $0.append(item) }
    wakeUp.signal()
  }

  func popAll() -> [Message] {
    messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
  }
}
