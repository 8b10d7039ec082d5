import FleetDomain
import Testing

@testable import FleetConnectors

/// The samples of machines by ISO 15143-3. The expected records were written from the standard: hours are stored in
/// seconds, volumes in litres, distances in km.
@Suite struct AEMPMappingTests {
  private static func fleet(_ file: String) throws -> (PulledPage, next: String?) {
    try AEMPMapping.fleet(try Sample.bytes("aemp/\(file)"))
  }

  private static let bell = "BELL AEBA850EC03500001"

  @Test func each_section_has_its_own_time() throws {
    let (page, next) = try Self.fleet("bell_fleet_snapshot_no_namespace.xml")
    let head = "2026-08-21T16:12:44.000Z \(Self.bell)"
    #expect(
      page.lines == [
        #"\#(head) cumulativeidlehours {"idleHours":3808.96}"#,
        #"\#(head) cumulativeloadcount {"loadCount":13252}"#,
        #"\#(head) cumulativeoperatinghours {"totalEngineRunTime":30154320}"#,
        #"\#(head) cumulativepayloadtotals {"payloadTotal":596361594}"#,
        #"\#(head) defremaining {"defLevel":47}"#,
        #"\#(head) distance {"odometer":70439}"#,
        #"\#(head) enginestatus 1 {"engineState":"on"}"#,
        #"\#(head) fuelremaining {"fuelLevel":63}"#,
        #"\#(head) fuelused {"totalFuelUsed":149529}"#,
        #"\#(head) location {"latitude":-25.0234,"longitude":27.9384}"#,
      ])
    #expect(
      page.meters == [
        "2026-08-21T16:12:44.000Z \(Self.bell) engineHours 8376.2",
        "2026-08-21T16:12:44.000Z \(Self.bell) odometer 70439.0",
      ])
    #expect(next == nil && page.ignored.isEmpty)
    var asset = PulledAsset(Self.bell)
    (asset.serial, asset.vin, asset.name) = ("AEBA850EC03500001", "AEBA850EC03500001", "ASA B50E#9823")
    (asset.make, asset.model) = ("BELL", "B50E")
    #expect(page.assets == [asset])
  }

  @Test func values_may_be_attributes_of_the_machine() throws {
    let (page, _) = try Self.fleet("bell_fleet_attribute_style.xml")
    let head = "2026-06-02T11:14:14.000Z BELL AEBA850EC03500002"
    #expect(
      page.lines == [
        #"\#(head) location {"latitude":-25.0231,"longitude":27.9387}"#,
        #"\#(head) cumulativeoperatinghours {"totalEngineRunTime":30154320}"#,
        #"\#(head) cumulativeidlehours {"idleHours":3808.96}"#,
        #"\#(head) cumulativeloadcount {"loadCount":13252}"#,
        #"\#(head) cumulativepayloadtotals {"payloadTotal":544671588}"#,
        #"\#(head) fuelremaining {"fuelLevel":22}"#,
        #"\#(head) enginestatus {"engineState":"on"}"#,
      ])
  }

  @Test func durations_of_the_older_version_are_hours() throws {
    let (page, _) = try Self.fleet("deere_aemp12_legacy_iso_durations.xml")
    // 13 days, 25 minutes and 59.999 seconds.
    #expect(
      page.lines == [
        "2011-10-27T10:01:37.000Z JOHN DEERE Z29F117415 cumulativeoperatinghours "
          + #"{"totalEngineRunTime":1124759.999}"#,
        #"2015-12-31T00:00:00.000Z JOHN DEERE Z29F117415 fuelused {"totalFuelUsed":1803}"#,
        #"2011-10-27T10:01:37.000Z JOHN DEERE Z29F117415 location {"latitude":41.6349,"longitude":-93.7758}"#,
      ])
    #expect(AEMPMapping.hours(duration: "PT13H30M") == 13.5 && AEMPMapping.hours(duration: "P1W") == 168)
    for wrong in ["P", "PT", "P1Y", "P1M", "13", "PT5", "P1H", "-P1D"] {
      #expect(AEMPMapping.hours(duration: wrong) == nil, "\(wrong)")
    }
  }

  @Test func units_may_be_part_of_a_name() throws {
    let (page, _) = try Self.fleet("mix_like_json_litres_in_names.json")
    let head = "2026-01-02T03:04:05.000Z Scania YS2R4X20005399401"
    #expect(
      page.lines == [
        #"\#(head) cumulativeloadcount {"loadCount":7013}"#,
        #"\#(head) cumulativeoperatinghours {"totalEngineRunTime":151338312}"#,
        #"\#(head) distance {"odometer":10234.5}"#,
        #"\#(head) fuelused {"totalFuelUsed":74}"#,
      ])
  }

  @Test func placeholders_are_absent() throws {
    let (page, next) = try Self.fleet("takeuchi_fleet_snapshot__page1.xml")
    #expect(next == "https://api.takeuchi.example/Telematics/Fleet/0")
    #expect(page.assets.allSatisfy { $0.model != "missing" && $0.serial != "missing" && $0.vin == nil })
    let head = "Takeuchi 857161140"
    #expect(
      page.lines.filter { $0.contains(head) } == [
        #"2021-05-20T11:08:34.000Z \#(head) cumulativeoperatinghours {"totalEngineRunTime":841320}"#,
        #"2021-05-20T10:37:57.000Z \#(head) enginestatus {"engineState":"on"}"#,
        #"2021-05-20T10:53:34.000Z \#(head) fuelremaining {"fuelLevel":62.4}"#,
        #"2021-05-20T10:53:34.000Z \#(head) fuelused {"totalFuelUsed":1560}"#,
        #"2021-05-20T11:08:34.000Z \#(head) location {"altitude":258.81,"latitude":47.86709,"longitude":10.003496}"#,
      ])
  }

  @Test func each_value_of_a_machines_time_series_becomes_a_record() throws {
    let (loads, _) = try AEMPMapping.series(try Sample.bytes("aemp/bell_timeseries_load_count.xml"), of: Self.bell)
    #expect(
      loads.lines == [
        #"2026-08-20T06:00:00.000Z \#(Self.bell) cumulativeloadcount {"loadCount":13000}"#,
        #"2026-08-20T18:00:00.000Z \#(Self.bell) cumulativeloadcount {"loadCount":13050}"#,
        #"2026-08-21T06:00:00.000Z \#(Self.bell) cumulativeloadcount {"loadCount":13120}"#,
        #"2026-08-21T18:00:00.000Z \#(Self.bell) cumulativeloadcount {"loadCount":13200}"#,
      ])
    let (payload, _) = try AEMPMapping.series(
      try Sample.bytes("aemp/bell_timeseries_payload_totals.xml"), of: Self.bell)
    #expect(
      payload.records.map { $0.values["payloadTotal"] }
        == [540_000_000, 540_250_000, 540_600_000, 541_000_000]
        .map { .integer($0) })
  }

  @Test func faults_are_in_words() throws {
    let (page, _) = try AEMPMapping.series(try Sample.bytes("aemp/cat_faults_timeseries.json"), of: "unused")
    #expect(
      page.lines == [
        "2024-09-24T08:14:52.000Z CAT SYN00336 fault E360(2) "
          + #"{"descriptions":{"E360(2)":"Low Engine Oil Pressure"},"dtcCodes":["E360(2)"],"ecu":"E360(2)","#
          + #""event":"snapshot","pending":[],"permanent":[],"severity":"medium","source":"Engine #1 (0)"}"#,
        "2024-09-25T10:02:11.000Z CAT SYN00336 fault SPN110-FMI16 "
          + #"{"descriptions":{"SPN110-FMI16":"Engine Coolant Temperature : High - moderate severity (2)"},"#
          + #""dtcCodes":["SPN110-FMI16"],"ecu":"SPN110-FMI16","event":"snapshot","pending":[],"permanent":[],"#
          + #""severity":"high","source":"Engine #1 (0)"}"#,
      ])
    #expect(HeavyFault(parsing: "SPN 100 FMI 1")?.text == "engine oil pressure: below normal, most severe")
    #expect(HeavyFault(parsing: "100.1")?.code == "SPN100-FMI1" && HeavyFault(parsing: "110") == nil)
  }

  @Test func other_units_and_texts_are_converted_or_kept_out() throws {
    let text = """
      {"Fleet":{"Equipment":{"EquipmentHeader":{"OEMName":"X","SerialNumber":"1","PIN":"missing","EquipmentID":"N/A"},
      "Distance":{"datetime":"2024-01-01T00:00:00Z","OdometerUnits":"Miles","Odometer":"1000"},
      "FuelUsed":{"datetime":"2024-01-01T00:00:00Z","FuelUnits":"gallon","FuelConsumed":10},
      "FuelUsedLast24":{"datetime":"2024-01-01T00:00:00Z","FuelUnits":"buckets","FuelConsumed":10},
      "CumulativeIdleHours":{"datetime":"2024-01-01T00:00:00Z","Hour":"N/A"},
      "DEFRemaining":{"datetime":"0001-01-01T00:00:00Z","Percent":5},
      "Location":{"datetime":"2024-01-01T00:00:00Z","Latitude":0,"Longitude":0},
      "CautionCodes":{"datetime":"2024-01-01T00:00:00Z"}},"Links":[{"Next":"/Fleet/2"}]}}
      """
    let (page, next) = try AEMPMapping.fleet(Array(text.utf8))
    #expect(
      page.lines == [
        #"2024-01-01T00:00:00.000Z X 1 distance {"odometer":1609.344}"#,
        #"2024-01-01T00:00:00.000Z X 1 fuelused {"totalFuelUsed":37.854118}"#,
      ])
    #expect(
      page.ignored == [
        "fuelusedlast24 that cannot be true": 1, "cumulativeidlehours that cannot be true": 1,
        "defremaining with a time that cannot be true": 1, "location that cannot be true": 1,
        "section cautioncodes": 1,
      ])
    #expect(next == "/Fleet/2")
  }

  @Test(arguments: ["bad_doctype_entity.xml", "bad_html_login_page_with_200.xml"])
  func hostile_and_wrong_xml_is_rejected(_ file: String) throws {
    #expect(throws: ConnectorError.self) { try Self.fleet(file) }
  }
}

