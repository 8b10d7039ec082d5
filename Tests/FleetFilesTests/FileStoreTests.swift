import Crypto
import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetFiles

/// The contents of files and uploads in a folder.
@Suite struct FileStoreTests {
  private static let tenant = TenantID.standard
  private static let now = Timestamp(nanoseconds: 1_780_000_000_000_000_000)

  private static func hash(_ bytes: [UInt8]) -> String { Hexadecimal.text(Array(SHA256.hash(data: bytes))) }

  private static func upload(_ bytes: [UInt8], _ id: UUIDv7, _ store: FileStore) async throws -> String {
    let piece = try await store.append(to: id, at: 0, tenant: tenant)
    try await piece.write(bytes)
    try await piece.finish()
    let sha256 = try await store.complete(id, size: Int64(bytes.count), announced: nil, tenant: tenant).sha256
    try await store.removeUpload(id, tenant: tenant)
    return sha256
  }

  @Test func an_upload_continues_at_every_offset_at_which_it_was_cut() async throws {
    let scratch = try ScratchFolder()
    let bytes = (0..<64).map { UInt8($0 * 3) }
    for cut in 0...bytes.count {
      // A new object has the state of a restarted server.
      let id = UUIDv7.random(at: Self.now)
      let first = try await FileStore(folder: scratch.file("files")).append(to: id, at: 0, tenant: Self.tenant)
      try await first.write(Array(bytes[..<cut]))
      try await first.finish()
      let store = try FileStore(folder: scratch.file("files"))
      #expect(try await store.offset(of: id, tenant: Self.tenant) == Int64(cut))
      let second = try await store.append(to: id, at: Int64(cut), tenant: Self.tenant)
      try await second.write(Array(bytes[cut...]))
      try await second.finish()
      let size = Int64(bytes.count)
      let content = try await store.complete(id, size: size, announced: nil, tenant: Self.tenant)
      #expect(content.sha256 == Self.hash(bytes) && content.head == bytes)
      // After a crash, the upload is completed once more.
      let again = try await store.complete(id, size: size, announced: content.sha256, tenant: Self.tenant)
      #expect(again == content)
      try await store.removeUpload(id, tenant: Self.tenant)
      let stored = try await store.open(content.sha256, tenant: Self.tenant)
      #expect(try await stored.read(at: 0, count: 1_000) == bytes)
    }
  }

