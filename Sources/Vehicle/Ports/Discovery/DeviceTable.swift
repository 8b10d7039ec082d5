/// The list of current serial devices. It converts events of ``DeviceMonitor``, which may arrive twice or in another
/// order, to changes of the list.
public struct DeviceTable: Sendable {
  /// A change in the list.
  public enum Change: Hashable, Sendable {
    /// A device has been added.
    case appeared(DeviceIdentity)
    /// A device has been removed. The value has its last known properties.
    case disappeared(DeviceIdentity)
    /// A device is still at the same place, but has other links or another tag than before.
    case changed(DeviceIdentity)
  }

  /// The current devices.
  public private(set) var devices: [DeviceIdentity] = []

  /// Creates an empty list.
  public init() {}

  /// Applies an event to the list, and returns the resulting changes.
  public mutating func apply(_ event: DeviceEvent) -> [Change] {
    switch event {
    case .present(let device): return insert(device)
    case .absent(let node, let systemPath):
      // Compare both properties, because the kernel may have renamed the file or the folder.
      return remove { $0.systemPath == systemPath || $0.node == node }
    }
  }

  /// Replaces the list, and returns the resulting changes. Call this at the start and after events were lost.
  public mutating func replace(with present: [DeviceIdentity]) -> [Change] {
    let gone = remove { known in !present.contains { $0.systemPath == known.systemPath && $0.node == known.node } }
    return gone + present.flatMap { insert($0) }
  }

  /// Returns the device that has a key (``DeviceIdentity/key``); `nil` if no device or more than one device has it.
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
    // If the result is `false`, the device file now belongs to another device, and the removal of the previous device
    // was not reported.
    return known.systemPath == device.systemPath && known.key == device.key
      ? [.changed(device)] : [.disappeared(known), .appeared(device)]
  }

  private mutating func remove(_ isGone: (DeviceIdentity) -> Bool) -> [Change] {
    let gone = devices.filter(isGone)
    devices.removeAll(where: isGone)
    return gone.map { .disappeared($0) }
  }
}
