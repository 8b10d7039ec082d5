import Testing

@testable import Ports

@Suite struct SerialOverGATTTests {
  private static func service(_ uuid: UInt16) -> GATTService {
    GATTService(path: "/\(uuid)", uuid: BluetoothUUID(uuid))
  }

  private static func characteristic(_ service: UInt16, _ uuid: UInt16, _ flags: String...) -> GATTCharacteristic {
    GATTCharacteristic(path: "/\(uuid)", service: "/\(service)", uuid: BluetoothUUID(uuid), flags: flags, mtu: nil)
  }

  private static func pair(
    _ services: [GATTService], _ characteristics: [GATTCharacteristic]
  ) throws(SerialOverGATT.Absence) -> [String] {
    let found = try SerialOverGATT(services, characteristics)
    return [found.input.uuid.description, found.output.uuid.description]
  }

  @Test func one_characteristic_can_serve_both_directions() throws {
    let both = Self.characteristic(0xFFE0, 0xFFE1, "read", "notify", "write-without-response")
    #expect(try Self.pair([Self.service(0xFFE0)], [both]) == ["FFE1", "FFE1"])
  }

  @Test func characteristics_are_chosen_by_ability_then_by_uuid() throws {
    let all = [
      Self.characteristic(0xFFF0, 0xFFF4, "notify", "write"), Self.characteristic(0xFFF0, 0xFFF2, "write", "notify"),
      Self.characteristic(0xFFF0, 0xFFF1, "write", "notify"),
    ]
    #expect(try Self.pair([Self.service(0xFFF0)], all) == ["FFF1", "FFF2"])
    let swapped = [
      Self.characteristic(0xFFF0, 0xFFF1, "write"), Self.characteristic(0xFFF0, 0xFFF2, "indicate"),
      Self.characteristic(0xFFF0, 0xFFF4, "notify", "write"),
    ]
    #expect(try Self.pair([Self.service(0xFFF0)], swapped) == ["FFF2", "FFF1"])
    let others = [Self.characteristic(0xFFE0, 0xFFE2, "write"), Self.characteristic(0xFFE0, 0xFFE1, "notify")]
    #expect(try Self.pair([Self.service(0xFFE0)], others) == ["FFE1", "FFE2"])
  }

  @Test func a_service_that_cannot_be_used_leaves_the_next_one() throws {
    let all = [
      Self.characteristic(0xFFE0, 0xFFE1, "read"), Self.characteristic(0x18F0, 0x2AF0, "notify"),
      Self.characteristic(0x18F0, 0x2AF1, "write"),
    ]
    #expect(try Self.pair([Self.service(0x18F0), Self.service(0xFFE0)], all) == ["2AF0", "2AF1"])
  }

  @Test func characteristics_of_other_services_do_not_count() {
    let foreign = Self.characteristic(0x180A, 0xFFE1, "notify", "write")
    let services = [Self.service(0x180A), Self.service(0xFFE0)]
    #expect(throws: SerialOverGATT.Absence.unusable(BluetoothUUID(0xFFE0))) { try Self.pair(services, [foreign]) }
    #expect(throws: SerialOverGATT.Absence.noService) { try Self.pair([Self.service(0x180A)], [foreign]) }
  }

  @Test func uuids_are_read_in_either_case_and_written_short() {
    #expect(BluetoothUUID("0000FFE0-0000-1000-8000-00805f9b34fb") == BluetoothUUID(0xFFE0))
    #expect(BluetoothUUID(0x0AF0).description == "0AF0")
    let nordic = "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"
    #expect(BluetoothUUID(nordic.lowercased())?.description == nordic)
    #expect(BluetoothUUID(nordic).map { SerialOverGATT.isKnown($0) } == true)
    for text in ["", "ffe0", "0000ffe0-0000-1000-8000-00805f9b34f", "0000ffe0-0000-1000-8000-00805f9b34fbb", "gggg"] {
      #expect(BluetoothUUID(text) == nil, "\(text)")
    }
  }
}
