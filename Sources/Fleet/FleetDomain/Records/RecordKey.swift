/// The keys of a record's head. The store itself uses the values of these keys. It only checks and stores the values of
/// all other keys.
enum RecordKey: Int, CaseIterable {
  case type, id, timestamp, timeQuality, gatewayId, vehicleId, epoch, seq, vin, latitude, longitude, ecu

  /// The key as it is written in records.
  var name: StaticString {
    switch self {
    case .type: "type"
    case .id: "id"
    case .timestamp: "timestamp"
    case .timeQuality: "timeQuality"
    case .gatewayId: "gatewayId"
    case .vehicleId: "vehicleId"
    case .epoch: "epoch"
    case .seq: "seq"
    case .vin: "vin"
    case .latitude: "latitude"
    case .longitude: "longitude"
    case .ecu: "ecu"
    }
  }

  /// Returns the key that has the given name; `nil` if the head has no such key.
  init?(_ name: Span<UInt8>) {
    guard let first = name.isEmpty ? nil : name[0] else { return nil }
    // Length and first letter determine the only key that the name can be.
    let candidate: RecordKey
    switch (name.count, first) {
    case (2, UInt8(ascii: "i")): candidate = .id
    case (3, UInt8(ascii: "e")): candidate = .ecu
    case (3, UInt8(ascii: "s")): candidate = .seq
    case (3, UInt8(ascii: "v")): candidate = .vin
    case (4, UInt8(ascii: "t")): candidate = .type
    case (5, UInt8(ascii: "e")): candidate = .epoch
    case (8, UInt8(ascii: "l")): candidate = .latitude
    case (9, UInt8(ascii: "l")): candidate = .longitude
    case (9, UInt8(ascii: "t")): candidate = .timestamp
    case (9, UInt8(ascii: "g")): candidate = .gatewayId
    case (9, UInt8(ascii: "v")): candidate = .vehicleId
    case (11, UInt8(ascii: "t")): candidate = .timeQuality
    default: return nil
    }
    guard name.holds(candidate.name) else { return nil }
    self = candidate
  }
}

extension Span<UInt8> {
  /// Whether the span contains exactly the bytes of a text.
  func holds(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where unsafe self[index] != text.utf8Start[index] { return false }
    return true
  }
}
