import FleetDomain
import Testing

@testable import FleetConnectors

/// The samples of Samsara. The expected records were written from its documentation: odometers are in metres, speeds in
/// mph (1.609344 km/h).
@Suite struct SamsaraMappingTests {
  @Test func a_page_of_the_feed_has_arrays() throws {
    let page = try SamsaraMapping.feed(try Sample.json("samsara/stats_feed_engine_odo__page1.json"))
    #expect(
      page.lines == [
        #"2020-07-03T02:11:51.000Z 281474977075805 engineStates {"engineState":"off"}"#,
        #"2020-07-03T02:11:51.000Z 281474977075805 fuelPercents {"fuelLevel":54}"#,
        #"2020-07-03T02:11:50.000Z 281474977075805 obdOdometerMeters {"odometer":386814.875}"#,
      ])
    #expect(page.meters == ["2020-07-03T02:11:50.000Z 281474977075805 odometer 386814.875"])
    #expect(page.isLast && page.cursor == .text("abcdefg") && page.ignored.isEmpty)
    #expect(page.assets.map(\.name) == ["Little Red"] && page.assets.map(\.serial) == ["GFRV43NVGX"])
  }

  @Test func the_feed_continues_after_its_last_cursor() throws {
    let second = try SamsaraMapping.feed(try Sample.json("samsara/stats_feed_engine_odo__page2_after_abcdefg.json"))
    #expect(second.records.count == 5 && !second.isLast && second.cursor == .text("hijklmnop"))
    let third = try SamsaraMapping.feed(
      try Sample.json("samsara/stats_feed_engine_odo__page3_after_hijklmnop_empty.json"), after: .text("hijklmnop"))
    #expect(third.records.isEmpty && third.isLast && third.cursor == .text("qrstuvwxyz"))
    let silent = try JSON(parsing: Array(#"{"data":[],"pagination":{"endCursor":"","hasNextPage":false}}"#.utf8))
    #expect(try SamsaraMapping.feed(silent, after: .text("kept")).cursor == .text("kept"))
  }

  @Test func decorations_belong_to_their_value() throws {
    let page = try SamsaraMapping.feed(try Sample.json("samsara/stats_feed_gps_decorations__page1.json"))
    #expect(
      page.lines == [
        #"2020-01-27T07:06:25.000Z 281474977075805 gps {"engineState":"on","fuelLevel":54,"heading":120,"#
          + #""latitude":37.7749,"longitude":-122.142,"odometer":14010.293,"speed":77.731315}"#
      ])
  }

  @Test func a_snapshot_has_objects_with_singular_names() throws {
    let page = try SamsaraMapping.feed(try Sample.json("samsara/stats_snapshot_gps_engine_fuel__page1.json"))
    #expect(
      page.lines == [
        #"2026-03-01T14:00:00.000Z 281474977075805 engineStates {"engineState":"on"}"#,
        #"2026-03-01T14:00:00.000Z 281474977075805 fuelPercents {"fuelLevel":64}"#,
        #"2026-03-01T14:00:00.000Z 281474977075805 gps {"heading":120,"latitude":37.7749,"longitude":-122.4194,"#
          + #""speed":77.731315}"#,
        #"2026-03-01T14:01:00.000Z 281474977075806 gps {"gpsSpeed":0,"heading":0,"latitude":34.05,"longitude":-118.24}"#,
      ])
    // The check of a VIN is only that of its characters; the one of Truck 1 is one.
    #expect(page.assets.map(\.vin) == ["1FUJA6CV77LSYNTH1", nil, nil])
  }

  @Test func a_distance_by_gps_is_not_the_odometer() throws {
    let page = try SamsaraMapping.feed(try Sample.json("samsara/stats_snapshot_odometer__page1.json"))
    #expect(
      page.lines == [
        #"2026-03-01T13:59:00.000Z 281474977075805 gpsOdometerMeters {"gpsOdometer":0.099}"#,
        #"2026-03-01T13:59:00.000Z 281474977075805 obdOdometerMeters {"odometer":120500.3}"#,
        #"2026-03-01T13:58:00.000Z 281474977075806 gpsDistanceMeters {"gpsDistance":81.029591}"#,
        #"2026-03-01T13:58:00.000Z 281474977075806 gpsOdometerMeters {"gpsOdometer":88000}"#,
        #"2026-03-01T13:58:00.000Z 281474977075808 obdOdometerMeters {"odometer":0.005}"#,
      ])
    #expect(page.readings.count == 2)
  }

  @Test func trouble_codes_have_their_control_unit_and_description() throws {
    let page = try SamsaraMapping.feed(try Sample.json("samsara/stats_snapshot_fault_codes_obdii__page1.json"))
    #expect(
      page.lines == [
        #"2024-08-21T19:37:12.000Z 281474991565165 faultCodes 7E8 {"descriptions":{"P0087":"#
          + #""Fuel Rail/System Pressure - Too Low Bank 1"},"dtcCodes":["P0087"],"ecu":"7E8","event":"snapshot","#
          + #""mil":true,"pending":[],"permanent":[]}"#
      ])
    #expect(page.records.map(\.type) == ["dtc"])
  }

  @Test func faults_of_trucks_are_in_words() throws {
    let text = """
      {"data":[{"id":"1","faultCodes":{"time":"2024-08-21T19:37:12Z","j1939":{"checkEngineLights":{"stopIsOn":true},
      "diagnosticTroubleCodes":[{"spnId":110,"fmiId":16,"txId":0},
      {"spnId":520300,"fmiId":5,"txId":0,"spnDescription":"Crane","fmiDescription":"Open circuit"},{"spnId":9}]}}}],
      "pagination":{"endCursor":"","hasNextPage":false}}
      """
    let page = try SamsaraMapping.feed(try JSON(parsing: Array(text.utf8)))
    #expect(
      page.records.map { JSON.object($0.values).canonicalText } == [
        #"{"descriptions":{"SPN110-FMI16":"coolant temperature: above normal, moderately severe","#
          + #""SPN520300-FMI5":"Crane: Open circuit"},"dtcCodes":["SPN110-FMI16","SPN520300-FMI5"],"ecu":"0","#
          + #""event":"snapshot","mil":true,"pending":[],"permanent":[]}"#
      ])
    #expect(page.ignored == ["trouble code without SPN and FMI": 1])
  }

  @Test func vehicles_have_what_the_list_says() throws {
    let page = try SamsaraMapping.vehicles(try Sample.json("samsara/sdk_vehicles_list__200.json"))
    var asset = PulledAsset("494123")
    (asset.vin, asset.serial, asset.name) = ("1GBJ6P1B2HV112765", "VG12345", "Fleet Truck #1")
    (asset.make, asset.model, asset.modelYear, asset.licencePlate) = ("Ford", "F150", 2008, "6SAM123")
    #expect(page.assets == [asset] && !page.isLast && page.cursor == .text("MjkY"))
    let last = try SamsaraMapping.vehicles(try Sample.json("samsara/fp_vehicles__terminal_response.json"))
    #expect(last.isLast && last.cursor == .null && last.assets.map(\.vin) == ["4SYNTHV1N00000020"])
    let plain = try SamsaraMapping.vehicles(try Sample.json("samsara/fp_vehicles__page_response.json"))
    #expect(plain.assets.prefix(3).allSatisfy { $0.vin == nil && $0.serial == nil })
  }

  @Test func values_that_cannot_be_true_are_kept_out_and_counted() throws {
    let text = """
      {"data":[{"id":"1","gps":[{"time":"2024-01-01T00:00:00Z","latitude":122.142,"longitude":-93.3},
      {"time":"2024-01-01T00:00:01Z","latitude":0,"longitude":0},{"latitude":1,"longitude":1},
      {"time":"1970-01-20T06:39:05Z","latitude":1,"longitude":1}],"fuelPercents":[{"time":"2024-01-01T00:00:00Z",
      "value":140}],"spreaderActive":[{"time":"2024-01-01T00:00:00Z","value":"x"}]},{"name":"no id"}],
      "pagination":{"endCursor":"a","hasNextPage":false}}
      """
    let page = try SamsaraMapping.feed(try JSON(parsing: Array(text.utf8)))
    #expect(page.records.isEmpty)
    #expect(
      page.ignored == [
        "gps that cannot be true": 2, "value without a time": 2, "fuelPercents that cannot be true": 1,
        "field spreaderActive": 1, "vehicle without id": 1,
      ])
  }

  @Test func an_answer_of_another_kind_is_an_error() throws {
    #expect(throws: ConnectorError.self) { try SamsaraMapping.feed(try Sample.json("samsara/errors__401.json")) }
  }
}
