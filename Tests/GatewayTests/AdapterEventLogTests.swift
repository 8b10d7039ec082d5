import Telemetry
import Testing

@testable import Gateway
@testable import GatewayLinks
@testable import GatewayOutput
@testable import GatewayRecords
@testable import Ports

@Suite struct AdapterEventLogTests {
  private final class Lines {
    var texts: [String] = []
    var fields: [[JournalField]] = []
    var importance: [LogLevel] = []
  }

  private static let second: Int64 = 1_000_000_000

  private func log() -> (AdapterEventLog, Lines) {
    let lines = Lines()
    return (
      AdapterEventLog {
        lines.texts.append($0)
        lines.importance.append($1)
        lines.fields.append($2)
      }, lines
    )
  }

  @Test func an_adapter_event_is_one_log_line_with_fields() {
    let (log, lines) = log()
    log.log(
      AdapterRecord(event: .connected, device: "/dev/ttyUSB0", identity: "ELM327 v1.5", protocolName: "can11"), at: 0)
    log.log(AdapterRecord(event: .lost, device: "/dev/ttyUSB0", reason: "noAnswer"), at: 0)
    #expect(lines.texts == ["/dev/ttyUSB0: connected (ELM327 v1.5, can11)", "/dev/ttyUSB0: lost: noAnswer"])
    #expect(lines.importance == [.info, .warning])
    #expect(
      lines.fields[1] == [
        JournalField(.device, "/dev/ttyUSB0"), JournalField(.event, "lost"), JournalField(.reason, "noAnswer"),
      ])
  }

  @Test func a_failure_to_open_a_port_is_logged_once() {
    let portErrors = PortErrors()
    let lines = Lines()
    let log = AdapterEventLog(portErrors: portErrors) { text, _, _ in lines.texts.append(text) }
    portErrors.put(PortError(.busy, "/dev/ttyUSB0", "used by minicom (pid 7); end that"), of: "/dev/ttyUSB0")
    log.log(AdapterRecord(event: .found, device: "/dev/ttyUSB0"), at: 0)
    log.log(AdapterRecord(event: .lost, device: "/dev/ttyUSB1", reason: "gone"), at: 0)
    log.log(AdapterRecord(event: .lost, device: "/dev/ttyUSB0", reason: "busy"), at: 0)
    log.log(AdapterRecord(event: .lost, device: "/dev/ttyUSB0", reason: "silent"), at: 0)
    #expect(
      lines.texts == [
        "/dev/ttyUSB0: found", "/dev/ttyUSB1: lost: gone",
        "/dev/ttyUSB0: lost: busy: used by minicom (pid 7); end that", "/dev/ttyUSB0: lost: silent",
      ])
    // The reason is not that of the stored error.
    portErrors.put(PortError(.busy, "a", "used by minicom (pid 7); end that"), of: "a")
    log.log(AdapterRecord(event: .lost, device: "a", reason: "silent"), at: 0)
    log.log(AdapterRecord(event: .lost, device: "a", reason: "busy"), at: 0)
    #expect(lines.texts.suffix(2) == ["a: lost: silent", "a: lost: busy"])
  }

  @Test func events_of_a_flapping_device_are_counted_and_others_logged() {
    let (log, lines) = log()
    for number in 0..<1_000 {
      log.log(AdapterRecord(event: .lost, device: "a", reason: "gone"), at: Int64(number) * Self.second / 100)
    }
    #expect(lines.texts.count == AdapterEventLog.burst)
    log.log(AdapterRecord(event: .found, device: "b"), at: 10 * Self.second)
    #expect(lines.texts.last == "b: found")
    log.log(AdapterRecord(event: .found, device: "a"), at: 12 * Self.second)
    #expect(lines.texts.last == "a: found; 990 more lines about it were left out")
  }

  @Test func unknown_devices_use_limited_memory() {
    let (log, lines) = log()
    for number in 0..<10_000 { log.log(AdapterRecord(event: .found, device: "\(number)"), at: 0) }
    #expect(lines.texts.count < 100)
  }
}
