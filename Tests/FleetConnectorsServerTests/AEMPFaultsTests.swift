import FleetDomain
import FleetProviders
import Telemetry
import TestKit
import Testing

@testable import FleetConnectors

/// The time series of machines' faults.
@Suite struct AEMPFaultsTests {
  private static let base = "https://machines.example/iso"
  private static let now = Timestamp(nanoseconds: ConnectedFleet.start * 1_000_000)

  private static func fleet(_ machines: String, next: String = "") -> ProviderClient.Answer {
    .ok(#"{"Fleet":{"snapshotTime":"2026-03-01T12:00:00Z","Equipment":[\#(machines)],"Links":[\#(next)]}}"#)
  }

  private static func machine(_ serial: String) -> String {
    #"{"EquipmentHeader":{"OEMName":"CAT","Model":"336","SerialNumber":"\#(serial)"}}"#
  }

  private static func faults(_ serial: String, page: Int = 1) -> String {
    "\(base)/Fleet/Equipment/MakeModelSerial/CAT/336/\(serial)/Faults/2026-02-22T12:00:00.000Z/"
      + "2026-03-01T12:00:00.000Z/\(page)"
  }

  private static func series(_ code: String, next: String = "") -> ProviderClient.Answer {
    .ok(
      #"{"EquipmentHeader":{"OEMName":"CAT","Model":"336","SerialNumber":"x"},"FaultCode":[{"CodeIdentifier":"\#(code)","#
        + #""CodeSeverity":"High","Datetime":"2026-02-28T10:00:00Z"}],"Links":[\#(next)]}"#)
  }

  @Test func faults_of_each_machine_are_pulled() async throws {
    let next = #"{"rel":"next","href":"\#(Self.faults("A1", page: 2))"}"#
    let cloud = ScriptedCloud([
      "\(Self.base)/Fleet/1": [
        Self.fleet(
          [Self.machine("A1"), Self.machine("A2")].joined(separator: ","), next: #"{"rel":"next","href":"2"}"#)
      ],
      "\(Self.base)/Fleet/2": [Self.fleet(Self.machine("A3"))],
      Self.faults("A1"): [Self.series("110-16", next: next)], Self.faults("A1", page: 2): [Self.series("E360(2)")],
      // A2 has no faults, and is answered with 404.
      Self.faults("A3"): [Self.series("100.1")],
    ])
    var settings = Connector()
    (settings.service, settings.address, settings.signIn) = (.aemp, Self.base, .bearer)
    settings.readsFaults = true
    let client = ConnectorSession(
      settings: settings, secret: "s", transport: cloud, store: MemoryTokens(), now: { Self.now }
    ).client
    #expect(client.streams.map(\.name) == ["fleet", "faults"])
    let stream = try #require(client.streams.last)
    var (cursor, records, count) = (JSON.null, [PulledRecord](), 0)
    while count < 20 {
      let page = try await client.pull(stream, after: cursor)
      records += page.records
      count += 1
      #expect(page.isLast || page.cursor != cursor)
      cursor = page.cursor
      if page.isLast { break }
    }
    #expect(
      records.map { "\($0.asset) \($0.series)" } == [
        "CAT A1 fault SPN110-FMI16", "CAT A1 fault E360(2)", "CAT A3 fault SPN100-FMI1",
      ])
    #expect(
      records[0].values["descriptions"]?["SPN110-FMI16"]
        == .text("coolant temperature: above normal, moderately severe"))
    #expect(cursor == .null && count == 6)
    settings.readsFaults = false
    let other = ConnectorSession(
      settings: settings, secret: "s", transport: cloud, store: MemoryTokens(), now: { Self.now }
    ).client
    #expect(other.streams.map(\.name) == ["fleet"])
  }
}
