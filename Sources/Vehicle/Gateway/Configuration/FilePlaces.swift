import JSONText

/// Where a configuration names the files that ``Settings`` reads. Two configurations that differ only in this are equal.
struct FilePlaces: Equatable, Sendable {
  var geofences: FilePlace?
  /// In the order of ``GatewayConfiguration/signalSets``.
  var signalSets: [FilePlace] = []

  static func == (a: FilePlaces, b: FilePlaces) -> Bool { true }
}

/// Line, column and path of a key that names a file.
struct FilePlace: Sendable, CustomStringConvertible {
  let description: String

  init(_ value: JSONValue) { description = "\(value.line):\(value.column): \(value.path)" }
}
