import Telemetry

/// A file that a person or a program has uploaded: a photo, a scan, a document, a 3D model.
///
/// The bytes are not in the database, but in a folder, under the name of their SHA-256.
public struct StoredFile: Kind {
  public enum Status: String, FieldChoice, Sendable {
    /// Some bytes have not arrived yet.
    case uploading
    /// All bytes have arrived; smaller copies of the image are being made, or the 3D model is being checked.
    case processing
    case stored
  }

  /// A copy of an image that the server has encoded itself, without the original's metadata; or an image of a 3D model.
  public struct Version: NestedValue {
    /// `full`, `thumbnail`, or, of a 3D model, `poster`, or `model` if it was converted to binary glTF.
    public var name = ""
    public var sha256 = ""
    public var mediaType = ""
    public var size: Int64 = 0
    /// The size of an image, pixels; 0 for a 3D model.
    public var width: Int64 = 0
    public var height: Int64 = 0

    public init() {}

    public static let fields: [Field<Version>] = [
      Field("name", \.name).required(), Field("sha256", \.sha256).required(),
      Field("mediaType", \.mediaType).required(), Field("size", \.size).required(),
      Field("width", \.width).required(), Field("height", \.height).required(),
    ]
  }

  /// The metadata of a photo that the server keeps.
  public struct Capture: NestedValue {
    /// The time at which the photo was taken, as the camera wrote it: without a time zone.
    public var takenAt: String?
    public var latitude: Double?
    public var longitude: Double?

    public init() {}

    public static let fields: [Field<Capture>] = [
      Field("takenAt", \.takenAt), Field("latitude", \.latitude), Field("longitude", \.longitude),
    ]
  }

  /// The facts of a valid 3D model.
  public struct Model: NestedValue {
    /// `glb`, `gltf`, `usdz`, `ply`, `obj` or `stl`.
    public var format = ""
    /// Whether the web app can show it: `GET …/content?version=model` is binary glTF.
    public var isViewable = false
    /// The counts; `nil` if the server could not count them without a converter.
    public var vertices: Int64?
    public var triangles: Int64?
    public var materials: Int64?
    public var textures: Int64?
    /// `m` if coordinates are in metres; `nil` if the format has no unit.
    public var unit: String?
    /// The lowest and highest x, y and z of all vertices; `nil` if unknown, or if there are no vertices.
    public var least: [Double]?
    public var most: [Double]?

    public init() {}

    public static let fields: [Field<Model>] = [
      Field("format", \.format).required(), Field("isViewable", \.isViewable).required(),
      Field("vertices", \.vertices), Field("triangles", \.triangles), Field("materials", \.materials),
      Field("textures", \.textures), Field("unit", \.unit), Field("least", \.least), Field("most", \.most),
    ]
  }

  public var name = ""
  /// The length in bytes.
  public var size: Int64 = 0
  /// The SHA-256 of the uploaded bytes, as 64 hexadecimal digits; `nil` until it is known.
  public var sha256: String?
  /// Whether the position of a photo is kept.
  public var keepPosition = false
  public var status = Status.uploading
  /// The media type, determined from the first bytes; `nil` until all bytes have arrived.
  public var mediaType: String?
  /// The copies of an image that the server has made; empty for other files.
  public var versions: [Version] = []
  public var capture: Capture?
  /// The facts of a 3D model; `nil` for other files, and for an invalid model.
  public var model: Model?
  /// The reason why the server could not make a copy of an image, or why a 3D model is invalid or cannot be shown; `nil`
  /// if there is none.
  public var problem: String?
  /// The person or token that uploaded the file; `nil` if it was imported from another server.
  public var uploadedBy: UUIDv7?

  public init() {}

  public static let names = KindNames(one: "file", many: "files")
  public static let fields: [Field<StoredFile>] = [
    Field("name", \.name) { name throws(FieldError) in
      guard (1...255).contains(name.utf8.count), NameRules.isVisible(name), !name.utf8.contains(UInt8(ascii: "/"))
      else {
        throw FieldError("", "expected the name of a file without folders: 1 to 255 bytes \(NameRules.visibleRule)")
      }
    }.required().settable(by: .creation),
    Field("size", \.size) { size throws(FieldError) in
      guard size >= 1 else { throw FieldError("", "expected at least 1 byte") }
    }.required().settable(by: .creation).schema(#"{"type":"integer","minimum":1}"#),
    Field("sha256", \.sha256) { text throws(FieldError) in
      guard let text else { return }
      guard text.utf8.count == 64, text == text.lowercased(), Hexadecimal.bytes(text) != nil else {
        throw FieldError("", "expected 64 hexadecimal digits in lower case")
      }
    }.settable(by: .creation).filledIn().filterable(),
    Field("keepPosition", \.keepPosition).settable(by: .creation),
    Field("status", \.status).settable(by: .server).filterable(),
    Field("mediaType", \.mediaType).settable(by: .server).filterable(),
    Field("versions", \.versions).settable(by: .server),
    Field("capture", \.capture).settable(by: .server),
    Field("model", \.model).settable(by: .server),
    Field("problem", \.problem).settable(by: .server),
    Field("uploadedBy", \.uploadedBy).settable(by: .server).filterable(),
  ]

  /// Returns the copy with a name; `nil` if there is none.
  public func version(_ name: String) -> Version? { versions.first { $0.name == name } }

  /// The SHA-256 of the contents that must be kept for the file. If the server has made a copy of the whole image, the
  /// original is removed, because it may contain metadata that nobody wanted to store.
  public var contents: [String] {
    let copies = versions.map(\.sha256)
    return version("full") == nil ? [sha256].compactMap { $0 } + copies : copies
  }
}

/// A thing that refers to a file.
///
/// The storage adds and removes these rows together with the thing. They show whether a file is in use.
public struct FileUse: Kind {
  public var fileID = UUIDv7(milliseconds: 0, first: 0, rest: 0)
  /// The kind of the thing (``KindNames/one``).
  public var kind = ""
  public var thingID = UUIDv7(milliseconds: 0, first: 0, rest: 0)

  public init() {}

  public static let names = KindNames(one: "fileUse", many: "file-uses")
  public static var isAudited: Bool { false }
  public static let fields: [Field<FileUse>] = [
    Field("fileId", \.fileID).filterable(), Field("kind", \.kind), Field("thingId", \.thingID).filterable(),
  ]
}

/// The sum of the sizes of a tenant's files, or of those that one person or token has uploaded.
public struct FileSpace: Kind {
  /// The name of the row with the sum of all files of the tenant.
  public static let ofTenant = "tenant"

  /// ``ofTenant``, or the id of a person or token.
  public var holder = ""
  public var bytes: Int64 = 0

  public init() {}

  public static let names = KindNames(one: "fileSpace", many: "file-spaces")
  public static var isAudited: Bool { false }
  public static let fields: [Field<FileSpace>] = [Field("holder", \.holder), Field("bytes", \.bytes)]
}
