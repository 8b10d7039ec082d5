import ModelFiles

/// The media type of a file, determined from its first bytes. The type that a client states is not trusted.
public enum ContentType: String, CaseIterable, Sendable {
  case jpeg = "image/jpeg"
  case png = "image/png"
  case webp = "image/webp"
  case heic = "image/heic"
  case pdf = "application/pdf"
  case glb = "model/gltf-binary"
  case gltf = "model/gltf+json"
  case usdz = "model/vnd.usdz+zip"
  case obj = "model/obj"
  case stl = "model/stl"
  /// PLY has no registered media type, so this one is used instead.
  case ply = "model/x-ply"
  case zip = "application/zip"
  case other = "application/octet-stream"

  /// Whether the image helper can decode the type.
  public var isImage: Bool { [.jpeg, .png, .webp, .heic].contains(self) }

  /// The format of a 3D model; `nil` for other types.
  public var model: ModelFormat? {
    switch self {
    case .glb: .glb
    case .gltf: .gltf
    case .usdz: .usdz
    case .obj: .obj
    case .stl: .stl
    case .ply: .ply
    default: nil
    }
  }

  /// Determines the type from the first bytes and the name of a file. The name decides only between types that have no
  /// signature of their own. The content of a 3D model is checked afterwards.
  public init(head: [UInt8], name: String) {
    let found = ContentType(head: head)
    let kind = name.split(separator: ".").last?.lowercased()
    switch (found, kind) {
    case (.zip, "usdz"): self = .usdz
    case (.other, _) where head.starts(with: Array("ply\n".utf8)) || head.starts(with: Array("ply\r".utf8)): self = .ply
    case (.other, "gltf"): self = .gltf
    case (.other, "obj"): self = .obj
    case (.other, "stl"): self = .stl
    case (.other, "ply"): self = .ply
    default: self = found
    }
  }

  /// Determines the type from the first bytes of a file.
  public init(head: [UInt8]) {
    func matches(_ text: String, at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: text.utf8) }
    if head.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if matches("RIFF"), matches("WEBP", at: 8) {
      self = .webp
    } else if matches("ftyp", at: 4),
      ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"].contains(where: { matches($0, at: 8) })
    {
      self = .heic
    } else if matches("%PDF-") {
      self = .pdf
    } else if matches("glTF") {
      self = .glb
    } else if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) {
      self = .zip
    } else {
      self = .other
    }
  }
}
