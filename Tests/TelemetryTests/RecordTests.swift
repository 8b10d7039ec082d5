import Foundation
import Telemetry
import Testing

@Suite struct RecordTests {
  private func head(_ type: RecordType, time: RecordTime = .elapsed(nanoseconds: 1_500_000_000)) -> RecordHead {
    RecordHead(
      type: type, id: UUIDv7(milliseconds: 1_500, first: 1, rest: 2), time: time, gatewayId: "gw-17",
      vehicleId: "VAN-001", epoch: UUIDv7(milliseconds: 0, first: 3, rest: 4), sequence: 12)
  }

  private func line<Body: RecordBody>(_ body: Body) -> String {
    var line = JSONLineEncoder()
    line.record(head(Body.type), body)
    return text(of: line)
  }

  /// Returns the keys after the head, as text.
  private func body<Body: RecordBody>(_ body: Body) throws -> String {
    let line = line(body)
    let start = try #require(line.range(of: "\"seq\":12,"))
    return String(line[start.upperBound...].dropLast(2))
  }

  @Test func the_head_stands_in_its_order() {
    let moment = RecordTime.wall(Timestamp(nanoseconds: 1_734_507_666_250_000_000), .gps)
    let line = text { line in head(.telemetry, time: moment).write(to: &line) }
    #expect(
      line == #"{"type":"telemetry","id":"00000000-05dc-7001-8000-000000000002","#
        + #""timestamp":"2024-12-18T07:41:06.250Z","timeQuality":"gps","gatewayId":"gw-17","vehicleId":"VAN-001","#
        + #""epoch":"00000000-0000-7003-8000-000000000004","seq":12}"# + "\n")
  }

  @Test func without_a_date_elapsed_stands_in_place_of_the_timestamp() {
    let line = text { line in head(.gap).write(to: &line) }
    #expect(line.contains(#""elapsed":1.5,"timeQuality":"unset","gatewayId""#))
    #expect(!line.contains("timestamp"))
  }

  @Test func a_vehicle_record_has_all_known_values() throws {
    var record = VehicleRecord(vin: "1FTFW1ET9DFC10312", vinValid: true)
    record.make = "Ford"
    record.modelYear = 2013
    var ecu = VehicleRecord.ECU(address: "7E8")
    ecu.calibrations = [.init(id: "DL3A-14C204", cvn: "1A2B3C4D"), .init(id: nil, cvn: "00000000")]
    ecu.supportedPids = ["0104", "010C"]
    record.ecus = [ecu]
    record.fuelType = .text("gasoline")
    #expect(
      try body(record) == #""vin":"1FTFW1ET9DFC10312","vinValid":true,"make":"Ford","modelYear":2013,"#
        + #""ecus":[{"address":"7E8","calibrations":[{"id":"DL3A-14C204","cvn":"1A2B3C4D"},{"cvn":"00000000"}],"#
        + #""supportedPids":["0104","010C"]}],"fuelType":"gasoline""#)
  }

  @Test func trouble_codes_come_with_their_freeze_frame() throws {
    var record = DTCRecord(ecu: "7E8", event: .appeared)
    record.stored = ["P0420"]
    record.pending = []
    record.changed = ["P0420"]
    record.mil = true
    record.freezeFrame = .init(
      frame: 0, dtc: "P0420",
      readings: [NamedValue("rpm", .number(1726)), NamedValue("fuelSystemStatus", .text("closed loop"))])
    #expect(
      try body(record) == #""ecu":"7E8","event":"appeared","dtcCodes":["P0420"],"pending":[],"changed":["P0420"],"#
        + #""mil":true,"freezeFrame":{"frame":0,"dtc":"P0420","readings":{"rpm":1726,"fuelSystemStatus":"closed loop"}}"#
    )
  }

  @Test func monitors_are_listed_by_name() throws {
    var record = MonitorsRecord(ecu: "7E8", ignition: .spark, scope: .sinceClear)
    record.complete = ["misfire"]
    record.incomplete = ["catalyst", "evaporativeSystem"]
    #expect(
      try body(record) == #""ecu":"7E8","ignition":"spark","scope":"sinceClear","complete":["misfire"],"#
        + #""incomplete":["catalyst","evaporativeSystem"]"#)
  }

  @Test func a_geofence_record_has_its_position() throws {
    let record = GeofenceRecord(
      fenceId: "depot", fenceName: "Depot \"Nord\"", event: .enter, latitude: 53.123456789, longitude: -6.5)
    #expect(
      try body(record) == #""fenceId":"depot","fenceName":"Depot \"Nord\"","event":"enter","#
        + #""latitude":53.123456789,"longitude":-6.5"#)
  }

  @Test func a_trips_end_has_its_figures() throws {
    var record = TripRecord(tripId: UUIDv7(milliseconds: 1, first: 2, rest: 3), event: .end)
    record.startTime = Timestamp(nanoseconds: 0)
    record.distance = 12.3456
    record.distanceSource = .speed
    record.idleSeconds = 60
    #expect(
      try body(record) == #""tripId":"00000000-0001-7002-8000-000000000003","event":"end","#
        + #""startTime":"1970-01-01T00:00:00.000Z","distance":12.3456,"distanceSource":"speed","idleSeconds":60"#)
  }

  @Test func driving_adapter_and_gap_records_have_their_reason() throws {
    let driving = DrivingRecord(
      event: .overspeed, figures: [.init("speed", .number(142)), .init("limit", .number(130))])
    #expect(try body(driving) == #""event":"overspeed","speed":142,"limit":130"#)
    let adapter = AdapterRecord(event: .lost, device: "/dev/ttyUSB0", reason: "no prompt for 5 s")
    #expect(try body(adapter) == #""event":"lost","device":"/dev/ttyUSB0","reason":"no prompt for 5 s""#)
    var gap = GapRecord(fromSequence: 5, toSequence: 9, reason: .spoolFull)
    gap.types = [.telemetry, .driving]
    #expect(try body(gap) == #""fromSeq":5,"toSeq":9,"types":["telemetry","driving"],"reason":"spoolFull""#)
  }

  @Test func a_position_leaves_out_what_the_receiver_did_not_say() {
    var position = Position(fixType: "3d")
    position.latitude = 53.361336666
    position.longitude = -6.505620001
    position.satellites = 8
    let plain = text { line in _ = position.write(to: &line) }
    #expect(
      plain == #"{"latitude":53.361336666,"longitude":-6.505620001,"satellites":8,"fixType":"3d"}"# + "\n")
    let vss = text { line in _ = position.write(to: &line, vss: true) }
    #expect(vss.contains(#""Vehicle.CurrentLocation.Latitude":53.361336666"#))
  }

  @Test func a_record_that_is_too_long_says_that_it_was_cut() throws {
    var record = DTCRecord(ecu: "7E8", event: .snapshot)
    record.stored = (0..<4_000).map { number in "P" + String(10_000 + number).dropFirst() }
    var line = JSONLineEncoder()
    line.record(head(.dtc), record)
    let count19 = line.count
    #expect(count19 <= JSONLineEncoder.recordCapacity)
    let found = try object(in: line)
    #expect(found["truncated"] as? Bool == true)
    #expect((found["dtcCodes"] as? [String])?.count ?? 0 > 1_500)
    #expect(found["changed"] != nil || found["event"] as? String == "snapshot")
  }
}
