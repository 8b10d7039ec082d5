import Telemetry
import Testing

/// Members written with a prepared name, which includes the comma and the quotes, are printed like members with a key
/// and a value.
@Suite struct JSONLineEncoderMembersTests {
  @Test func members_of_every_kind_print_as_keys_and_values_do() {
    let quick = text { line in
      line.field(JSONMemberName(",\"timestamp\":"), text: Array("2026-05-04T10:00:00.000Z".utf8).span)
      line.field(JSONMemberName(",\"fixType\":"), text: "3d")
      line.field(JSONMemberName(",\"latitude\":"), coordinate: 48.1173)
      line.field(JSONMemberName(",\"hdop\":"), 0.9)
      line.field(JSONMemberName(",\"gpsSpeed\":"), 41.4848)
      line.field(JSONMemberName(",\"remark\":"), text: "a\"b")
    }
    let plain = text { line in
      line.field("timestamp", text: Array("2026-05-04T10:00:00.000Z".utf8).span)
      line.field("fixType", text: Array("3d".utf8).span)
      line.field("latitude", 48.1173, decimals: 9)
      line.field("hdop", 0.9)
      line.field("gpsSpeed", 41.4848)
    }
    #expect(quick.hasPrefix(plain.dropLast(2)) && quick.contains(#""a\"b""#))
  }

  @Test func members_that_do_not_fit_or_are_not_finite_are_omitted() {
    var line = JSONLineEncoder(capacity: 64)
    line.begin()
    line.field(JSONMemberName(",\"altitude\":"), 1)
    line.field(JSONMemberName(",\"heading\":"), .nan)
    let fitted = !line.overflowed
    #expect(fitted)
    line.field(JSONMemberName(",\"longitude\":"), coordinate: 2)
    line.field(JSONMemberName(",\"latitude\":"), coordinate: 3)
    let overflowed = line.overflowed
    #expect(overflowed)
    line.finish()
    #expect(text(of: line) == "{\"altitude\":1}\n")
  }
}
