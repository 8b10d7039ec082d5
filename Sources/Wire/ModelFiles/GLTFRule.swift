import JSONText

/// A rule of the JSON schema of glTF 2.0 for one value.
///
/// The schema allows further values of enumerations, because extensions add values. Therefore, only the types of such
/// values are checked here.
indirect enum GLTFRule: Sendable {
  case any, flag, text
  case object([GLTFMember])
  /// A version such as `2.0`.
  case version
  /// An index into one of the document's arrays, for example `accessors`.
  case link(String)
  case integer(ClosedRange<Int>)
  case multiple(of: Int, in: ClosedRange<Int>)
  case number(ClosedRange<Double>)
  case numberAbove(Double)
  case list(GLTFRule, ClosedRange<Int>, isUnique: Bool = false)
  /// An object with any keys, at least one.
  case map(GLTFRule)

  static let count = GLTFRule.integer(1...Int.max)
  static let offset = GLTFRule.integer(0...Int.max)
  static let whole = GLTFRule.integer(Int.min...Int.max)
  static let finite = GLTFRule.number(JSONValue.finite)
  static let part = GLTFRule.number(0...1)
  static func numbers(_ count: Int, _ rule: GLTFRule = .finite) -> GLTFRule { .list(rule, count...count) }
  static func links(_ array: String) -> GLTFRule { .list(.link(array), 1...Int.max, isUnique: true) }
  static func some(_ rule: GLTFRule) -> GLTFRule { .list(rule, 1...Int.max) }
}

/// A key of an object in the schema of glTF 2.0.
struct GLTFMember: Sendable {
  let key: String
  let rule: GLTFRule
  let isRequired: Bool

  init(_ key: String, _ rule: GLTFRule, isRequired: Bool = false) {
    (self.key, self.rule, self.isRequired) = (key, rule, isRequired)
  }

  static func required(_ key: String, _ rule: GLTFRule) -> GLTFMember { GLTFMember(key, rule, isRequired: true) }
}

extension GLTFRule {
  private static let name = GLTFMember("name", .text)

  static let root = GLTFRule.object([
    .required("asset", asset), .init("extensionsUsed", .list(.text, 1...Int.max, isUnique: true)),
    .init("extensionsRequired", .list(.text, 1...Int.max, isUnique: true)),
    .init("accessors", .some(accessor)), .init("animations", .some(animation)), .init("buffers", .some(buffer)),
    .init("bufferViews", .some(bufferView)), .init("cameras", .some(camera)), .init("images", .some(image)),
    .init("materials", .some(material)), .init("meshes", .some(mesh)), .init("nodes", .some(node)),
    .init("samplers", .some(sampler)), .init("scene", .link("scenes")), .init("scenes", .some(scene)),
    .init("skins", .some(skin)), .init("textures", .some(texture)),
  ])

  private static let asset = GLTFRule.object([
    .required("version", .version), .init("minVersion", .version), .init("generator", .text), .init("copyright", .text),
  ])
  private static let accessor = GLTFRule.object([
    .init("bufferView", .link("bufferViews")), .init("byteOffset", .offset), .required("componentType", .whole),
    .init("normalized", .flag), .required("count", .count), .required("type", .text),
    .init("max", .list(.finite, 1...16)), .init("min", .list(.finite, 1...16)), .init("sparse", sparse), name,
  ])
  private static let sparse = GLTFRule.object([
    .required("count", .count),
    .required(
      "indices",
      .object([
        .required("bufferView", .link("bufferViews")), .init("byteOffset", .offset),
        .required("componentType", .whole),
      ])),
    .required("values", .object([.required("bufferView", .link("bufferViews")), .init("byteOffset", .offset)])),
  ])
  private static let animation = GLTFRule.object([
    .required(
      "channels",
      .some(
        .object([
          .required("sampler", .offset),
          .required("target", .object([.init("node", .link("nodes")), .required("path", .text)])),
        ]))),
    .required(
      "samplers",
      .some(
        .object([
          .required("input", .link("accessors")), .init("interpolation", .text),
          .required("output", .link("accessors")),
        ]))), name,
  ])
  private static let buffer = GLTFRule.object([.init("uri", .text), .required("byteLength", .count), name])
  private static let bufferView = GLTFRule.object([
    .required("buffer", .link("buffers")), .init("byteOffset", .offset), .required("byteLength", .count),
    .init("byteStride", .multiple(of: 4, in: 4...252)), .init("target", .whole), name,
  ])
  private static let camera = GLTFRule.object([
    .required("type", .text), name,
    .init(
      "orthographic",
      .object([
        .required("xmag", .finite), .required("ymag", .finite), .required("zfar", .numberAbove(0)),
        .required("znear", .number(0...Double.greatestFiniteMagnitude)),
      ])),
    .init(
      "perspective",
      .object([
        .init("aspectRatio", .numberAbove(0)), .required("yfov", .numberAbove(0)), .init("zfar", .numberAbove(0)),
        .required("znear", .numberAbove(0)),
      ])),
  ])
  private static let image = GLTFRule.object([
    .init("uri", .text), .init("mimeType", .text), .init("bufferView", .link("bufferViews")), name,
  ])
  private static func textureInfo(_ more: GLTFMember...) -> GLTFRule {
    .object([.required("index", .link("textures")), .init("texCoord", .offset)] + more)
  }
  private static let material = GLTFRule.object([
    .init(
      "pbrMetallicRoughness",
      .object([
        .init("baseColorFactor", .numbers(4, .part)), .init("baseColorTexture", textureInfo()),
        .init("metallicFactor", .part), .init("roughnessFactor", .part),
        .init("metallicRoughnessTexture", textureInfo()),
      ])),
    .init("normalTexture", textureInfo(.init("scale", .finite))),
    .init("occlusionTexture", textureInfo(.init("strength", .part))), .init("emissiveTexture", textureInfo()),
    .init("emissiveFactor", .numbers(3, .part)), .init("alphaMode", .text),
    .init("alphaCutoff", .number(0...Double.greatestFiniteMagnitude)), .init("doubleSided", .flag), name,
  ])
  private static let mesh = GLTFRule.object([
    .required(
      "primitives",
      .some(
        .object([
          .required("attributes", .map(.link("accessors"))), .init("indices", .link("accessors")),
          .init("material", .link("materials")), .init("mode", .whole),
          .init("targets", .some(.map(.link("accessors")))),
        ]))),
    .init("weights", .some(.finite)), name,
  ])
  private static let node = GLTFRule.object([
    .init("camera", .link("cameras")), .init("children", .links("nodes")), .init("skin", .link("skins")),
    .init("matrix", .numbers(16)), .init("mesh", .link("meshes")), .init("rotation", .numbers(4, .number(-1...1))),
    .init("scale", .numbers(3)), .init("translation", .numbers(3)), .init("weights", .some(.finite)), name,
  ])
  private static let sampler = GLTFRule.object([
    .init("magFilter", .whole), .init("minFilter", .whole), .init("wrapS", .whole), .init("wrapT", .whole), name,
  ])
  private static let scene = GLTFRule.object([.init("nodes", .links("nodes")), name])
  private static let skin = GLTFRule.object([
    .init("inverseBindMatrices", .link("accessors")), .init("skeleton", .link("nodes")),
    .required("joints", .links("nodes")), name,
  ])
  private static let texture = GLTFRule.object([
    .init("sampler", .link("samplers")), .init("source", .link("images")), name,
  ])
}
