import FleetDomain

/// Updates on their way to the connections of one event loop: in slices, between which the loop does its other work, and in
/// turn between tenants, so that a tenant with thousands of listeners holds up nobody else. Only ever touched on the loop.
struct DeliveryQueue {
  /// An update, and the connections that have not been given it.
  private struct Delivery {
    let update: LiveUpdate
    var rest: ArraySlice<LiveConnection>
  }

  private struct Line {
    /// In the order in which they were published.
    var deliveries: [Delivery] = []
    /// Called when all of `deliveries` up to a number are done.
    var ends: [(number: Int, then: () -> Void)] = []
    var done = 0
    var added = 0
  }

  /// Of one slice.
  private static let mostBytes = 256 << 10
  private static let mostConnections = 16

  private var lines: [TenantID: Line] = [:]
  /// Tenants that have a line, the next first.
  private var turns: [TenantID] = []

  var isEmpty: Bool { turns.isEmpty }

  /// - Parameter then: called when the last connection has been given the last update.
  mutating func add(
    _ updates: [(LiveUpdate, [LiveConnection])], of tenant: TenantID, then: @escaping () -> Void
  ) {
    if lines[tenant] == nil { turns.append(tenant) }
    var line = lines.removeValue(forKey: tenant) ?? Line()
    for (update, connections) in updates { line.deliveries.append(Delivery(update: update, rest: connections[...])) }
    line.added += updates.count
    line.ends.append((line.added, then))
    lines[tenant] = line
  }

  /// Delivers a slice of the tenant that is next.
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

  /// Ends all deliveries where they are.
  mutating func removeAll() {
    let ends = lines.values.flatMap(\.ends)
    (lines, turns) = ([:], [])
    for end in ends { end.then() }
  }
}
