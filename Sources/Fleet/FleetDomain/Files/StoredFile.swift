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

  /// A file that the server has made from an uploaded one: a copy of an image without the original's metadata, an image
  /// of a 3D model, or the model in another format.
  public struct Version: NestedValue {
    /// `full` or `thumbnail` for an image. `poster` (an image) or `model` (the model as binary glTF) for a 3D model.
    public var name = ""
    public var sha256 = ""
    public var mediaType = ""
    public var size: Int64 = 0
    /// Width of the image, pixels; 0 for a 3D model.
    public var width: Int64 = 0
    /// Height of the image, pixels; 0 for a 3D model.
    public var height: Int64 = 0

    public init() {}

    public static let fields: [Field<Version>] = [
      Field("name", \.name).required(), Field("sha256", \.sha256).required(),
      Field("mediaType", \.mediaType).required(), Field("size", \.size).required(),
      Field("width", \.width).required(), Field("height", \.height).required(),
    ]
  }

  /// When and where a photo was taken. The server keeps no other metadata of a photo.
  public struct Capture: NestedValue {
    /// The time at which the photo was taken, as the camera wrote it, without a time zone; `nil` if the file does not
    /// contain it.
    public var takenAt: String?
    public var latitude: Double?
    public var longitude: Double?

    public init() {}

    public static let fields: [Field<Capture>] = [
      Field("takenAt", \.takenAt), Field("latitude", \.latitude), Field("longitude", \.longitude),
    ]
  }

  /// Properties of a valid 3D model.
  public struct Model: NestedValue {
    /// `glb`, `gltf`, `usdz`, `ply`, `obj` or `stl`.
    public var format = ""
    /// Whether the web app can show the model: `GET …/content?version=model` then returns binary glTF.
    public var isViewable = false
    /// Number of vertices. Like the other counts, it is `nil` if the server could not count without a converter.
    public var vertices: Int64?
    public var triangles: Int64?
    public var materials: Int64?
    public var textures: Int64?
    /// `m` if coordinates are in metres; `nil` if the format has no unit.
    public var unit: String?
    /// Lowest x, y and z of all vertices; `nil` if unknown, or if there are no vertices.
    public var least: [Double]?
    /// Highest x, y and z of all vertices; `nil` if unknown, or if there are no vertices.
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
  /// Whether the server keeps the position at which a photo was taken.
  public var keepPosition = false
  public var status = Status.uploading
  /// The media type, determined from the first bytes; `nil` until all bytes have arrived.
  public var mediaType: String?
  /// The files that the server has made from this file; empty if there are none.
  public var versions: [Version] = []
  public var capture: Capture?
  /// Properties of a valid 3D model; `nil` for other files and for an invalid model.
  public var model: Model?
  /// The reason why the server could not make a copy of an image, or why a 3D model is invalid or cannot be shown;
  /// `nil` if there is no such problem.
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

  /// Returns the version that has the given name; `nil` if there is none.
  public func version(_ name: String) -> Version? { versions.first { $0.name == name } }

  /// The SHA-256 of the original and of each copy that must be kept. If the server has made a copy of the whole image
  /// (`full`), the original is not kept, because the original may contain metadata that nobody wanted to store.
  public var contents: [String] {
    let copies = versions.map(\.sha256)
    return version("full") == nil ? [sha256].compactMap { $0 } + copies : copies
  }
}

/// A reference from a thing to a file.
///
/// The storage adds and removes these rows together with the thing. The rows show whether a file is in use.
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

/// The total size of a tenant's files, or of the files that one person or token has uploaded.
public struct FileSpace: Kind {
  /// The value of ``holder`` in the row that contains the total size of the tenant's files.
  public static let ofTenant = "tenant"

  /// ``ofTenant``, or the id of a person or token.
  public var holder = ""
  public var bytes: Int64 = 0

  public init() {}

  public static let names = KindNames(one: "fileSpace", many: "file-spaces")
  public static var isAudited: Bool { false }
  public static let fields: [Field<FileSpace>] = [Field("holder", \.holder), Field("bytes", \.bytes)]
}
