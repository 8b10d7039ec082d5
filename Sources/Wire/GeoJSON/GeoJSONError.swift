import JSONText

/// An error in a GeoJSON file: the feature, the position in the file, and what was expected.
public struct GeoJSONError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Name of the file, as given by the caller.
  public var file: String
  /// Index of the feature at fault, from 0; `nil` if the error concerns the collection.
  public var feature: Int?
  /// ID of the feature at fault; `nil` if unknown.
  public var id: String?
  /// The problem and its position in the file.
  public var error: JSONError

  /// Creates an error; the parameters are the properties of the same names.
  public init(file: String, feature: Int? = nil, id: String? = nil, error: JSONError) {
    self.file = file
    self.feature = feature
    self.id = id
    self.error = error
  }

  /// The message as one text line, for example:
  /// `fences.geojson:9:24: feature 2 "yard": features[2].properties.radius: expected …, found -5`.
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
  /// The error as one text line, which is ``message``.
  public var description: String { message }
}
