import FleetDomain
import Telemetry
import Testing

@Suite struct VehicleInUseTests {
  private static let now = Timestamp(nanoseconds: 1_000_000_000_000)

  private static func record(
    _ vehicle: String, seconds: Int64?, _ type: RecordType = .telemetry
  ) -> IncomingRecord {
    let id = UUIDv7(milliseconds: 1, first: 1, rest: 1)
    return IncomingRecord(
      kind: .known(type), id: id, time: seconds.map { Timestamp(nanoseconds: $0 * 1_000_000_000) }, quality: .gps,
      gatewayId: "gw-1", vehicleId: vehicle, epoch: id, sequence: 1, vin: nil, hasPosition: false, body: [])
  }

  @Test func the_newest_accepted_record_names_the_vehicle() {
    let records = [
      Self.record("VAN-1", seconds: 10), Self.record("VAN-2", seconds: 30), Self.record("VAN-3", seconds: 20),
      Self.record("gw-1", seconds: 40, .gap), Self.record("VAN-4", seconds: 50),
    ]
    let outcomes: [IngestOutcome] = [
      .stored, .duplicate, .stored, .stored, .refused(RecordRefusal(.foreignVehicle, key: "vehicleId", "x")),
    ]
    let found = VehicleInUse(records, outcomes, at: Self.now)
    #expect(found == VehicleInUse(name: "VAN-2", at: Timestamp(nanoseconds: 30_000_000_000)))
  }

  @Test func a_missing_time_and_one_in_the_future_count_as_the_time_of_reception() {
    let records = [Self.record("VAN-1", seconds: 2_000), Self.record("VAN-2", seconds: nil)]
    #expect(VehicleInUse(records, [.stored, .stored], at: Self.now) == VehicleInUse(name: "VAN-2", at: Self.now))
    #expect(VehicleInUse([], [], at: Self.now) == nil)
  }
}
