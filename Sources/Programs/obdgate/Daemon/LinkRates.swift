/// How busy an adapter's line is: between two answers of the daemon, or since it started.
struct LinkRates {
  /// Commands a second while the line was open; nil: not known, or it was not open.
  var commands: Double?
  /// The share of that time in which a command was under way: 0…1.
  var use: Double?

  /// - Parameter before: the same adapter in the answer before; nil: since the daemon started.
  init(_ now: DaemonStatus.Adapter, since before: DaemonStatus.Adapter?) {
    guard let open = Self.difference(now.open, before?.open, isFirst: before == nil), open > 0 else { return }
    commands = Self.difference(now.commands.map(Double.init), before?.commands.map(Double.init), isFirst: before == nil)
      .map { $0 / open }
    use = Self.difference(now.busy, before?.busy, isFirst: before == nil).map { $0 / open }
  }

  /// nil: one of them is not known, or it has counted anew meanwhile.
  private static func difference(_ now: Double?, _ before: Double?, isFirst: Bool) -> Double? {
    guard let now else { return nil }
    if isFirst { return now }
    guard let before, now >= before else { return nil }
    return now - before
  }
}

extension DaemonStatus {
  /// The same adapter in another answer of the same daemon.
  func adapter(like wanted: Adapter) -> Adapter? {
    adapters.first { $0.name == wanted.name && $0.line.device == wanted.line.device }
  }

  /// Whether another answer is from the same start of the same daemon.
  func isLater(than other: DaemonStatus) -> Bool {
    guard let uptime, let before = other.uptime else { return false }
    return pid == other.pid && uptime >= before
  }
}
