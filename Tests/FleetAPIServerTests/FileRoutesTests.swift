import Crypto
import FleetDomain
import FleetFiles
import Foundation
import Logging
import Telemetry
import TestKit
import Testing

@testable import FleetAPI

/// Files: uploads, their use by things, and who may read them.
@Suite struct FileRoutesTests {
  /// Creates a file, sends its bytes in pieces, and returns its id.
  static func upload(
    _ client: TestClient, _ bytes: [UInt8], name: String = "a.bin", pieces: Int = 2, more: String = ""
  ) throws -> String {
    let made = try client.send("POST", "/api/files", json: #"{"name":"\#(name)","size":\#(bytes.count)\#(more)}"#)
    let id = try #require(try made.json["id"] as? String, "\(made.text)")
    var offset = 0
    for piece in 1...pieces {
      let end = bytes.count * piece / pieces
      let reply = try append(client, id, offset, Array(bytes[offset..<end]))
      #expect(reply.status == 204 && reply.headers["upload-offset"] == "\(end)", "\(reply.text)")
      offset = end
    }
    return id
  }

  private static func append(
    _ client: TestClient, _ id: String, _ offset: Int, _ bytes: [UInt8], headers: [String: String] = [:]
  ) throws -> TestClient.Reply {
    try client.send(
      "PATCH", "/api/files/\(id)/content", bytes,
      headers: ["Upload-Offset": "\(offset)", "Content-Type": "application/offset+octet-stream"].merging(headers) {
        $1
      })
  }

  /// Waits until the server has made the copies of an image.
  static func finished(_ client: TestClient, _ id: String) throws -> [String: Any] {
    for _ in 0..<2_000 {
      let file = try client.send("GET", "/api/files/\(id)").json
      if file["status"] as? String == "stored" { return file }
    }
    throw TestClient.Failure(description: "no copies of the image")
  }

  private static func expense(_ files: String, vehicle: String = "VAN-1") -> String {
    #"{"vehicleId":"\#(vehicle)","at":"2026-05-04T10:00:00Z","category":"toll","fileIds":[\#(files)],"#
      + #""amount":{"amount":"1","currency":"EUR"}}"#
  }

  @Test(arguments: TestServer.Database.allCases)
  func an_upload_in_pieces_becomes_a_file_that_people_of_its_thing_read(_ database: TestServer.Database) async throws {
    try await TestServer.run(on: database) { server in
      _ = try await FleetRoutesTests.depots(server)
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let made = try client.send("POST", "/api/files", json: #"{"name":"scan 1.pdf","size":100000}"#)
        let id = try #require(try made.json["id"] as? String)
        let path = "/api/files/\(id)/content"
        #expect(made.status == 201 && made.headers["upload-offset"] == "0")
        #expect(try client.send("GET", path).errorCode == "uploading")
        #expect(try client.send("POST", "/api/expenses", json: Self.expense(#""\#(id)""#)).status == 422)
        #expect(try Self.append(client, id, 1, [1]).errorCode == "wrongOffset")
        // A request without bytes at the end completes nothing while bytes are missing.
        let early = try Self.append(client, id, 100_000, [])
        #expect(early.errorCode == "wrongOffset" && early.text.contains("expected 0"), "\(early.text)")
        #expect(try Self.append(client, id, 0, bytes + [1]).status == 413)
        let wrong = try Self.append(
          client, id, 0, Array(bytes[..<5]), headers: ["Upload-Checksum": "sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0="])
        #expect(wrong.status == 460, "\(wrong.text)")
        #expect(try Self.append(client, id, 0, Array(bytes[..<40_000])).status == 204)
        let head = try client.send("HEAD", path)
        #expect(head.headers["upload-offset"] == "40000" && head.headers["upload-length"] == "100000")
        #expect(try Self.append(client, id, 40_000, Array(bytes[40_000...])).status == 204)
        // The answer may have been lost: the last request is repeated.
        #expect(try Self.append(client, id, 100_000, []).status == 204)
        let file = try client.send("GET", "/api/files/\(id)").json
        #expect(file["sha256"] as? String == Hexadecimal.text(Array(SHA256.hash(data: bytes))))
        #expect(file["status"] as? String == "stored")

        let whole = try client.send("GET", path)
        #expect(whole.body == bytes && whole.headers["x-content-type-options"] == "nosniff")
        #expect(whole.headers["content-type"] == "application/octet-stream")
        #expect(
          whole.headers["content-disposition"]
            == "attachment; filename=\"scan 1.pdf\"; filename*=UTF-8''scan%201.pdf")
        let tag = try #require(whole.headers["etag"])
        #expect(try client.send("GET", path, headers: ["If-None-Match": tag]).status == 304)
        let part = try client.send("GET", path, headers: ["Range": "bytes=10-19"])
        #expect(part.status == 206 && part.body == Array(bytes[10..<20]))
        #expect(part.headers["content-range"] == "bytes 10-19/100000")
        #expect(try client.send("GET", path, headers: ["Range": "bytes=-5"]).body == bytes.suffix(5))
        #expect(try client.send("GET", path, headers: ["Range": "bytes=100000-"]).status == 416)
        #expect(try client.send("GET", path + "?version=thumbnail").status == 404)

        // The viewer of a fleet sees the files of the things that belong to it.
        let viewer = try server.signIn("viewer@example.com")
        #expect(try server.asPage(viewer, "GET", path).status == 404)
        let south = try client.send("POST", "/api/expenses", json: Self.expense(#""\#(id)""#, vehicle: "VAN-2"))
        #expect(south.status == 201, "\(south.text)")
        #expect(try server.asPage(viewer, "GET", path).status == 404)
        let north = try client.send("POST", "/api/expenses", json: Self.expense(#""\#(id)""#))
        #expect(try server.asPage(viewer, "GET", path).status == 200)
        #expect(try server.client(server.keys.foreignAdmin).send("GET", path).status == 404)
        #expect(try client.send("DELETE", "/api/files/\(id)").errorCode == "inUse")
        for expense in [south, north] {
          let address = "/api/expenses/\(try #require(try expense.json["id"] as? String))"
          let changed = try client.send("PATCH", address, json: #"{"fileIds":null}"#, headers: ["If-Match": "*"])
          #expect(try changed.status == 200 && changed.json["fileIds"] == nil, "\(changed.text)")
        }
        #expect(try server.asPage(viewer, "GET", path).status == 404)
        #expect(try client.send("DELETE", "/api/files/\(id)").status == 204)
        #expect(try client.send("GET", "/api/files/\(id)").status == 404)
      }
    }
  }

  /// A server that is killed after the last byte has arrived completes the file later, when its client asks.
  @Test func an_upload_with_all_bytes_is_completed_when_its_client_asks() async throws {
    let scratch = try ScratchFolder()
    var options = ServerOptions.test { _ in }
    options.files.folder = scratch.file("files")
    try await TestServer.run(options) { [options] server in
      let id = try await runBlocking {
        let made = try server.client(server.keys.admin).send("POST", "/api/files", json: #"{"name":"a","size":3}"#)
        return try #require(try made.json["id"] as? String)
      }
      let store = try FolderFileStore(folder: try #require(options.files.folder))
      let piece = try await store.append(
        to: try #require(UUIDv7(id.utf8.span)), at: 0, checksum: nil, tenant: .standard)
      try await piece.write([1, 2, 3])
      try await piece.finish()
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let head = try client.send("HEAD", "/api/files/\(id)/content")
        #expect(head.status == 200 && head.headers["upload-offset"] == "3")
        #expect(try client.send("GET", "/api/files/\(id)").json["status"] as? String == "stored")
        #expect(try client.send("GET", "/api/files/\(id)/content").body == [1, 2, 3])
      }
    }
  }

  @Test(arguments: TestServer.Database.allCases)
  func files_that_nothing_refers_to_are_removed_after_some_days(_ database: TestServer.Database) async throws {
    let scratch = try ScratchFolder()
    var options = ServerOptions.test { _ in }
    options.files.folder = scratch.file("files")
    try await TestServer.run(options, on: database) { [options] server in
      let (used, unused, begun) = try await runBlocking {
        let client = try server.client(server.keys.admin)
        let used = try Self.upload(client, [1, 2, 3])
        let expense = try client.send("POST", "/api/expenses", json: Self.expense(#""\#(used)""#))
        #expect(expense.status == 201, "\(expense.text)")
        let begun = try client.send("POST", "/api/files", json: #"{"name":"a","size":3}"#)
        let id = try #require(try begun.json["id"] as? String)
        #expect(try Self.append(client, id, 0, [1]).status == 204)
        return (used, try Self.upload(client, [4, 5, 6, 7]), id)
      }
      let service = FileService(
        options.files, try FolderFileStore(folder: scratch.file("files")), storage: server.storage,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      func sweep(days: Int64) async throws {
        let time = Timestamp(nanoseconds: WallClock.now.nanoseconds + days * 86_400_000_000_000)
        try await service.sweep(tenant: .standard, at: time, unusedDays: 7, contentSeconds: 0)
      }
      func space() async throws -> Int64? {
        try await server.storage.view(tenant: .standard) { view throws(ThingError) in
          try view.list(ThingQuery<FileSpace>(.oneOf(key: "holder", [.text(FileSpace.ofTenant)]))).items.first?.value
            .bytes
        }
      }
      try await sweep(days: 6)
      #expect(try await space() == 10)
      try await sweep(days: 8)
      #expect(try await space() == 3)
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        #expect(try client.send("GET", "/api/files/\(used)/content").body == [1, 2, 3])
        for id in [unused, begun] { #expect(try client.send("GET", "/api/files/\(id)").status == 404) }
        let folder = scratch.file("files/default")
        let left = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        #expect(left.filter { $0.hasPrefix("uploads/") } == [])
        #expect(left.filter { $0.hasPrefix("contents/") && $0.utf8.count > 60 }.count == 1)
      }
    }
  }

  @Test func nobody_reads_a_file_of_others_by_adding_it_to_a_thing() async throws {
    try await TestServer.run { server in
      _ = try await server.addPerson("mech@example.com", [.maintenance])
      try await runBlocking {
        let id = try Self.upload(try server.client(server.keys.admin), [1, 2, 3, 4])
        let mechanic = try server.signIn("mech@example.com")
        let reply = try server.asPage(mechanic, "POST", "/api/expenses", Self.expense(#""\#(id)""#))
        #expect(reply.status == 422 && reply.text.contains(#""path":"fileIds""#), "\(reply.text)")
        #expect(try server.asPage(mechanic, "GET", "/api/files").list.isEmpty)
        #expect(try server.asPage(mechanic, "DELETE", "/api/files/\(id)").status == 404)
        #expect(try server.client(server.keys.admin).send("GET", "/api/files").list.count == 1)
      }
    }
  }

  @Test func the_space_of_files_is_limited() async throws {
    var options = ServerOptions.test { _ in }
    options.files.fileBytes = 1_000
    options.files.tenantBytes = 3_000
    options.files.personBytes = 2_000
    try await TestServer.run(options) { server in
      _ = try await server.addPerson("ann@example.com", [.admin])
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        func make(_ size: Int) throws -> TestClient.Reply {
          try client.send("POST", "/api/files", json: #"{"name":"a","size":\#(size)}"#)
        }
        #expect(try make(1_001).status == 422)
        #expect(try make(0).status == 422)
        let first = try make(1_000)
        #expect(try make(1_000).status == 201)
        #expect(try make(1).errorCode == "quotaExceeded")
        let ann = try server.signIn("ann@example.com")
        #expect(try server.asPage(ann, "POST", "/api/files", #"{"name":"a","size":1000}"#).status == 201)
        #expect(try server.asPage(ann, "POST", "/api/files", #"{"name":"a","size":1}"#).status == 409)
        let id = try #require(try first.json["id"] as? String)
        #expect(try client.send("DELETE", "/api/files/\(id)").status == 204)
        #expect(try make(1_000).status == 201)
        // Another tenant has its own space.
        let foreign = try server.client(server.keys.foreignAdmin)
        #expect(try foreign.send("POST", "/api/files", json: #"{"name":"a","size":1000}"#).status == 201)
      }
    }
  }

  @Test func a_client_of_tus_uploads_a_file_by_its_headers() async throws {
    try await TestServer.run { server in
      try await runBlocking {
        let client = try server.client(server.keys.admin)
        let made = try client.send(
          "POST", "/api/files",
          headers: [
            "Tus-Resumable": "1.0.0", "Upload-Length": "4", "Upload-Metadata": "filename w6QucGRm,type YQ==",
          ])
        #expect(made.status == 201 && made.headers["tus-resumable"] == "1.0.0", "\(made.text)")
        let path = try #require(made.headers["location"])
        let headers = ["Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"]
        #expect(try client.send("PATCH", path, [1, 2, 3, 4], headers: headers).status == 204)
        let file = try client.send("GET", "/api/files/\(try #require(try made.json["id"] as? String))").json
        #expect(file["name"] as? String == "ä.pdf" && file["status"] as? String == "stored")
        #expect(try client.send("POST", "/api/files", headers: ["Upload-Length": "x"]).status == 400)
      }
    }
  }

  @Test func a_photo_is_served_upright_and_without_metadata() async throws {
    try Tool.requireSandbox()
    var options = ServerOptions.test { _ in }
    options.files.helperFolder = TestData.projectRoot + "/Sources/Fleet/FleetFiles/Helper"
    try await TestServer.run(options) { server in
      try await runBlocking {
        // Black above and white below; the EXIF orientation 6 turns it to the right. With a comment and a position.
        let photo = try Tool.run("/usr/bin/python3", ["-c", Self.photo])
        #expect(photo.status == 0, "\(photo.errors)")
        let client = try server.client(server.keys.admin)
        let id = try Self.upload(client, photo.stdout, name: "dent.jpg", pieces: 3)
        let file = try Self.finished(client, id)
        #expect(file["problem"] == nil && file["mediaType"] as? String == "image/jpeg", "\(file)")
        let expected: [String: String] = ["takenAt": "2026-05-04T10:20:30"]
        #expect(file["capture"] as? [String: String] == expected)
        let thumbnail = try client.send("GET", "/api/files/\(id)/content?version=thumbnail")
        #expect(thumbnail.headers["content-type"] == "image/jpeg")
        #expect(thumbnail.headers["content-disposition"] == "inline")
        let full = try client.send("GET", "/api/files/\(id)/content")
        #expect(!full.text.contains("secret") && !full.text.contains("Exif"))
        let read =
          #"import io,sys;from PIL import Image;i=Image.open(sys.stdin.buffer);"#
          + #"print(i.size,i.getpixel((20,40)),i.getpixel((i.width-20,40)))"#
        #expect(
          try Tool.run("/usr/bin/python3", ["-c", read], stdin: full.body).output
            == "(400, 600) (255, 255, 255) (0, 0, 0)\n")
        #expect(try Tool.run("/usr/bin/python3", ["-c", read], stdin: thumbnail.body).output.hasPrefix("(213, 320)"))
        let placed = try Self.upload(client, photo.stdout, more: #","keepPosition":true"#)
        let capture = try Self.finished(client, placed)["capture"] as? [String: Any]
        #expect(capture?["latitude"] as? Double == 48.2 && capture?["longitude"] as? Double == -16.5)
        // A damaged image is an attachment.
        let damaged = try Self.upload(client, Array(photo.stdout[..<300]))
        #expect((try Self.finished(client, damaged)["problem"] as? String)?.hasPrefix("not a valid image") ?? false)
        let original = try client.send("GET", "/api/files/\(damaged)/content")
        #expect(original.body == Array(photo.stdout[..<300]))
        #expect(original.headers["content-disposition"]?.hasPrefix("attachment") ?? false)
      }
    }
  }

  private static let photo = """
    import sys
    from PIL import Image
    image = Image.new("RGB", (600, 400), "black")
    image.paste("white", (0, 200, 600, 400))
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010E] = "secret"
    exif[0x8769] = {0x9003: "2026:05:04 10:20:30"}
    exif[0x8825] = {1: "N", 2: (48.0, 12.0, 0.0), 3: "W", 4: (16.0, 30.0, 0.0)}
    image.save(sys.stdout.buffer, "JPEG", exif=exif, comment=b"secret", quality=95)
    """
}
