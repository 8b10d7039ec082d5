import FleetDomain
import Testing

@testable import FleetConnectors

/// Samsara's samples of drivers, hours of service and inspection reports.
@Suite struct SamsaraDriversTests {
  private static let now = try! Sample.time("2026-03-01T12:00:00Z")

  @Test func a_log_without_status_is_counted() throws {
    let page = try SamsaraDrivers.logs(try Sample.json("samsara/sdk_hos_logs__200.json"), at: Self.now)
    #expect(page.duties.isEmpty && page.ignored == ["log without status": 1])
    #expect(!page.isLast && page.cursor == .text("MjkY"))
  }

  @Test func drivers_have_a_name_and_an_id() throws {
    let json = try JSON(
      parsing: Array(
        #"{"data":[{"id":"1","name":"Ann","phone":"5","licenseNumber":"L","username":"a"},{"id":"2"}],"#.utf8)
        + Array(#""pagination":{"endCursor":"","hasNextPage":false}}"#.utf8))
    let page = try SamsaraDrivers.drivers(json)
    #expect(page.drivers == [PulledDriver(id: "1", name: "Ann", phone: "5", licenceNumber: "L")])
    #expect(page.isLast && page.cursor == .null && page.ignored == ["driver without id and name": 1])
  }

  @Test func a_resolved_defect_of_a_report() throws {
    let page = try SamsaraDrivers.reports(try Sample.json("samsara/sdk_dvirs_history__200.json"))
    #expect(
      page.defects == [
        PulledDefect(
          id: "18", asset: "123456789", at: try Sample.time("2020-01-27T07:06:25Z"),
          text: "Air Compressor: Air Compressor not working", isUnsafe: false, isResolved: true)
      ])
    #expect(page.meters == ["2020-01-27T07:06:25.000Z 123456789 odometer 14010.293"])
  }

  @Test func webhooks_of_reports_and_of_the_first_version() throws {
    let report = SamsaraWebhook.page(try Sample.json("samsara/webhook_stream_dvir_submitted__body.json"))
    #expect(report.assets.map(\.id) == ["281474991565165"] && report.assets.map(\.serial) == ["G7E5GM59H7"])
    #expect(report.defects.isEmpty && report.ignored.isEmpty)
    let alert = SamsaraWebhook.page(try Sample.json("samsara/webhook_v1_alert_envelope__body.json"))
    #expect(alert.assets.map(\.vin) == ["1GBJ6P1B2HV112765"] && alert.assets.map(\.serial) == ["GFRV43NVGX"])
    #expect(
      alert.lines == [
        "2020-04-22T23:11:40.000Z 1 event bf72239c-bebd-4c22-b64c-6fc692ef7c46 0 "
          + #"{"resolved":false,"text":"Truck 1 entered Yard: Vehicle entered geofence","#
          + #""url":"https://cloud.samsara.com/groups/1/fleet/reports/alerts/incidents/1"}"#
      ])
  }

  /// Pages whose lists hold no vehicles with values: they are read without a failure, and their ends are recognised.
  @Test func the_machine_list_of_samsara_is_read_as_aemp() throws {
    let (page, next) = try AEMPMapping.fleet(try Sample.bytes("samsara/sdk_aemp_fleet__200.json"))
    #expect(page.assets.map(\.vin) == ["8V8WD530FLN016251"] && next == nil)
    #expect(
      page.lines == [
        #"2019-06-13T19:08:25.000Z Bobcat 8V8WD530FLN016251 location {"latitude":12.34,"longitude":12.34}"#
      ])
  }
}
