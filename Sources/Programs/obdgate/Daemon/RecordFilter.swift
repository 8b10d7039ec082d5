import JSONText

/// Which of the records that come are wanted.
struct RecordFilter: Equatable {
  /// Empty: all.
  var types: Set<String> = []
  /// By the device that a record names, as those of type adapter do; empty: all, those that name none, too.
  var devices: Set<String> = []

  func takes(_ record: JSONValue) -> Bool {
    Self.has(types, record["type"]) && Self.has(devices, record["device"])
  }

  private static func has(_ wanted: Set<String>, _ value: JSONValue?) -> Bool {
    wanted.isEmpty || value?.string.map(wanted.contains) ?? false
  }
}