  @Test func pieces_with_a_wrong_offset_or_checksum_leave_no_bytes() async throws {
    let scratch = try ScratchFolder()
    let store = try FileStore(folder: scratch.file("files"))
    let id = UUIDv7.random(at: Self.now)
    await #expect(throws: FileError.offset(0)) { _ = try await store.append(to: id, at: 5, tenant: Self.tenant) }
    let piece = try await store.append(to: id, at: 0, tenant: Self.tenant)
    await #expect(throws: FileError.busy) { _ = try await store.append(to: id, at: 0, tenant: Self.tenant) }
    try await piece.write([1, 2, 3])
    await #expect(throws: FileError.checksum) {
      try await piece.finish(.sha256(Array(SHA256.hash(data: [UInt8]([1, 2, 4])))))
    }
    #expect(try await store.offset(of: id, tenant: Self.tenant) == 0)
  }

  @Test func a_piece_with_the_right_checksum_is_kept() async throws {
    let scratch = try ScratchFolder()
    let store = try FileStore(folder: scratch.file("files"))
    let id = UUIDv7.random(at: Self.now)
    for (offset, checksum) in [
      (0, UploadPiece.Checksum.sha1(Array(Insecure.SHA1.hash(data: [UInt8]([1, 2, 3]))))),
      (3, .sha256(Array(SHA256.hash(data: [UInt8]([1, 2, 3]))))),
    ] {
      let piece = try await store.append(to: id, at: Int64(offset), tenant: Self.tenant)
      try await piece.write([1, 2, 3])
      try await piece.finish(checksum)
    }
    #expect(try await store.offset(of: id, tenant: Self.tenant) == 6)
    await #expect(throws: FileError.otherContent(found: Self.hash([1, 2, 3, 1, 2, 3]))) {
      _ = try await store.complete(id, size: 6, announced: Self.hash([1]), tenant: Self.tenant)
    }
    #expect(try await store.offset(of: id, tenant: Self.tenant) == 0)
  }

  @Test func an_upload_is_complete_only_with_all_bytes_and_after_its_last_piece() async throws {
    let scratch = try ScratchFolder()
    let store = try FileStore(folder: scratch.file("files"))
    let id = UUIDv7.random(at: Self.now)
    func complete() async throws(FileError) {
      _ = try await store.complete(id, size: 3, announced: nil, tenant: Self.tenant)
    }
    await #expect(throws: FileError.offset(0)) { try await complete() }
    let first = try await store.append(to: id, at: 0, tenant: Self.tenant)
    try await first.write([1, 2])
    try await first.finish()
    await #expect(throws: FileError.offset(2)) { try await complete() }
    let last = try await store.append(to: id, at: 2, tenant: Self.tenant)
    try await last.write([3])
    // The checksum of the piece may be wrong, and its bytes would then be removed from the content.
    await #expect(throws: FileError.busy) { try await complete() }
    try await last.finish()
    try await complete()
  }

  @Test func the_same_content_of_several_uploads_at_once_is_stored_once() async throws {
    let scratch = try ScratchFolder()
    let store = try FileStore(folder: scratch.file("files"))
    let bytes = [UInt8](repeating: 7, count: 300_000)
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask { try await Self.upload(bytes, .random(at: Self.now), store) }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(names == [Self.hash(bytes)])
    #expect(try await store.store(bytes, tenant: Self.tenant) == Self.hash(bytes))
    let folder = scratch.file("files/default/contents/\(Self.hash(bytes).prefix(2))")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [Self.hash(bytes)])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.file("files/default/uploads")) == [])
    await #expect(throws: FileError.self) {
      _ = try await store.open(Self.hash(bytes), tenant: TenantID("other")!)
    }
  }

  @Test func a_sweep_removes_only_what_nothing_needs_and_what_is_old() async throws {
    let scratch = try ScratchFolder()
    let store = try FileStore(folder: scratch.file("files"))
    let (kept, lost) = (
      try await store.store([1], tenant: Self.tenant), try await store.store([2], tenant: Self.tenant)
    )
    let upload = UUIDv7.random(at: Self.now)
    let piece = try await store.append(to: upload, at: 0, tenant: Self.tenant)
    try await piece.write([1])
    try await piece.finish()
    func sweep(_ seconds: Int, _ uploads: Set<String>) async throws -> Int {
      try await store.sweep(keeping: [kept], uploads, unchangedFor: seconds, tenant: Self.tenant)
    }
    #expect(try await sweep(3_600, []) == 0)
    #expect(try await sweep(0, [upload.string]) == 1)
    #expect(try await sweep(0, []) == 1)
    _ = try await store.open(kept, tenant: Self.tenant)
    await #expect(throws: FileError.self) { _ = try await store.open(lost, tenant: Self.tenant) }
  }

  @Test func a_content_stays_for_some_time_after_its_last_file() async throws {
    let scratch = try ScratchFolder()
    let store = try FileStore(folder: scratch.file("files"))
    let names = [try await store.store([1], tenant: Self.tenant), try await store.store([2], tenant: Self.tenant)]
    let old = Date(timeIntervalSinceNow: -86_400)
    for name in names {
      let path = scratch.file("files/default/contents/\(name.prefix(2))/\(name)")
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
    }
    // Contents that were removed already are no fault.
    try await store.renew([names[0], Self.hash([3])], tenant: Self.tenant)
    #expect(try await store.sweep(keeping: [], [], unchangedFor: 3_600, tenant: Self.tenant) == 1)
    _ = try await store.open(names[0], tenant: Self.tenant)
  }

  @Test func types_come_from_the_content() {
    #expect(ContentType(head: [0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
    #expect(ContentType(head: Array("RIFF....WEBPVP8 ".utf8)) == .webp)
    #expect(ContentType(head: Array("....ftypheic".utf8)) == .heic)
    #expect(ContentType(head: Array("....ftypisom".utf8)) == .other)
    #expect(ContentType(head: Array("%PDF-1.7".utf8)) == .pdf)
    #expect(ContentType(head: Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)) == .other)
    #expect(ContentType(head: []) == .other)
  }
}
