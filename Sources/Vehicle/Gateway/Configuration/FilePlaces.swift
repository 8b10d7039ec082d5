import JSONText

/// The positions, in the configuration's text, of the paths of the files that ``Settings`` reads. All values of this
/// type count as equal (`==`). Therefore, two configurations are equal if they differ only in these positions.
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
