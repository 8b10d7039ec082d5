import FleetDomain
import Testing

@Suite struct TelemetryValuesTests {
  private static func values(_ text: String) -> TelemetryValues { TelemetryValues(record: Array(text.utf8)) }

  @Test func values_are_read_from_the_record_itself() {
    var expected = TelemetryValues()
    (expected.latitude, expected.longitude, expected.rpm, expected.speed) = (47.5, -9.25, 1_726, 48.5)
    (expected.engineRunTime, expected.idleHours, expected.totalFuelUsed) = (3_618_000, 20.5, 1_514.2)
    (expected.gpsSpeed, expected.heading, expected.fuelRate, expected.odometer) = (47, 270.5, 1.5e1, 120_000.5)
    #expect(
      Self.values(
        """
        { "type" : "telemetry", "ecus":{"7E9":{"rpm":9,"speed":[8,{"speed":7}]}},"text":"\\"speed\\":6,}{",
        "latitude":47.5,"longitude":-9.25,"rpm":1726,"speed":48.5 ,"gpsSpeed":47,"heading":270.5,
        "fuelRate":1.5e1,"odometer":120000.5,"totalEngineRunTime":3618000,"idleHours":20.5,
        "totalFuelUsed":1514.2,"flag":true}
        """) == expected)
  }

  @Test func absent_and_invalid_values_are_nil() {
    #expect(Self.values(#"{"type":"telemetry"}"#) == TelemetryValues())
    #expect(Self.values("{}") == TelemetryValues())
    #expect(Self.values(#"{"latitude":91,"longitude":180.5,"rpm":"1726","speed":null}"#) == TelemetryValues())
    #expect(!Self.values(#"{"latitude":47.5}"#).hasPosition)
    #expect(Self.values(#"{"latitude":90,"longitude":-180}"#).hasPosition)
  }

  @Test func keys_with_escapes_are_found() {
    #expect(Self.values(#"{"\u0073peed":12,"rpm":3}"#).speed == 12)
    #expect(Self.values(#"{"\u0073peed":12,"rpm":3}"#).rpm == 3)
    #expect(Self.values(#"{"":1,"rpm":3}"#).rpm == 3)
  }

  @Test(arguments: [
    "latitude", "longitude", "heading", "speed", "gpsSpeed", "rpm", "fuelRate", "fuelLevel", "odometer",
    "totalEngineRunTime", "idleHours", "totalFuelUsed",
  ])
  func a_key_with_an_escape_has_the_same_value(_ key: String) {
    let plain = Self.values(#"{"\#(key)":12.5}"#)
    let escaped = Self.values(#"{"\u00\#(String(key.utf8.first!, radix: 16))\#(key.dropFirst())":12.5}"#)
    #expect(plain == escaped && plain != TelemetryValues())
  }
}
