import Foundation
import ModelFiles
import TestKit
import Testing

@testable import FleetAPI

/// 3D models: what the server says about them, and how it serves them.
extension FileRoutesTests {
  /// A box of 2 × 1 × 0.5 m that a program of its own has written.
  private static let box = """
    import json, struct, sys
    corners = [(x, y, z) for x in (0, 2) for y in (0, 1) for z in (0, 0.5)]
    faces = [0,1,3, 0,3,2, 4,6,7, 4,7,5, 0,4,5, 0,5,1, 2,3,7, 2,7,6, 0,2,6, 0,6,4, 1,5,7, 1,7,3]
    kind = sys.argv[1]
    if kind == "obj":
        print("\\n".join("v %g %g %g" % c for c in corners))
        print("\\n".join("f %d %d %d" % tuple(i + 1 for i in faces[n:n+3]) for n in range(0, 36, 3)))
    else:
        data = b"".join(struct.pack("<3f", *c) for c in corners) + struct.pack("<36H", *faces)
        text = json.dumps({
            "asset": {"version": "2.0"}, "buffers": [{"byteLength": len(data)}],
            "bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
            "accessors": [
                {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3", "min": [0, 0, 0], "max": [2, 1, 0.5]},
                {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
            "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0}).encode()
        text += b" " * (-len(text) % 4)
        sys.stdout.buffer.write(
            struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(data), len(text), 0x4E4F534A) + text
            + struct.pack("<II", len(data), 0x004E4942) + data)
    """

  private static func box(_ kind: String) throws -> [UInt8] {
    let made = try Tool.run("/usr/bin/python3", ["-c", box, kind])
    #expect(made.status == 0, "\(made.errors)")
    return made.stdout
  }

