import Crypto
import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetFiles

/// The contents of files and uploads, in a folder and in a bucket.
@Suite struct FileStoreTests {
  private static let (tenant, now) = (StoreBed.tenant, StoreBed.now)

  private static func hash(_ bytes: [UInt8]) -> String { StoreBed.hash(bytes) }

  @Test(arguments: StoreBed.Kind.allCases)
  func an_upload_continues_at_every_offset_at_which_it_was_cut(_ kind: StoreBed.Kind) async throws {
    try await Self.cut((0..<64).map { UInt8($0 * 3) }, at: Array(0...64), kind)
  }

  /// A bucket has objects for parts of this length.
  @Test(arguments: StoreBed.Kind.allCases)
  func a_long_upload_continues_at_the_ends_of_its_parts(_ kind: StoreBed.Kind) async throws {
    let part = S3Part.fullBytes
    let bytes = (0..<(2 * part + 3)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    try await Self.cut(bytes, at: [0, 1, part - 1, part, part + 1, 2 * part, bytes.count - 1, bytes.count], kind)
  }

  private static func cut(_ bytes: [UInt8], at cuts: [Int], _ kind: StoreBed.Kind) async throws {
    let bed = try StoreBed(kind)
    let size = Int64(bytes.count)
    for cut in cuts {
      // A new object has the state of a restarted server, or of another one.
      let id = UUIDv7.random(at: now)
      _ = try await bed.open().send(bytes[..<cut], to: id)
      let store = try bed.open()
      #expect(try await store.offset(of: id, tenant: tenant) == Int64(cut))
      let last = try await store.send(bytes[cut...], to: id, at: Int64(cut))
      let content = try await store.complete(id, size: size, announced: nil, last: last, tenant: tenant)
      #expect(content.sha256 == hash(bytes) && content.head == Array(bytes.prefix(4_096)))
      // After a crash, the upload is completed once more, perhaps by another server.
      let again = try await bed.open().complete(
        id, size: size, announced: content.sha256, last: nil, tenant: tenant)
      #expect(again == content)
      try await store.removeUpload(id, tenant: tenant)
      #expect(try await store.offset(of: id, tenant: tenant) == 0)
      #expect(try await store.content(content.sha256) == bytes)
      let stored = try await store.open(content.sha256, tenant: tenant)
      let middle = Int(size) / 2
      #expect(try await stored.read(at: Int64(middle), count: 10) == Array(bytes[middle..<(middle + 10)]))
      #expect(try await stored.read(at: size, count: 10) == [])
    }
  }

  @Test(arguments: StoreBed.Kind.allCases)
  func pieces_with_a_wrong_offset_or_checksum_leave_no_bytes(_ kind: StoreBed.Kind) async throws {
    let bed = try StoreBed(kind)
    let store = try bed.open()
    let id = UUIDv7.random(at: Self.now)
    func append(at offset: Int64) async throws -> any UploadPiece {
      let checksum = PieceChecksum.sha256(Array(SHA256.hash(data: [UInt8]([1, 2, 4]))))
      return try await store.append(to: id, at: offset, checksum: checksum, tenant: Self.tenant)
    }
    await #expect(throws: FileError.offset(0)) { _ = try await append(at: 5) }
    let piece = try await append(at: 0)
    await #expect(throws: FileError.busy) { _ = try await append(at: 0) }
    try await piece.write([1, 2, 3])
    await #expect(throws: FileError.checksum) { try await piece.finish() }
    #expect(try await store.offset(of: id, tenant: Self.tenant) == 0)
    // Also of a piece of several parts, nothing remains; and what was there before it, stays.
    _ = try await store.send([9, 9], to: id)
    let long = try await append(at: 2)
    try await long.write([UInt8](repeating: 5, count: 2 * S3Part.fullBytes))
    await #expect(throws: FileError.checksum) { try await long.finish() }
    #expect(try await bed.open().offset(of: id, tenant: Self.tenant) == 2)
  }

  @Test(arguments: StoreBed.Kind.allCases)
  func a_piece_with_the_right_checksum_is_kept(_ kind: StoreBed.Kind) async throws {
    let bed = try StoreBed(kind)
    let store = try bed.open()
    let id = UUIDv7.random(at: Self.now)
    for (offset, checksum) in [
      (0, PieceChecksum.sha1(Array(Insecure.SHA1.hash(data: [UInt8]([1, 2, 3]))))),
      (3, .sha256(Array(SHA256.hash(data: [UInt8]([1, 2, 3]))))),
    ] {
      _ = try await store.send([1, 2, 3], to: id, at: Int64(offset), checksum: checksum)
    }
    #expect(try await store.offset(of: id, tenant: Self.tenant) == 6)
    await #expect(throws: FileError.otherContent(found: Self.hash([1, 2, 3, 1, 2, 3]))) {
      _ = try await store.complete(id, size: 6, announced: Self.hash([1]), last: nil, tenant: Self.tenant)
    }
    #expect(try await store.offset(of: id, tenant: Self.tenant) == 0)
  }

