import FleetDomain

/// The updates that wait to be sent to the connections of one event loop. They are sent in slices, so that the event
/// loop can do other work between two slices. Tenants are served in rotation. Therefore a tenant with thousands of
/// listeners does not delay other tenants. All calls must be on the event loop.
struct DeliveryQueue {
  /// An update, with the connections that have not received it yet.
  private struct Delivery {
    let update: LiveDelivery
    var rest: ArraySlice<LiveConnection>
  }

  private struct Line {
    /// Deliveries in the order of publication.
    var deliveries: [Delivery] = []
    /// Closures to call. Each is stored with the number of the delivery after which it is called.
    var ends: [(number: Int, then: () -> Void)] = []
    var done = 0
    var added = 0
  }

  /// After this number of bytes, a slice ends.
  private static let mostBytes = 256 << 10
  /// The maximum number of connections to which one slice delivers.
  private static let mostConnections = 16

  private var lines: [TenantID: Line] = [:]
  /// Tenants with deliveries, in the order in which they are served.
  private var turns: [TenantID] = []

  var isEmpty: Bool { turns.isEmpty }

  /// Adds updates, each with the connections that receive it.
  ///
  /// - Parameter then: is called after the last update was delivered to the last connection.
  mutating func add(
    _ updates: [(LiveDelivery, [LiveConnection])], of tenant: TenantID, then: @escaping () -> Void
  ) {
    if lines[tenant] == nil { turns.append(tenant) }
    var line = lines.removeValue(forKey: tenant) ?? Line()
    for (update, connections) in updates { line.deliveries.append(Delivery(update: update, rest: connections[...])) }
    line.added += updates.count
    line.ends.append((line.added, then))
    lines[tenant] = line
  }

  /// Delivers one slice of updates to connections of the tenant that is served next.
  mutating func deliverSlice() {
    guard !turns.isEmpty else { return }
    let tenant = turns.removeFirst()
    guard var line = lines.removeValue(forKey: tenant) else { return }
    var (connections, bytes, finished) = (0, 0, 0)
    while finished < line.deliveries.count, connections < Self.mostConnections, bytes < Self.mostBytes {
      guard let connection = line.deliveries[finished].rest.popFirst() else {
        finished += 1
        continue
      }
      let update = line.deliveries[finished].update
      connection.deliver(update)
      connections += 1
      bytes += update.frames.readableBytes
    }
    while finished < line.deliveries.count, line.deliveries[finished].rest.isEmpty { finished += 1 }
    line.deliveries.removeFirst(finished)
    line.done += finished
    let done = line.done
    let ended = line.ends.prefix { $0.number <= done }
    line.ends.removeFirst(ended.count)
    if !line.ends.isEmpty {
      lines[tenant] = line
      turns.append(tenant)
    }
    for end in ended { end.then() }
  }

  /// Discards all deliveries, and calls the closures that wait for them.
  mutating func removeAll() {
    let ends = lines.values.flatMap(\.ends)
    (lines, turns) = ([:], [])
    for end in ends { end.then() }
  }
}
