/// The list of current serial devices. It converts events of ``DeviceMonitor`` to changes. Events may arrive twice or
/// in another order.
public struct DeviceTable: Sendable {
  /// A change in the list.
  public enum Change: Hashable, Sendable {
    /// A new device.
    case appeared(DeviceIdentity)
    /// A device that is gone, with its last known properties.
    case disappeared(DeviceIdentity)
    /// A device that is still at the same place, but has other links or another tag than before.
    case changed(DeviceIdentity)
  }

  /// The current devices.
  public private(set) var devices: [DeviceIdentity] = []

  /// Creates an empty list.
  public init() {}

  /// Applies an event and returns the changes.
  public mutating func apply(_ event: DeviceEvent) -> [Change] {
    switch event {
    case .present(let device): return insert(device)
    case .absent(let node, let systemPath):
      // Compare both properties, because the kernel may have renamed the file or the folder.
      return remove { $0.systemPath == systemPath || $0.node == node }
    }
  }

  /// Replaces the list after a start or after lost events, and returns the changes.
  public mutating func replace(with present: [DeviceIdentity]) -> [Change] {
    let gone = remove { known in !present.contains { $0.systemPath == known.systemPath && $0.node == known.node } }
    return gone + present.flatMap { insert($0) }
  }

  /// Returns the device that has a key; `nil` if no device or more than one has it.
  public func device(withKey key: String) -> DeviceIdentity? {
    let found = devices.filter { $0.key == key }
    return found.count == 1 ? found[0] : nil
  }

  private mutating func insert(_ device: DeviceIdentity) -> [Change] {
    guard let index = devices.firstIndex(where: { $0.node == device.node }) else {
      devices.append(device)
      return [.appeared(device)]
    }
    let known = devices[index]
    if known == device { return [] }
    devices[index] = device
    // The device file belongs to another device now. The removal of the previous device was not reported.
    return known.systemPath == device.systemPath && known.key == device.key
      ? [.changed(device)] : [.disappeared(known), .appeared(device)]
  }

  private mutating func remove(_ isGone: (DeviceIdentity) -> Bool) -> [Change] {
    let gone = devices.filter(isGone)
    devices.removeAll(where: isGone)
    return gone.map { .disappeared($0) }
  }
}
