import JSONText

/// Positions in the configuration's text at which it names the files that ``Settings`` reads. All values are equal, so
/// that two configurations are equal if they differ only in these positions.
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
