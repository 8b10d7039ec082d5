import JSONText

/// Selects records by their types and devices.
struct RecordFilter: Equatable {
  /// The selected types; empty to select all types.
  var types: Set<String> = []
  /// The selected devices; empty to select all records, including those without a device. Only some types of records,
  /// such as `adapter`, have a device.
  var devices: Set<String> = []

  func takes(_ record: JSONValue) -> Bool {
    Self.has(types, record["type"]) && Self.has(devices, record["device"])
  }

  private static func has(_ wanted: Set<String>, _ value: JSONValue?) -> Bool {
    wanted.isEmpty || value?.string.map(wanted.contains) ?? false
  }
}
