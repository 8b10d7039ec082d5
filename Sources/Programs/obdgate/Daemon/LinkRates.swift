/// The load of an adapter's link between two statuses, or since the daemon started.
struct LinkRates {
  /// Number of commands per second while the link was open; `nil` if unknown, or if the link was not open.
  var commands: Double?
  /// The share of the open time in which a command was in progress, 0…1; `nil` if unknown, or if the link was not open.
  var use: Double?

  /// Calculates the load from the adapter's counters in a status.
  ///
  /// - Parameter before: the same adapter in an earlier status; `nil` to calculate the load since the daemon started.
  init(_ now: DaemonStatus.Adapter, since before: DaemonStatus.Adapter?) {
    guard let open = Self.difference(now.open, before?.open, isFirst: before == nil), open > 0 else { return }
    commands = Self.difference(now.commands.map(Double.init), before?.commands.map(Double.init), isFirst: before == nil)
      .map { $0 / open }
    use = Self.difference(now.busy, before?.busy, isFirst: before == nil).map { $0 / open }
  }

  /// Returns the difference between two values of a counter; `nil` if one of them is unknown, or if the counter was
  /// reset between them.
  private static func difference(_ now: Double?, _ before: Double?, isFirst: Bool) -> Double? {
    guard let now else { return nil }
    if isFirst { return now }
    guard let before, now >= before else { return nil }
    return now - before
  }
}

extension DaemonStatus {
  /// Returns the adapter of this status that has the same name and device as an adapter of another status; `nil` if
  /// there is none.
  func adapter(like wanted: Adapter) -> Adapter? {
    adapters.first { $0.name == wanted.name && $0.line.device == wanted.line.device }
  }

  /// Whether this status is later than another status of the same process.
  func isLater(than other: DaemonStatus) -> Bool {
    guard let uptime, let before = other.uptime else { return false }
    return pid == other.pid && uptime >= before
  }
}
