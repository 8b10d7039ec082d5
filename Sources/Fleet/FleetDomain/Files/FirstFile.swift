import Telemetry

/// The first of a thing's files, as a field for clients that support only one file per thing.
public struct FirstFile: FieldValue {
  /// The ID of the first file; `nil` if the thing has no file.
  public let id: UUIDv7?

  public init(id: UUIDv7?) { self.id = id }

  public static var type: FieldType { .identifier }
  public static var isOptional: Bool { true }
  public static var schema: String { UUIDv7.schema }

  public init(json: JSON) throws(FieldError) { id = json == .null ? nil : try UUIDv7(json: json) }

  public var json: JSON { id.json }

  public static func parsed(client json: JSON) throws(FieldErrors) -> FirstFile {
    guard json != .null else { throw FieldErrors([FieldError("", "expected the id of a file; or change fileIds")]) }
    return FirstFile(id: try UUIDv7.parsed(client: json))
  }
}
