import Telemetry

@testable import FleetAPI

/// A record in the form in which gateways send it.
struct SampleRecord {
  var type = "telemetry"
  var number: Int
  var vehicle = "VAN-1"
  var gateway = "gw-1"
  var quality = "gps"
  /// The record's time in seconds since 2026-01-01; `nil` for none.
  var second: Int?
  /// Further keys with their values.
  var rest = #""rpm":1726,"speed":48.5"#

  init(
    _ number: Int, type: String = "telemetry", vehicle: String = "VAN-1", gateway: String = "gw-1",
    quality: String = "gps", second: Int? = nil, rest: String = #""rpm":1726,"speed":48.5"#
  ) {
    self.number = number
    self.type = type
    self.vehicle = vehicle
    self.gateway = gateway
    self.quality = quality
    self.second = second
    self.rest = rest
  }

  var id: String {
    TextOf.id(UUIDv7(milliseconds: UInt64(Self.start / 1_000_000) + UInt64(number), seed: 1, number: UInt64(number)))
  }

  /// The record as one line without its line end.
  var line: String {
    let time = Timestamp(nanoseconds: Self.start + Int64(second ?? number) * 1_000_000_000)
    return #"{"type":"\#(type)","id":"\#(id)","timestamp":"\#(TextOf.time(time))","timeQuality":"\#(quality)","#
      + #""gatewayId":"\#(gateway)","vehicleId":"\#(vehicle)","epoch":"0193e0f2-7c11-7a5e-8f3b-2d1c0b9a8877","#
      + #""seq":\#(number),\#(rest)}"#
  }

  /// 2026-01-01T00:00:00Z
  static let start: Int64 = 1_767_225_600_000_000_000
}

extension Sequence<SampleRecord> {
  /// The records as JSON lines.
  var lines: [UInt8] { Array(map { $0.line + "\n" }.joined().utf8) }
}

enum TextOf {
  static func id(_ id: UUIDv7) -> String {
    let text = id.text
    return String(decoding: (0..<36).map { text[$0] }, as: UTF8.self)
  }
  static func time(_ time: Timestamp) -> String {
    let text = time.text
    return String(decoding: (0..<24).map { text[$0] }, as: UTF8.self)
  }
}
