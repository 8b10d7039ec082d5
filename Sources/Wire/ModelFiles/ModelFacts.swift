/// The formats of 3D models that are checked.
public enum ModelFormat: String, CaseIterable, Sendable {
  /// glTF 2.0 in one binary file.
  case glb
  /// glTF 2.0 as JSON. The buffers and images must be in the file.
  case gltf
  case usdz, ply, obj, stl
}

/// The smallest box with faces parallel to the axes that contains all vertices.
public struct ModelBox: Equatable, Sendable {
  public private(set) var least = [Double.infinity, .infinity, .infinity]
  public private(set) var most = [-Double.infinity, -.infinity, -.infinity]

  public init() {}

  /// Whether the box contains no vertex, because none was added.
  public var isEmpty: Bool { least[0] > most[0] }

  /// Enlarges the box so that it contains a vertex.
  @inline(__always)
  mutating func add(_ x: Double, _ y: Double, _ z: Double) {
    if x < least[0] { least[0] = x }
    if y < least[1] { least[1] = y }
    if z < least[2] { least[2] = z }
    if x > most[0] { most[0] = x }
    if y > most[1] { most[1] = y }
    if z > most[2] { most[2] = z }
  }
}

/// The counts and the size of a valid model.
public struct ModelFacts: Equatable, Sendable {
  public let format: ModelFormat
  /// The number of vertices; `nil` for USDZ, because its layers are not decoded.
  public var vertices: Int?
  /// The number of triangles, after polygons are divided; `nil` if unknown.
  public var triangles: Int?
  /// The number of polygons of PLY and OBJ; `nil` for other formats.
  public var faces: Int?
  /// The number of normals of OBJ; `nil` for other formats.
  public var normals: Int?
  /// The number of texture coordinates of OBJ; `nil` for other formats.
  public var textureCoordinates: Int?
  /// The number of materials; `nil` if unknown.
  public var materials: Int?
  /// The number of textures; `nil` if unknown.
  public var textures: Int?
  /// The bounding box of the scene, after the transforms of its nodes were applied. Empty if the scene has no vertices,
  /// or if their positions are unknown.
  public var box = ModelBox()
  /// The bounding box of all vertices, before the transforms of the nodes are applied.
  public var localBox = ModelBox()
  /// Whether coordinates are in metres. PLY, OBJ and STL have no unit.
  public var isMetric = false
  /// The extensions of glTF without which the model cannot be shown.
  public var requiredExtensions: [String] = []
  /// The files in a USDZ package; empty for other formats.
  public var entries: [PackageEntry] = []

  init(_ format: ModelFormat) { self.format = format }

  /// Checks a file, and counts what it contains.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - format: the format in which the file is read.
  /// - Throws: an error that describes the first rule of the format, or the first limit, that the file violates.
  public init(checking bytes: ModelBytes, as format: ModelFormat) throws(ModelError) {
    switch format {
    case .glb: self = try GLBReader.facts(bytes)
    case .gltf: self = try GLTFChecker.facts(text: bytes)
    case .usdz: self = try USDZReader.facts(bytes)
    case .ply: self = try PLYReader.facts(bytes)
    case .obj: self = try OBJReader.facts(bytes)
    case .stl: self = try STLReader.facts(bytes)
    }
  }
}

/// A file in a USDZ package.
public struct PackageEntry: Equatable, Sendable {
  public let name: String
  /// The offset of the content in the package, bytes.
  public let offset: Int
  /// The length of the content, bytes.
  public let count: Int
}

/// The limits of models. A model that exceeds one of them is rejected.
public enum ModelLimits {
  public static let vertices = 20_000_000
  public static let triangles = 20_000_000
  /// Maximum count of the numbers that are read to check the data of a glTF model. Several accessors may refer to the
  /// same bytes, so that the length of the file does not limit this number.
  static let numbers = 200_000_000
  /// Maximum length of the JSON text of glTF, bytes.
  static let textBytes = 32 << 20
  /// Maximum memory for the parsed JSON text, bytes.
  static let textMemory = 256 << 20
  /// Maximum number of files in a package.
  static let entries = 4_096
  /// Maximum length of a line of a text format, bytes.
  static let lineBytes = 1 << 20
  /// Maximum number of corners of one polygon.
  static let corners = 65_536

  static func check(_ count: Int, _ limit: Int, _ what: String, _ place: String = "") throws(ModelError) {
    guard count <= limit else {
      throw ModelError(.tooLarge, place, "expected at most \(limit) \(what), found \(count)")
    }
  }
}
