import JSONText

/// Why a file gives no fences: which feature, which line and path, and what would be right.
public struct GeoJSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file's name, as it was given.
  public var file: String
  /// Index of the feature, from 0; nil where the collection itself is wrong.
  public var feature: Int?
  /// The feature's id, where it could be read.
  public var id: String?
  /// The place in the file and what is wrong there.
  public var error: JSONError

  /// - Parameters: as the properties of the same names.
  public init(file: String, feature: Int? = nil, id: String? = nil, error: JSONError) {
    self.file = file
    self.feature = feature
    self.id = id
    self.error = error
  }

  /// One line: `fences.geojson:9:24: feature 2 "yard": features[2].properties.radius: expected …, found -5`.
  public var message: String {
    var message = "\(file):\(error.line):\(error.column): "
    if let feature {
      message += "feature \(feature)"
      if let id { message += " " + JSONError.quoted(id) }
      message += ": "
    }
    if !error.path.isEmpty { message += error.path + ": " }
    return message + error.reason
  }
  /// ``message``.
  public var description: String { message }
}
