import Testing

@testable import FleetBroker

@Suite struct MessageReaderTests {
  private func read(_ topic: String, _ payload: [UInt8], separator: Character = "/") -> MessageReader.Read {
    MessageReader(topic: "depot/fleet", separator: separator, maximumRecords: 3).read(
      ConsumedMessage(tag: 7, topic: topic, payload: payload, isRedelivered: false, oversize: nil))
  }

  @Test func records_of_the_topics_vehicle_are_accepted() {
    let lines = PublishedBatches.line(1, vehicle: "VAN-001") + PublishedBatches.line(2, vehicle: "VAN-001")
    let slashes = read("depot/fleet/VAN-001/telemetry", lines)
    #expect(slashes.records.map(\.sequence) == [1, 2] && slashes.refused == 0 && slashes.tag == 7)
    #expect(read("depot.fleet.VAN-001.telemetry", lines, separator: ".").records.count == 2)
  }

  @Test func a_record_of_another_vehicle_is_refused_and_the_others_are_taken() {
    let mixed = read(
      "depot/fleet/VAN-001/telemetry",
      PublishedBatches.line(1, vehicle: "VAN-002") + PublishedBatches.line(2, vehicle: "VAN-001"))
    #expect(mixed.records.map(\.sequence) == [2] && mixed.refused == 1)
    #expect(mixed.reason == "vehicleId: expected \"VAN-001\" as in the topic, found \"VAN-002\"")
  }

  @Test(arguments: ["VAN 1", "VAN/1", "VAN+1"])
  func an_id_that_shares_its_level_with_others_is_refused(_ id: String) {
    #expect(read("depot/fleet/VAN_1/trip", PublishedBatches.line(1, vehicle: "VAN_1")).refused == 0)
    let read = read("depot/fleet/VAN_1/trip", PublishedBatches.line(1, vehicle: id))
    #expect(read.records.isEmpty && read.refused == 1 && read.reason?.contains("printable ASCII") == true)
    #expect(self.read("depot/fleet/\(id)/trip", PublishedBatches.line(1, vehicle: id)).refused == 1)
  }

  @Test func dots_of_an_id_are_levels_of_a_routing_key() {
    #expect(read("depot.fleet.VAN.1.trip", PublishedBatches.line(1, vehicle: "VAN.1"), separator: ".").refused == 0)
    #expect(read("depot.fleet.VAN.1.trip", PublishedBatches.line(1, vehicle: "VAN"), separator: ".").refused == 1)
  }

  @Test(arguments: ["fleet/VAN-001/telemetry", "depot/fleet/telemetry", "depot/fleet//x", "depot/fleet/VAN-001/", ""])
  func a_topic_without_a_vehicle_is_refused(_ topic: String) {
    #expect(read(topic, PublishedBatches.line(1, vehicle: "VAN-001")).refused == 1)
  }

  @Test func a_gateways_status_message_is_not_a_record() {
    let status = read("depot/fleet/VAN-001/status", Array("online".utf8))
    #expect(status.isIgnored && status.refused == 0)
  }

  @Test func a_message_with_too_many_records_is_rejected() {
    let lines = (1...4).flatMap { PublishedBatches.line($0, vehicle: "VAN-001") }
    let read = read("depot/fleet/VAN-001/telemetry", lines)
    #expect(read.records.isEmpty && read.refused == 1)
  }
}
