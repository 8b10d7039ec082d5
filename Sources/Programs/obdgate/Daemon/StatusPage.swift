/// A daemon's status as text: the daemon, its problems, its links, its spool and its sinks.
struct StatusPage {
  let lines: [String]

  /// Creates the text.
  ///
  /// - Parameters:
  ///   - before: an earlier status; rates are then computed for the time since that status. `nil` to compute rates for
  ///     the time since the daemon started.
  ///   - columns: maximum length of the lines about problems; `nil` for no limit.
  init(_ now: DaemonStatus, since before: DaemonStatus? = nil, columns: Int? = nil) {
    let before = before.flatMap { now.isLater(than: $0) ? $0 : nil }
    var lines = Self.head(now)
    for trouble in now.troubles {
      let head = trouble.isSerious ? "PROBLEM  " : "note     "
      let text = LivePage.wrapped(trouble.text, to: columns.map { $0 - head.count })
      lines += text.enumerated().map { ($0 == 0 ? head : String(repeating: " ", count: head.count)) + $1 }
    }
    let parts = [
      Self.adapters(now, before), Self.receivers(now), Self.spool(now), Self.sinks(now), Self.records(now),
    ]
    for part in parts where !part.isEmpty { lines += [""] + part }
    self.lines = lines
  }

  private static func head(_ now: DaemonStatus) -> [String] {
    let process = now.pid.map { " (pid \($0))" } ?? ""
    let start = now.uptime.map { ", up \(Figures.duration($0))" } ?? ""
    // If there are several vehicles, the table of adapters states their IDs instead.
    let vehicle = hasSeveralVehicles(now) ? nil : now.vehicleId
    let who = [now.gatewayId.map { "gateway \($0)" }, vehicle.map { "vehicle \($0)" }].compactMap { $0 }
    let time = now.timestamp.map { time in "\(time)\(now.timeQuality.map { " (\($0))" } ?? "")" }
    return ["obdgated \(now.version ?? "?")\(process)\(start)"]
      + [who + [time, now.configuration].compactMap { $0 }].filter { !$0.isEmpty }.map { $0.joined(separator: ", ") }
  }

  private static func adapters(_ now: DaemonStatus, _ before: DaemonStatus?) -> [String] {
    guard !now.adapters.isEmpty else { return [] }
    let rows = now.adapters.map { adapter in
      let rates = LinkRates(adapter, since: before.flatMap { $0.adapter(like: adapter) })
      return [
        adapter.line.device, state(adapter.line), adapter.protocolName ?? "",
        rates.commands.map { "\(Figures.oneDecimal($0))/s" } ?? "", rates.use.map(Figures.percent) ?? "",
        adapter.readings.map(Figures.grouped) ?? "", age(adapter.lastReadingAge), failures(adapter),
        adapter.line.identity ?? "",
      ] + (hasSeveralVehicles(now) ? [adapter.vehicleId ?? ""] : [])
    }
    let header =
      ["ADAPTER", "STATE", "PROTOCOL", "COMMANDS", "LINK", "READINGS", "LAST", "FAILURES", "IS"]
      + (hasSeveralVehicles(now) ? ["VEHICLE"] : [])
    return TextTable.lines([header] + rows)
  }

  /// Whether the adapters are connected to different vehicles.
  private static func hasSeveralVehicles(_ now: DaemonStatus) -> Bool {
    Set(now.adapters.compactMap(\.vehicleId)).count > 1
  }

  /// Returns an adapter's failures as text: at most three kinds with their counts, the most frequent first.
  private static func failures(_ adapter: DaemonStatus.Adapter) -> String {
    let failures = adapter.failures.filter { $0.count > 0 }.sorted { $0.count > $1.count }
    let shown = failures.prefix(3).map { "\($0.name) \(Figures.grouped($0.count))" }.joined(separator: ", ")
    return failures.count > 3 ? shown + ", …" : shown
  }

  private static func receivers(_ now: DaemonStatus) -> [String] {
    guard !now.receivers.isEmpty else { return [] }
    let rows = now.receivers.map { receiver in
      [
        receiver.line.device, state(receiver.line), receiver.isChosen == true ? "yes" : "", receiver.fixType ?? "",
        receiver.satellites.map { "\($0)" } ?? "", receiver.hdop.map { Figures.oneDecimal($0) } ?? "",
        receiver.fixes.map(Figures.grouped) ?? "", age(receiver.lastFixAge),
      ]
    }
    return TextTable.lines(
      [["RECEIVER", "STATE", "CHOSEN", "FIX", "SATELLITES", "HDOP", "FIXES", "LAST"]] + rows)
  }

  private static func spool(_ now: DaemonStatus) -> [String] {
    guard let spool = now.spool else { return [] }
    let row = [
      spool.state, spool.records.map(Figures.grouped) ?? "", spool.memoryRecords.map(Figures.grouped) ?? "",
      spool.bytes.map(Figures.bytes) ?? "", age(spool.oldestAge),
    ]
    return TextTable.lines([["SPOOL", "RECORDS", "IN MEMORY", "SIZE", "OLDEST"], row])
  }

  private static func sinks(_ now: DaemonStatus) -> [String] {
    guard !now.sinks.isEmpty else { return [] }
    let rows = now.sinks.map { sink in
      [
        sink.name, sink.state, sink.delivered.map(Figures.grouped) ?? "", sink.rejected.map(Figures.grouped) ?? "",
        age(sink.lastDeliveryAge), age(sink.oldestAge),
      ]
    }
    return TextTable.lines([["SINK", "STATE", "DELIVERED", "REJECTED", "LAST", "OLDEST WAITING"]] + rows)
  }

  private static func records(_ now: DaemonStatus) -> [String] {
    let made = now.records.made.map { "\($0.name) \(Figures.grouped($0.count))" }
    let reasons = now.records.losses.map { " (\($0))" } ?? ""
    let lost = now.records.lost.map { ["lost \(Figures.grouped($0))\(reasons)"] } ?? []
    return made.isEmpty && lost.isEmpty ? [] : ["RECORDS  " + (made + lost).joined(separator: ", ")]
  }

  private static func state(_ line: DaemonStatus.Line) -> String {
    line.stateAge.map { "\(line.state) \(Figures.duration($0))" } ?? line.state
  }

  private static func age(_ seconds: Double?) -> String { seconds.map(Figures.duration) ?? "" }
}
