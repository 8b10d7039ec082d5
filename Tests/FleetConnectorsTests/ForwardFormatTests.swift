import FleetAccess
import FleetDomain
import FleetProviders
import Telemetry
import Testing

@testable import FleetConnectors

/// Records in the formats of other programs. The expected texts were written from the descriptions of these formats.
@Suite struct ForwardFormatTests {
  private static func record(_ values: String, vehicle: String = "VAN 1", time: String = "2024-11-01T10:40:00Z") throws
    -> ForwardedRecord
  {
    let body = #"{"type":"telemetry","seq":1,"vehicleId":"x","gatewayId":"gw-1",\#(values)}"#
    let stored = StoredRecord(
      vehicle: vehicle, recordClass: .known(.telemetry), id: UUIDv7(milliseconds: 1, first: 1, rest: 1),
      time: try Sample.time(time), quality: .gps, body: Array(body.utf8))
    return try #require(ForwardedRecord(stored))
  }

  private static let now = Timestamp(nanoseconds: 1_730_457_700_000_000_000)

  @Test func influx_has_one_line_for_each_record() throws {
    let records = [
      try Self.record(#""speed":50,"mil":false,"fuelType":"a \"b\"","dtcCodes":[]"#),
      try Self.record(#""dtcCodes":[]"#), try Self.record(#""rpm":1726.5"#, vehicle: "A=1,2"),
    ]
    let request = try #require(
      Forward.Format.influx.request(records, to: "https://x", key: .header("Authorization: Token t"), at: Self.now))
    #expect(
      String(decoding: request.body ?? [], as: UTF8.self) == """
        telemetry,vehicle=VAN\\ 1 fuelType="a \\"b\\"",mil=false,speed=50.0 1730457600000000000
        telemetry,vehicle=A\\=1\\,2 rpm=1726.5 1730457600000000000
        """)
    #expect(request.headers.contains("Authorization: Token t"))
  }

