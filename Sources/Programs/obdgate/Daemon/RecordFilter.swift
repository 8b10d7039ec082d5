import JSONText

/// Selects records by type and device.
struct RecordFilter: Equatable {
  /// The selected types; empty for all.
  var types: Set<String> = []
  /// The selected devices. Only some records, such as those of type adapter, name a device. Empty for all records,
  /// including those without a device.
  var devices: Set<String> = []

  func takes(_ record: JSONValue) -> Bool {
    Self.has(types, record["type"]) && Self.has(devices, record["device"])
  }

  private static func has(_ wanted: Set<String>, _ value: JSONValue?) -> Bool {
    wanted.isEmpty || value?.string.map(wanted.contains) ?? false
  }
}
