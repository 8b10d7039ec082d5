import GatewayLinks
import GatewayOutput
import Telemetry

/// Logs the events of adapters and receivers, one log line for each, for users who read the log instead of the records.
/// Only the record thread uses it.
///
/// A device that is lost and found repeatedly must not fill the disk. After ``burst`` lines in quick succession,
/// further events of the device are only counted, and a later line states their number.
package final class AdapterEventLog {
  /// Maximum number of log lines about one device in quick succession.
  package static let burst = 10
  /// Time after which one more line about the device may be logged, ns.
  package static let period: Int64 = 10_000_000_000

  private struct Budget {
    var lines = AdapterEventLog.burst
    var since: Int64
    var omitted = 0
  }

  /// Maximum number of devices with a limit of their own. No vehicle has so many. Further devices share one limit.
  private static let mostDevices = 32
  private var budgets: [String: Budget] = [:]
  private let write: (String, LogLevel, [JournalField]) -> Void
  private let portErrors: PortErrors?

  /// Creates the log.
  ///
  /// - Parameters:
  ///   - portErrors: the full texts of errors, which are added to the log lines about links that could not be opened;
  ///     `nil` to add none.
  ///   - write: writes a log line with its severity and fields.
  package init(portErrors: PortErrors? = nil, _ write: @escaping (String, LogLevel, [JournalField]) -> Void) {
    self.portErrors = portErrors
    self.write = write
  }

  /// Logs an event.
  ///
  /// - Parameter time: time of the event, ns since boot.
  package func log(_ record: AdapterRecord, at time: Int64) {
    // Remove the error even if no line is logged. It must not be logged with the device's next loss.
    let detail = record.event == .lost ? portErrors?.pop(record.device, record.reason) : nil
    let name = budgets[record.device] != nil || budgets.count < Self.mostDevices ? record.device : ""
    var budget = budgets[name] ?? Budget(since: time)
    let gained = max(0, time - budget.since) / Self.period
    if gained > 0 {
      budget.lines = min(Self.burst, budget.lines + Int(clamping: gained))
      budget.since += gained * Self.period
    }
    defer { budgets[name] = budget }
    guard budget.lines > 0 else {
      budget.omitted += 1
      return
    }
    budget.lines -= 1
    write(Self.text(of: record, detail, omitted: budget.omitted), Self.importance(of: record), Self.fields(of: record))
    budget.omitted = 0
  }

  private static func text(of record: AdapterRecord, _ detail: String?, omitted: Int) -> String {
    var text = "\(record.device): \(record.event.name)"
    if let count = record.count, count > 1 { text += " \(count) times" }
    if let reason = record.reason { text += ": \(reason)" }
    if let detail { text += ": \(detail)" }
    let more = [record.identity, record.protocolName, record.ecu].compactMap { $0 }
    if !more.isEmpty { text += " (\(more.joined(separator: ", ")))" }
    return omitted == 0 ? text : text + "; \(omitted) more lines about it were left out"
  }

  private static func importance(of record: AdapterRecord) -> LogLevel {
    switch record.event {
    case .lost, .error: .warning
    case .quirk: .notice
    default: .info
    }
  }

  private static func fields(of record: AdapterRecord) -> [JournalField] {
    [JournalField(.device, record.device), JournalField(.event, "\(record.event.name)")]
      + (record.reason.map { [JournalField(.reason, $0)] } ?? [])
  }
}
