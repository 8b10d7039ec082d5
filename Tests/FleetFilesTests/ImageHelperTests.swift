import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetFiles

/// The program that decodes images in a sandbox, with images that are damaged or made to harm.
@Suite struct ImageHelperTests {
  private static let folder = TestData.projectRoot + "/Sources/Fleet/FleetFiles/Helper"

  /// Returns an image that Pillow has encoded.
  ///
  /// - Parameter code: a Python expression whose value is an image.
  private static func image(_ code: String, _ format: String) throws -> [UInt8] {
    let script = "import sys;from PIL import Image;(\(code)).save(sys.stdout.buffer,'\(format)')"
    let made = try Tool.run("/usr/bin/python3", ["-c", script])
    #expect(made.status == 0, "\(made.errors)")
    return made.stdout
  }

  /// Stores bytes and makes their copies.
  private static func copies(_ bytes: [UInt8], _ store: FileStore) async throws -> [StoredFile.Version] {
    try Tool.requireSandbox()
    let sha256 = try await store.store(bytes, tenant: .standard)
    let content = try await store.open(sha256, tenant: .standard)
    return try await ImageHelper(folder: folder).copies(of: content, keepsPosition: false).copies.map(\.version)
  }

  private static func problem(_ bytes: [UInt8], _ store: FileStore) async throws -> String? {
    do {
      _ = try await copies(bytes, store)
      return nil
    } catch let error as ImageHelper.Unusable {
      return error.reason
    }
  }

  @Test(arguments: ["JPEG", "PNG", "WEBP"])
  func an_image_gets_copies(_ format: String) async throws {
    let scratch = try ScratchFolder()
    let store = try FolderFileStore(folder: scratch.file("files"))
    let versions = try await Self.copies(try Self.image("Image.new('RGB',(800,600),'red')", format), store)
    #expect(versions.map(\.name) == ["full", "thumbnail"])
    #expect(versions.map(\.width) == [800, 320] && versions.map(\.height) == [600, 240])
  }