  @Test func repeated_webhooks_have_the_same_id_and_body() throws {
    let signature = try #require(WebhookSignature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"))
    let records = [try Self.record(#""speed":50"#), try Self.record(#""rpm":1726.5"#, time: "2024-11-01T10:41:00Z")]
    func request(_ records: [ForwardedRecord], _ seconds: Int64) throws -> ProviderClient.Request {
      try #require(
        Forward.Format.webhook.request(
          records, to: "https://x", key: .signature(signature), at: Self.now.adding(seconds: Int(seconds))))
    }
    let (first, again) = (try request(records, 0), try request(records, 60))
    #expect(first.body == again.body && first.headers[0] == again.headers[0] && first.headers[2] != again.headers[2])
    #expect(first.headers[0].hasPrefix("webhook-id: msg_") && first.headers[1] == "webhook-timestamp: 1730457700")
    #expect(try request([records[0]], 0).headers[0] != first.headers[0])
    let json = try JSON(parsing: first.body ?? [])
    #expect(json["type"] == .text("telemetry") && json["timestamp"] == .text("2024-11-01T10:41:00.000Z"))
    let sent = json["data"]?["records"]?.elements ?? []
    #expect(sent.count == 2 && sent[0]["vehicleId"] == .text("VAN 1"))
    #expect(sent[0]["values"] == .object(["speed": .integer(50)]))
  }

  @Test func traccar_has_knots_and_metres() throws {
    let record = try Self.record(#""latitude":48.2,"longitude":16.4,"speed":92.6,"heading":10,"odometer":12.5"#)
    let json = try #require(TraccarPosition.json(record, at: Self.now))
    #expect(json["position"]?["speed"] == .integer(50) && json["position"]?["course"] == .integer(10))
    #expect(json["position"]?["fixTime"] == .text("2024-11-01T10:40:00.000Z"))
    #expect(json["position"]?["attributes"]?["odometer"] == .integer(12_500))
    #expect(json["device"]?["uniqueId"] == .text("VAN 1"))
    #expect(json["device"]?["id"] == json["position"]?["deviceId"])
    #expect(TraccarPosition.json(try Self.record(#""speed":5"#), at: Self.now) == nil)
  }

  /// One sample 50 at 1730457600000 ms of `fleet_speed{vehicle="V"}`, encoded by hand.
  @Test func prometheus_is_protobuf_in_snappy() throws {
    let body = try #require(RemoteWrite.body([try Self.record(#""speed":50,"fuelType":"x""#, vehicle: "V")]))
    let labels: [UInt8] =
      [0x0A, 23, 0x0A, 8] + Array("__name__".utf8) + [0x12, 11] + Array("fleet_speed".utf8) + [0x0A, 12, 0x0A, 7]
      + Array("vehicle".utf8) + [0x12, 1] + Array("V".utf8)
    // 50 is 0x4049000000000000, and the time is 0x192E7610A00 in groups of seven bits.
    let time: [UInt8] = varint(1_730_457_600_000)
    let sample: [UInt8] = [0x09, 0, 0, 0, 0, 0, 0, 0x49, 0x40, 0x10] + time
    let series = labels + [0x12, UInt8(sample.count)] + sample
    let message = [0x0A, UInt8(series.count)] + series
    #expect(body == [UInt8(message.count), 61 << 2, UInt8(message.count - 1), 0] + message)
    #expect(RemoteWrite.body([try Self.record(#""fuelType":"x""#)]) == nil)
  }

  private func varint(_ number: UInt64) -> [UInt8] {
    var (rest, bytes): (UInt64, [UInt8]) = (number, [])
    while rest > 127 {
      bytes.append(UInt8(rest % 128 + 128))
      rest /= 128
    }
    return bytes + [UInt8(rest)]
  }
}

/// Samsara's webhooks, with its vectors of signatures.
@Suite struct SamsaraWebhookTests {
  @Test(arguments: [
    ("good", true), ("bad_body_reformatted", false), ("bad_secret_not_decoded", false), ("sdk_helper", false),
  ])
  func only_a_correctly_signed_webhook_is_accepted(_ name: String, _ isRight: Bool) throws {
    let vector = try Sample.json("samsara/webhook_signature_\(name)__vector.json")
    guard let secret = vector["secretBase64"]?.textValue, let body = vector["rawBody"]?.textValue,
      let signature = vector["signatureHeader"]?.textValue
    else { return #expect(!isRight) }
    let timestamp = vector["timestamp"]?.identifier ?? ""
    let signed = Timestamp(nanoseconds: (Int64(timestamp) ?? 0) * 1_000_000_000)
    func check(after seconds: Int64) -> Bool {
      SamsaraWebhook.isSigned(
        Array(body.utf8), secret: secret, signature: signature, timestamp: timestamp,
        at: Timestamp(nanoseconds: signed.nanoseconds + seconds * 1_000_000_000))
    }
    #expect(check(after: 0) == isRight)
    #expect(!check(after: 301) && !check(after: -301), "an old signature")
  }

  @Test func events_become_assets_and_records() throws {
    let created = SamsaraWebhook.page(try Sample.json("samsara/webhook_v2_vehicle_created__body.json"))
    #expect(created.assets.map(\.vin) == ["1GBJ6P1B2HV112765"] && created.records.isEmpty)
    let alert = SamsaraWebhook.page(try Sample.json("samsara/webhook_v2_alert_incident_harsh__body.json"))
    #expect(
      alert.lines == [
        #"2026-05-22T15:00:00.000Z v9 event abc-1 0 {"text":"Harsh event","#
          + #""url":"https://cloud.samsara.com/o/1/fleet/x/1747929600000"}"#
      ])
    // This event has no time.
    let entry = SamsaraWebhook.page(try Sample.json("samsara/webhook_stream_geofence_entry__body.json"))
    #expect(entry.records.isEmpty && entry.ignored == ["event without a time": 1])
    let deleted = SamsaraWebhook.page(try Sample.json("samsara/webhook_v2_address_deleted__body.json"))
    #expect(deleted.records.isEmpty && deleted.ignored.count == 1)
  }
}
