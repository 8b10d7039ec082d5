import JSONText

/// Positions in the configuration's text at which it names the files that ``Settings`` reads. Any two values compare as
/// equal, so that two configurations that differ only in these positions are equal.
struct FilePlaces: Equatable, Sendable {
  var geofences: FilePlace?
  /// The positions of the paths in ``GatewayConfiguration/signalSets``, in the same order.
  var signalSets: [FilePlace] = []

  static func == (a: FilePlaces, b: FilePlaces) -> Bool { true }
}

/// Position of a key that names a file: its line and column, and its path in the JSON.
struct FilePlace: Sendable, CustomStringConvertible {
  let description: String

  init(_ value: JSONValue) { description = "\(value.line):\(value.column): \(value.path)" }
}