  @Test func a_small_model_is_checked_while_a_long_one_of_another_tenant_is() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let greedy = try server.client(server.keys.foreignAdmin)
        let long = Array((String(repeating: "v 1 2 3\n", count: 800_000) + "f 1 2 3\n").utf8)
        let longs = try (1...3).map { _ in try Self.upload(greedy, long, name: "long.obj", pieces: 8) }
        let client = try server.client(server.keys.admin)
        let small = Array("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n".utf8)
        let file = try Self.finished(client, try Self.upload(client, small, name: "small.obj"))
        #expect((file["model"] as? [String: Any])?["vertices"] as? Int == 3, "\(file)")
        // The long files are still being checked.
        let last = try greedy.send("GET", "/api/files/\(longs[2])")
        #expect(try last.json["status"] as? String == "processing", "\(last.text)")
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func a_model_is_checked_and_described(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let glb = try Self.box("glb")
        let id = try Self.upload(client, glb, name: "box.glb")
        let file = try Self.finished(client, id)
        let model = try #require(file["model"] as? [String: Any], "\(file)")
        #expect(file["mediaType"] as? String == "model/gltf-binary" && file["problem"] == nil)
        #expect(model["vertices"] as? Int == 8 && model["triangles"] as? Int == 12 && model["unit"] as? String == "m")
        #expect(model["least"] as? [Double] == [0, 0, 0] && model["most"] as? [Double] == [2, 1, 0.5])
        #expect(model["isViewable"] as? Bool == true && model["format"] as? String == "glb")
        let content = try client.send("GET", "/api/files/\(id)/content?version=model")
        #expect(content.body == glb && content.headers["content-type"] == "application/octet-stream")
        #expect(content.headers["content-disposition"]?.hasPrefix("attachment") ?? false)
        // A format without a unit, which this server does not convert.
        let plain = try Self.finished(client, try Self.upload(client, try Self.box("obj"), name: "box.obj"))
        let described = try #require(plain["model"] as? [String: Any], "\(plain)")
        #expect(described["vertices"] as? Int == 8 && described["unit"] == nil)
        #expect(described["isViewable"] as? Bool == false)
        // An index of a vertex that does not exist.
        var damaged = glb
        (damaged[damaged.count - 2], damaged[damaged.count - 1]) = (9, 0)
        let wrong = try Self.finished(client, try Self.upload(client, damaged, name: "box.glb"))
        let problem = wrong["problem"] as? String ?? ""
        #expect(problem.hasPrefix("not a valid GLB model: meshes[0].primitives[0].indices: "), "\(wrong)")
        #expect(wrong["model"] == nil && wrong["mediaType"] as? String == "model/gltf-binary")
        let wrongID = try #require(wrong["id"] as? String)
        #expect(try client.send("GET", "/api/files/\(wrongID)/content?version=model").status == 404)
        #expect(try client.send("GET", "/api/files/\(wrongID)/content").body == damaged)
        // A page with the name of a model, and a model that a page follows, are downloads.
        let page = Array("<html><script>alert(1)</script></html>".utf8)
        let named = try Self.finished(client, try Self.upload(client, page, name: "a.obj"))
        #expect((named["problem"] as? String)?.hasPrefix("not a valid OBJ model: ") ?? false, "\(named)")
        let both = try Self.upload(client, glb + page, name: "a.html")
        _ = try Self.finished(client, both)
        let served = try client.send("GET", "/api/files/\(both)/content?version=model")
        #expect(served.headers["content-type"] == "application/octet-stream")
        #expect(served.headers["x-content-type-options"] == "nosniff")
      }
    }
  }

  @Test func a_model_gets_images_in_the_sandbox() async throws {
    try Tool.requireSandbox()
    var options = ServerOptions.test { _ in }
    options.files.helperFolder = TestData.projectRoot + "/Sources/Fleet/FleetFiles/Helper"
    options.files.packagesFolder = TestData.projectRoot + "/.tools/models"
    try await TestServer.run(options) { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let id = try Self.upload(client, try Self.box("glb"), name: "box.glb")
        let file = try Self.finished(client, id)
        let versions = file["versions"] as? [[String: Any]] ?? []
        #expect(versions.map { $0["name"] as? String } == ["poster", "thumbnail"], "\(file)")
        let poster = try client.send("GET", "/api/files/\(id)/content?version=poster")
        #expect(poster.headers["content-type"] == "image/png" && poster.headers["content-disposition"] == "inline")
        // The box covers the middle of the image, and not its corner.
        let read =
          #"import sys;from PIL import Image;i=Image.open(sys.stdin.buffer);"#
          + #"print(i.size,i.getpixel((5,5))[3],i.getpixel((i.width//2,i.height//2))[3])"#
        #expect(try Tool.run("/usr/bin/python3", ["-c", read], stdin: poster.body).output == "(800, 600) 0 255\n")
        try Self.requireConverters()
        let plain = try Self.finished(client, try Self.upload(client, try Self.box("obj"), name: "box.obj"))
        let model = try #require(plain["model"] as? [String: Any], "\(plain)")
        #expect(model["isViewable"] as? Bool == true && plain["problem"] == nil, "\(plain)")
        let converted = try client.send(
          "GET", "/api/files/\(try #require(plain["id"] as? String))/content?version=model")
        #expect(converted.headers["content-type"] == "model/gltf-binary")
        let facts = try ModelFacts(checking: ModelBytes(converted.body), as: .glb)
        #expect(facts.triangles == 12 && facts.box.most == [2, 1, 0.5])
        // A package whose mesh is a cube with edges of 1 cm.
        let path = try TestData.path("models3d/usd_simpleMesh.usdz")
        let package = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let file2 = try Self.finished(client, try Self.upload(client, package, name: "cube.usdz"))
        let cube = try #require(file2["model"] as? [String: Any], "\(file2)")
        #expect(cube["triangles"] as? Int == 12 && cube["unit"] as? String == "m", "\(file2)")
      }
    }
  }

  private static func requireConverters() throws {
    guard FileManager.default.fileExists(atPath: TestData.projectRoot + "/.tools/models/trimesh") else {
      try Tool.missing("trimesh", remedy: "scripts/install.sh models")
    }
  }
}
