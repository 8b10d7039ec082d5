import JSONText

/// Selects records by their type and device.
struct RecordFilter: Equatable {
  /// The selected types; empty for all.
  var types: Set<String> = []
  /// The selected devices; empty for all records, also those that name no device. Only some types of records, such as
  /// `adapter`, name a device.
  var devices: Set<String> = []

  func takes(_ record: JSONValue) -> Bool {
    Self.has(types, record["type"]) && Self.has(devices, record["device"])
  }

  private static func has(_ wanted: Set<String>, _ value: JSONValue?) -> Bool {
    wanted.isEmpty || value?.string.map(wanted.contains) ?? false
  }
}
