import JSONText

/// Where the configuration's text contains the paths of the files that ``Settings`` reads. Any two values are equal.
/// Therefore, two configurations that differ only in these positions are equal.
struct FilePlaces: Equatable, Sendable {
  var geofences: FilePlace?
  /// The positions of the elements of ``GatewayConfiguration/signalSets``, in the same order.
  var signalSets: [FilePlace] = []

  static func == (a: FilePlaces, b: FilePlaces) -> Bool { true }
}

/// Position of a value that names a file: line and column in the configuration's text, and its path in the JSON.
struct FilePlace: Sendable, CustomStringConvertible {
  let description: String

  init(_ value: JSONValue) { description = "\(value.line):\(value.column): \(value.path)" }
}
