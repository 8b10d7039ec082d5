/// The load of an adapter's link, between two responses of the daemon or since the daemon started.
struct LinkRates {
  /// Commands per second while the link was open; `nil` if unknown, or if it was not open.
  var commands: Double?
  /// Fraction of that time in which a command was in progress, 0…1.
  var use: Double?

  /// - Parameter before: the same adapter in the previous response; `nil` for the rates since the daemon started.
  init(_ now: DaemonStatus.Adapter, since before: DaemonStatus.Adapter?) {
    guard let open = Self.difference(now.open, before?.open, isFirst: before == nil), open > 0 else { return }
    commands = Self.difference(now.commands.map(Double.init), before?.commands.map(Double.init), isFirst: before == nil)
      .map { $0 / open }
    use = Self.difference(now.busy, before?.busy, isFirst: before == nil).map { $0 / open }
  }

  /// Returns the difference of two counts; `nil` if one of them is unknown, or if the count has restarted in between.
  private static func difference(_ now: Double?, _ before: Double?, isFirst: Bool) -> Double? {
    guard let now else { return nil }
    if isFirst { return now }
    guard let before, now >= before else { return nil }
    return now - before
  }
}

extension DaemonStatus {
  /// Returns the same adapter in another response of the same daemon.
  func adapter(like wanted: Adapter) -> Adapter? {
    adapters.first { $0.name == wanted.name && $0.line.device == wanted.line.device }
  }

  /// Whether this is a later response of the process that gave the other one.
  func isLater(than other: DaemonStatus) -> Bool {
    guard let uptime, let before = other.uptime else { return false }
    return pid == other.pid && uptime >= before
  }
}
