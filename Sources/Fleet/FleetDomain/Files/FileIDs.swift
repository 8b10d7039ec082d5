import Telemetry

/// The IDs of the files of a thing, such as the photos of a receipt.
public struct FileIDs: FieldValue, Hashable {
  /// The maximum number of files of one thing.
  public static let most = 50

  public var ids: [UUIDv7]

  public init(_ ids: [UUIDv7] = []) { self.ids = ids }

  public static var type: FieldType { .json }
  public static var isOptional: Bool { true }
  public static var schema: String {
    #"{"anyOf":[{"type":"array","maxItems":\#(most),"uniqueItems":true,"items":\#(UUIDv7.schema)},{"type":"null"}]}"#
  }

  public init(json: JSON) throws(FieldError) { ids = json == .null ? [] : try [UUIDv7](json: json) }

  public var json: JSON { ids.isEmpty ? .null : ids.json }

  public static func parsed(client json: JSON) throws(FieldErrors) -> FileIDs {
    guard json != .null else { return FileIDs() }
    let ids = try [UUIDv7].parsed(client: json)
    guard ids.count <= most, Set(ids).count == ids.count else {
      throw FieldErrors([FieldError("", "expected at most \(most) files, each once")])
    }
    return FileIDs(ids)
  }
}

extension FleetTransaction {
  /// Adds the size of an uploaded file to the used space of the tenant, and to the used space of the uploader: a person
  /// or a token.
  ///
  /// - Parameters:
  ///   - holders: the tenant (``FileSpace/ofTenant``) and the uploader, each with the limit of the used space in bytes;
  ///     `nil` for no limit.
  ///   - bytes: the size of the file; negative if the file was removed.
  /// - Throws: `rule` if a limit would be exceeded.
  public func addFileSpace(
    _ bytes: Int64, _ holders: [(holder: String, limit: Int64?)]
  ) throws(ThingError) {
    for (holder, limit) in holders {
      let found = try first(ThingQuery<FileSpace>(.oneOf(key: "holder", [.text(holder)])))
      let (sum, isTooMuch) = (found?.value.bytes ?? 0).addingReportingOverflow(bytes)
      if bytes > 0, let limit, isTooMuch || sum > limit {
        throw .rule(
          code: "quotaExceeded",
          message: holder == FileSpace.ofTenant
            ? "the files of all people need more than \(limit) bytes; remove some"
            : "your files need more than \(limit) bytes; remove some")
      }
      var space = found?.value ?? FileSpace()
      (space.holder, space.bytes) = (holder, max(sum, 0))
      if let found { try update(found, to: space, action: "change") } else { try insert(space) }
    }
  }
}
