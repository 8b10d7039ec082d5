import FleetDomain
import FleetWork
import Telemetry

/// How the rows of a file are recognised when they are imported again.
extension ImportRow {
  /// The time of the row, or the start of the day that the row contains; `nil` for a row without a time or day.
  var time: Timestamp? {
    if let time = values["at"].flatMap({ try? Timestamp(json: $0) }) { return time }
    guard let day = values[ImportKind.maintenanceRecords.timeKey].flatMap({ try? CalendarDate(json: $0) }) else {
      return nil
    }
    return ZoneRules.utc.time(0, on: day)
  }

  /// Returns the ID of the row's thing, computed from the values of the row.
  ///
  /// - Parameter copy: the number of equal rows that precede this row in the file.
  func id<Value: Kind>(of kind: Value.Type, copy: UInt64) -> UUIDv7 {
    let hash = JSON.array([.text(kind.names.one), .object(values)]).canonicalHash
    return UUIDv7(
      milliseconds: UInt64(max(time?.milliseconds ?? 0, 0)), seed: UInt64(hash.prefix(16), radix: 16) ?? 0,
      number: copy)
  }

  /// Returns the ID of the row's thing, computed from the row's ID in the program that wrote the file; `nil` if the row
  /// has no such ID.
  func sourceID<Value: Kind>(of kind: Value.Type) -> UUIDv7? {
    guard let sourceID else { return nil }
    let hash = JSON.array([.text(kind.names.one), values["vehicleId"] ?? .null, .text(sourceID)]).canonicalHash
    // The time of the row is not used, because it may be corrected.
    return UUIDv7(milliseconds: 0, seed: UInt64(hash.prefix(16), radix: 16) ?? 0, number: 0)
  }

  /// Describes the fields of the row whose values differ from those of the stored thing; `nil` if none differ.
  ///
  /// - Parameter value: the thing that the row describes.
  func difference<Value: Kind>(of value: Value, from stored: Stored<Value>) -> String? {
    let fields = Value.fields.filter { field in field.keys.contains { values[$0] != nil } }
    let texts = fields.compactMap { field -> String? in
      let (new, old) = (field.json(value), field.json(stored.value))
      return new == old ? nil : "\(field.key) is \(old.canonicalText), and the file has \(new.canonicalText)"
    }
    guard !texts.isEmpty else { return nil }
    return """
      \(Value.names.one) \(stored.id.string) was imported from this row before and stays as it is: \
      \(texts.joined(separator: "; "))
      """
  }
}