@Suite struct XMLReaderTests {
  private static func parse(_ text: String) throws(XMLError) -> JSON { try XMLReader.parse(Array(text.utf8)).content }

  @Test func elements_and_attributes_are_members() throws {
    let json = try Self.parse(
      """
      <?xml version="1.0"?><!-- a --><f:Fleet xmlns:f="urn:x" a='1 &amp; 2'><B>x &#65;&#x42; <![CDATA[<&>]]></B><B/>
      <c d="e">t</c></f:Fleet>
      """)
    #expect(
      json.canonicalText == #"{"a":"1 & 2","b":["x AB <&>",{}],"c":{"d":"e","text":"t"}}"#)
  }

  @Test(arguments: [
    "", "x", "<a>", "<a></b>", "<a b></a>", "<a b=1/>", "<a b=\"<\"/>", "<a>&lol;</a>", "<a>&#0;</a>",
    "<a>&#xD800;</a>",
    "<!DOCTYPE a><a/>", "<a/><b/>", "<a b='1' c='2'", "<a><!-- </a>", "<a>&#x110000;</a>", "<a><![CDATA[x</a>",
    "<a b='1'c='2'/>", "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>",
  ])
  func malformed_text_is_rejected(_ text: String) {
    #expect(throws: XMLError.self) { try Self.parse(text) }
  }

  @Test func depth_and_size_are_limited() {
    let deep = String(repeating: "<a>", count: 33) + String(repeating: "</a>", count: 33)
    #expect(throws: XMLError.self) { try Self.parse(deep) }
    let allowed = String(repeating: "<a>", count: 32) + String(repeating: "</a>", count: 32)
    #expect(throws: Never.self) { try Self.parse(allowed) }
    #expect(throws: XMLError.self) {
      try XMLReader.parse([UInt8](repeating: UInt8(ascii: " "), count: XMLReader.longest + 1))
    }
  }
}