  /// Phones write HEIC, which a library of its own decodes.
  @Test func an_image_in_HEIC_gets_copies() async throws {
    let scratch = try ScratchFolder()
    let store = try FolderFileStore(folder: scratch.file("files"))
    let (source, photo) = (scratch.file("a.png"), scratch.file("a.heic"))
    let code = "Image.linear_gradient('L').convert('RGB').resize((640,480))"
    try Data(try Self.image(code, "PNG")).write(to: URL(fileURLWithPath: source))
    let made = try Tool.run(try Tool.required("heif-enc"), ["-o", photo, source])
    #expect(made.status == 0, "\(made.errors)")
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: photo)))
    #expect(ContentType(head: bytes) == .heic)
    let versions = try await Self.copies(bytes, store)
    #expect(versions.map(\.width) == [640, 320] && versions.map(\.height) == [480, 240])
    #expect(try await Self.problem(Array(bytes[..<(bytes.count / 2)]), store) != nil)
  }

  @Test func images_that_are_too_large_or_no_images_are_reported() async throws {
    let scratch = try ScratchFolder()
    let store = try FolderFileStore(folder: scratch.file("files"))
    // 100 megapixels in some kilobytes.
    let bomb = try Self.image("Image.new('L',(10000,10000))", "PNG")
    #expect(bomb.count < 200_000)
    #expect(try await Self.problem(bomb, store)?.hasPrefix("expected at most 50 megapixels") ?? false)
    let wide = try Self.image("Image.new('1',(60000,2))", "PNG")
    #expect(try await Self.problem(wide, store)?.hasPrefix("expected at most 50 megapixels") ?? false)
    let text = Array(#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#.utf8)
    #expect(try await Self.problem(text, store)?.hasPrefix("not a valid image") ?? false)
    let gif = try Self.image("Image.new('P',(8,8))", "GIF")
    #expect(try await Self.problem(gif, store)?.hasPrefix("not a valid image") ?? false)
  }

  /// An image followed by an archive is both. Its copies are only images.
  @Test func what_follows_an_image_is_not_in_its_copies() async throws {
    let scratch = try ScratchFolder()
    let store = try FolderFileStore(folder: scratch.file("files"))
    let both = try Self.image("Image.new('RGB',(64,64))", "JPEG") + Array("PK\u{3}\u{4}<script>alert(1)</script>".utf8)
    for version in try await Self.copies(both, store) {
      let content = try await store.store(both, tenant: .standard)
      #expect(version.sha256 != content && version.size < both.count * 4)
    }
    let helper = try ImageHelper(folder: Self.folder)
    let content = try await store.open(try await store.store(both, tenant: .standard), tenant: .standard)
    for copy in try await helper.copies(of: content, keepsPosition: false).copies {
      #expect(!String(decoding: copy.bytes, as: UTF8.self).contains("script"))
    }
  }

  /// The number of damaged images: some in the suite, more with IMAGE_DAMAGES.
  private static let damages = ProcessInfo.processInfo.environment["IMAGE_DAMAGES"].flatMap { Int($0) } ?? 24

  @Test func damaged_images_are_answered() async throws {
    let scratch = try ScratchFolder()
    let store = try FolderFileStore(folder: scratch.file("files"))
    let noise = "Image.effect_noise((160,120),90).convert('RGB')"
    let whole = try ["JPEG", "PNG", "WEBP"].map { try Self.image(noise, $0) }
    var random = SplitMix(seed: 20_261_123)
    for number in 0..<Self.damages {
      var bytes = whole[number % whole.count]
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
      // Copies or a reason: anything else is an error of the server.
      _ = try await Self.problem(bytes, store)
    }
  }

  /// Each image in a process of its own, and without the sandbox, so that many are decoded: `make fuzz-images` decodes 100,000.
  @Test func damaged_and_hostile_images_of_every_kind_are_answered() throws {
    _ = try Tool.required("heif-enc")
    let run = try Tool.run(
      "/usr/bin/python3", ["-W", "ignore", TestData.projectRoot + "/scripts/image-fuzz.py", "600", "1"],
      limit: .seconds(300))
    #expect(run.status == 0 && run.output.hasPrefix("600 images: "), "\(run.output) \(run.errors)")
  }

  /// The same for 3D models: `make fuzz-models` converts 20,000. These are of the ones made to harm.
  @Test func hostile_models_are_answered() throws {
    guard FileManager.default.fileExists(atPath: TestData.projectRoot + "/.tools/models/trimesh") else {
      try Tool.missing("trimesh", remedy: "scripts/install.sh models")
    }
    let run = try Tool.run(
      "/usr/bin/python3", ["-W", "ignore", TestData.projectRoot + "/scripts/model-fuzz.py", "40", "1"],
      limit: .seconds(300))
    #expect(run.status == 0 && run.output.hasPrefix("40 models: "), "\(run.output) \(run.errors)")
  }

  @Test func the_sandbox_has_no_network_and_no_files_of_the_server() throws {
    let probe = """
      import os, socket
      found = []
      try:
          socket.create_connection(("127.0.0.1", 9), 1)
      except OSError as error:
          found.append(type(error).__name__)
      found += [name for name in ("/etc/passwd", "/root", "/home", "/var", "/work") if os.path.exists(name)]
      print(found, len(os.listdir("/tmp")), sorted(os.environ))
      """
    try Tool.requireSandbox()
    let scratch = try ScratchFolder()
    try scratch.write("images.py", probe)
    let helper = try ImageHelper(folder: scratch.path)
    let run = try Tool.run("/usr/bin/bwrap", Array(helper.command([]).dropFirst()))
    #expect(run.output.hasPrefix("['ConnectionRefusedError'] 0 ") || run.output.hasPrefix("['OSError'] 0 "), "\(run)")
  }

  @Test func a_helper_that_hangs_or_writes_without_end_is_killed() throws {
    let input = try FolderFile("/dev/null", O_RDONLY)
    let slow = try HelperProcess.run(["/bin/sleep", "600"], input: input, limit: 10, seconds: 1)
    #expect(slow == .tooSlow)
    let long = try HelperProcess.run(["/usr/bin/yes"], input: input, limit: 1 << 20, seconds: 60)
    #expect(long == .failed)
    #expect(try HelperProcess.run(["/bin/false"], input: input, limit: 10, seconds: 60) == .failed)
    #expect(throws: FileError.self) { try HelperProcess.run(["/nowhere"], input: input, limit: 10, seconds: 60) }
  }

  @Test func a_missing_program_is_named() {
    #expect(throws: ImageHelper.Unavailable.self) { try ImageHelper(folder: "/nowhere") }
  }
}
