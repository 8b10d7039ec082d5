/// Which serial devices are there, kept up with what ``DeviceMonitor`` says: turns its events into news that concern
/// somebody, whatever their order and however often they are told.
public struct DeviceTable: Sendable {
  /// What has changed.
  public enum Change: Hashable, Sendable {
    /// A device that was not there.
    case appeared(DeviceIdentity)
    /// A device that was there; as it was known.
    case disappeared(DeviceIdentity)
    /// The same device in the same place, with other names or another tag.
    case changed(DeviceIdentity)
  }

  /// Those that are there.
  public private(set) var devices: [DeviceIdentity] = []

  public init() {}

  /// Takes one event in.
  public mutating func apply(_ event: DeviceEvent) -> [Change] {
    switch event {
    case .present(let device): return insert(device)
    case .absent(let node, let systemPath):
      // By one or the other: a message may carry one that the kernel has renamed.
      return remove { $0.systemPath == systemPath || $0.node == node }
    }
  }

  /// Takes a whole list in, after a start or after events were missed.
  public mutating func replace(with present: [DeviceIdentity]) -> [Change] {
    let gone = remove { known in !present.contains { $0.systemPath == known.systemPath && $0.node == known.node } }
    return gone + present.flatMap { insert($0) }
  }

  /// The device whose identity is that key; nil where it is not there, or where two claim to be it.
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
    // The same name on another place: the one that had it is gone, and its going was not told.
    return known.systemPath == device.systemPath && known.key == device.key
      ? [.changed(device)] : [.disappeared(known), .appeared(device)]
  }

  private mutating func remove(_ isGone: (DeviceIdentity) -> Bool) -> [Change] {
    let gone = devices.filter(isGone)
    devices.removeAll(where: isGone)
    return gone.map { .disappeared($0) }
  }
}
