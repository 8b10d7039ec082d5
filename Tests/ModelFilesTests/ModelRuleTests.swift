import Testing

@testable import ModelFiles

/// Rules and limits that the shared models do not show.
@Suite struct ModelRuleTests {
  private static func error(_ bytes: [UInt8], _ format: ModelFormat) -> ModelError? {
    do throws(ModelError) {
      _ = try ModelFacts(checking: ModelBytes(bytes), as: format)
      return nil
    } catch {
      return error
    }
  }

  /// A glTF document with one triangle in a data URI: 3 positions and 3 indices of 16 bits.
  private static func triangle(_ more: String = "", nodes: String = #"[{"mesh":0}]"#, count: Int = 3) -> [UInt8] {
    Array(
      #"""
      {"asset":{"version":"2.0"},"buffers":[{"byteLength":44,"uri":"data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAAEAAAAAAAAABAAIAAAA="}],
      "bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":6}],
      "accessors":[{"bufferView":0,"componentType":5126,"count":\#(count),"type":"VEC3","min":[0,0,0],"max":[1,2,0]},
        {"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}],
      "meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
      "nodes":\#(nodes),"scenes":[{"nodes":[0]}],"scene":0\#(more)}
      """#.utf8)
  }

  @Test func the_box_is_that_of_the_scene_with_its_transforms() throws {
    let nodes =
      #"[{"translation":[10,0,0],"scale":[2,2,2],"children":[1]},{"mesh":0,"rotation":[0,0,0.70710678,0.70710678]}]"#
    let facts = try ModelFacts(checking: ModelBytes(Self.triangle(nodes: nodes)), as: .gltf)
    #expect(facts.vertices == 3 && facts.triangles == 1 && facts.isMetric)
    // The rotation by 90° turns (1, 2, 0) to (-2, 1, 0).
    for (found, wanted) in zip(facts.box.least + facts.box.most, [6, 0, 0, 10, 2, 0] as [Double]) {
      #expect(abs(found - wanted) < 1e-6)
    }
  }

  @Test func nodes_that_are_their_own_descendants_are_rejected() {
    let loop = #"[{"mesh":0},{"children":[2]},{"children":[1]}]"#
    #expect(Self.error(Self.triangle(nodes: loop), .gltf)?.detail.contains("its own descendant") ?? false)
    let parents = #"[{"mesh":0,"children":[1]},{},{"children":[1]}]"#
    #expect(Self.error(Self.triangle(nodes: parents), .gltf)?.detail.contains("two parents") ?? false)
  }

  @Test func accessors_beyond_their_buffers_are_rejected() {
    #expect(Self.error(Self.triangle(), .gltf) == nil)
    #expect(Self.error(Self.triangle(count: 4), .gltf)?.kind == .truncated)
    #expect(Self.error(Self.triangle(count: Int.max), .gltf)?.kind == .truncated)
  }

  @Test func deep_nesting_and_files_of_others_are_rejected() {
    let deep = Array(repeating: UInt8(ascii: "["), count: 100_000)
    #expect(Self.error(deep, .gltf)?.kind == .malformed)
    let uri = #","images":[{"uri":"http://example.com/a.png"}]"#
    #expect(Self.error(Self.triangle(uri), .gltf)?.kind == .external)
    #expect(Self.error(Self.triangle(#","images":[{"uri":"../secret.png"}]"#), .gltf)?.kind == .external)
  }

  @Test func many_accessors_of_the_same_bytes_are_limited() {
    // 16 MB of text that would take minutes to read as numbers.
    let view = #"{"bufferView":0,"componentType":5121,"count":1000000,"type":"SCALAR"}"#
    let text =
      #"{"asset":{"version":"2.0"},"buffers":[{"byteLength":1000000}],"bufferViews":[{"buffer":0,"byteLength":1000000}],"accessors":[\#(Array(repeating: view, count: 300).joined(separator: ","))]}"#
    var json = Array(text.utf8)
    while json.count % 4 != 0 { json.append(0x20) }
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let glb =
      Array("glTF".utf8) + number(2) + number(28 + json.count + 1_000_000) + number(json.count)
      + Array("JSON".utf8) + json + number(1_000_000) + [0x42, 0x49, 0x4E, 0] + Array(repeating: 7, count: 1_000_000)
    #expect(Self.error(glb, .glb)?.kind == .tooLarge)
  }

  @Test(arguments: [
    (
      "ply\nformat ascii 1.0\nelement vertex 9223372036854775807\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
      ModelError.Kind.tooLarge
    ),
    (
      "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nelement empty 9223372036854775807\nend_header\n",
      .malformed
    ),
    (
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n3 0 0 1\n",
      .reference
    ),
    (
      "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n",
      .truncated
    ),
  ]) func a_damaged_PLY_is_rejected(_ text: String, _ kind: ModelError.Kind) {
    #expect(Self.error(Array(text.utf8), .ply)?.kind == kind)
  }

  @Test func an_OBJ_counts_triangles_of_polygons_and_rejects_what_is_no_text() throws {
    let text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nusemtl a\nf 1 2 3 4\nf -4//  \\\n -3 -2\n"
    #expect(Self.error(Array(text.utf8), .obj) == nil)
    let facts = try ModelFacts(checking: ModelBytes(Array(text.utf8)), as: .obj)
    #expect(facts.triangles == 3 && facts.faces == 2 && facts.materials == 1 && facts.box.most == [1, 1, 0])
    #expect(Self.error(Array("v 0 0 0\nf 1 1 2\n".utf8), .obj)?.kind == .reference)
    #expect(Self.error([0x7F, 0x45, 0x4C, 0x46, 0, 0], .obj)?.kind == .malformed)
    #expect(Self.error(Array("<svg onload=\"alert(1)\">".utf8), .obj)?.kind == .malformed)
  }

  // MARK: USDZ

  /// A package of one file.
  private static func package(
    _ name: String = "a.usda", _ content: String = "#usda 1.0\n", method: UInt8 = 0, padding: Int? = nil,
    names: [String]? = nil
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
    for name in names ?? [name] {
      let (name, body, start) = (Array(name.utf8), Array(content.utf8), bytes.count)
      let pad = padding ?? (64 - (start + 30 + name.count) % 64) % 64
      let common = number(0, 2) + [method, 0] + number(0) + number(0) + number(body.count) + number(body.count)
      bytes += number(0x0403_4B50) + number(20, 2) + common + number(name.count, 2) + number(pad, 2) + name
      bytes += Array(repeating: 0, count: pad) + body
      directory += number(0x0201_4B50) + number(20, 2) + number(20, 2) + common + number(name.count, 2)
      directory += number(0, 2) + number(0, 2) + number(0, 2) + number(0, 2) + number(0) + number(start) + name
    }
    let count = names?.count ?? 1
    return bytes + directory + number(0x0605_4B50) + number(0) + number(count, 2) + number(count, 2)
      + number(directory.count) + number(bytes.count) + number(0, 2)
  }

  @Test func packages_with_other_contents_are_rejected() {
    #expect(Self.error(Self.package(), .usdz) == nil)
    #expect(Self.error(Self.package(method: 8), .usdz)?.detail.contains("without compression") ?? false)
    #expect(Self.error(Self.package(padding: 3), .usdz)?.detail.contains("64 bytes") ?? false)
    for name in ["../a.usda", "/a.usda", "b/../../a.usda", "b\\a.usda", "b//a.usda"] {
      #expect(Self.error(Self.package(name), .usdz)?.detail.contains("inside the package") ?? false)
    }
    #expect(Self.error(Self.package(names: ["a.usda", "A.usda"]), .usdz)?.detail.contains("same name") ?? false)
    #expect(Self.error(Self.package(names: ["a.usda", "b.html"]), .usdz)?.kind == .unsupported)
    #expect(Self.error(Self.package(names: ["a.png", "b.usda"]), .usdz)?.kind == .malformed)
    #expect(Self.error(Array("<html>".utf8) + Self.package(), .usdz)?.kind == .malformed)
    #expect(Self.error(Self.package() + Array("<html>".utf8), .usdz)?.kind == .malformed)
  }

  @Test(arguments: ["@/etc/passwd@", "@http://example.com/a.usda@", "@../a.usda@", "@other.usda@", "@@@../a@b.usda@@@"])
  func layers_that_refer_to_other_files_are_rejected(_ address: String) {
    #expect(Self.error(Self.package("a.usda", "#usda 1.0\nsubLayers = [\(address)]\n"), .usdz)?.kind == .external)
  }

  @Test func addresses_in_comments_and_texts_are_ignored() {
    let layer = "#usda 1.0\n# @b.usda@\ndef \"x@y\" ( doc = \"\"\"@c.usda@\"\"\" )\nsubLayers = [@./a.usda@, @@]\n"
    #expect(Self.error(Self.package("a.usda", layer), .usdz) == nil)
  }
}