  @Test(arguments: StoreBed.Kind.allCases)
  func an_upload_is_complete_only_with_all_bytes_and_after_its_last_piece(_ kind: StoreBed.Kind) async throws {
    let bed = try StoreBed(kind)
    let store = try bed.open()
    let id = UUIDv7.random(at: Self.now)
    func complete() async throws(FileError) {
      _ = try await store.complete(id, size: 3, announced: nil, last: nil, tenant: Self.tenant)
    }
    await #expect(throws: FileError.offset(0)) { try await complete() }
    _ = try await store.send([1, 2], to: id)
    await #expect(throws: FileError.offset(2)) { try await complete() }
    let last = try await store.append(to: id, at: 2, checksum: nil, tenant: Self.tenant)
    try await last.write([3])
    // The checksum of the piece may be wrong, and its bytes would then be removed from the content.
    await #expect(throws: FileError.busy) { try await complete() }
    try await last.finish()
    try await complete()
  }

  @Test(arguments: StoreBed.Kind.allCases)
  func the_same_content_of_several_uploads_at_once_is_stored_once(_ kind: StoreBed.Kind) async throws {
    let bed = try StoreBed(kind)
    let store = try bed.open()
    let bytes = [UInt8](repeating: 7, count: 300_000)
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask { try await store.upload(bytes) }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(names == [Self.hash(bytes)])
    #expect(try await store.store(bytes, tenant: Self.tenant) == Self.hash(bytes))
    // In a bucket, some may have stored it at the same time. A sweep marks the others, and the next one removes them.
    for _ in 0..<2 { _ = try await store.sweep(keeping: names, [], unchangedFor: 0, tenant: Self.tenant) }
    #expect(try await store.content(Self.hash(bytes)) == bytes)
    if let s3 = store as? S3FileStore {
      #expect(try await s3.client.objects(s3.contentsFolder(Self.tenant), for: nil).count == 2)
      #expect(try await s3.client.objects(s3.uploadsFolder(Self.tenant), for: nil).isEmpty)
    } else {
      let folder = bed.scratch.file("files/default/contents/\(Self.hash(bytes).prefix(2))")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [Self.hash(bytes)])
      #expect(try FileManager.default.contentsOfDirectory(atPath: bed.scratch.file("files/default/uploads")) == [])
    }
    await #expect(throws: FileError.self) {
      _ = try await store.open(Self.hash(bytes), tenant: TenantID("other")!)
    }
  }

  @Test(arguments: StoreBed.Kind.allCases)
  func a_sweep_removes_only_what_nothing_needs_and_what_is_old(_ kind: StoreBed.Kind) async throws {
    let bed = try StoreBed(kind)
    let store = try bed.open()
    let (kept, lost) = (
      try await store.store([1], tenant: Self.tenant), try await store.store([2], tenant: Self.tenant)
    )
    let upload = UUIDv7.random(at: Self.now)
    _ = try await store.send([1], to: upload)
    func sweep(_ seconds: Int, _ uploads: Set<String>) async throws -> Int {
      try await store.sweep(keeping: [kept], uploads, unchangedFor: seconds, tenant: Self.tenant)
    }
    #expect(try await sweep(3_600, []) == 0)
    #expect(try await store.content(lost) == [2])
    #expect(try await sweep(0, [upload.string]) == 1)
    #expect(try await sweep(0, []) == 1)
    _ = try await store.open(kept, tenant: Self.tenant)
    await #expect(throws: FileError.self) { _ = try await store.open(lost, tenant: Self.tenant) }
  }

  @Test func a_content_in_a_folder_stays_for_some_time_after_its_last_file() async throws {
    let scratch = try ScratchFolder()
    let store = try FolderFileStore(folder: scratch.file("files"))
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
