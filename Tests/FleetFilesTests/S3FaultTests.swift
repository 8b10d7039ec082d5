import FleetDomain
import Foundation
import Telemetry
import TestKit
import Testing

@testable import FleetFiles

/// S3-compatible storage that fails.
@Suite struct S3FaultTests {
  /// A storage for one test, and a store in it with short limits of time.
  private struct Bed {
    let peer: S3Peer
    let bucket: S3Bucket
    let store: S3FileStore

    init() throws {
      peer = try S3Peer()
      bucket = try StoreBed.bucket(peer)
      store = S3FileStore(
        bucket, S3Limits(connectMilliseconds: 2_000, requestMilliseconds: 20_000, slowSeconds: 3), now: StoreBed.clock)
    }
  }

  private static let bytes = (0..<(S3Part.fullBytes + 1_000)).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }

  /// Each of the requests of an upload fails once.
  @Test(arguments: ["internal", "slowDown", "reset", "lostAnswer", "badDigest", "cutBody", "hang"])
  func an_upload_survives_a_fault_of_any_request(_ fault: String) async throws {
    let bed = try Bed()
    _ = try bed.peer.requests()
    _ = try await bed.store.upload(Self.bytes)
    let count = try bed.peer.requests()
    #expect(count > 5)
    // A storage that hangs takes three seconds each time. Requests on a busy machine take less.
    for number in fault == "hang" ? [1, count / 2, count] : Array(1...count) {
      let id = UUIDv7.random(at: StoreBed.now)
      let bytes = Self.bytes + [UInt8(number)]
      if number > 1 { try bed.peer.fail("none", count: number - 1) }
      try bed.peer.fail(fault)
      _ = try bed.peer.requests()
      #expect(try await bed.store.upload(bytes, id) == StoreBed.hash(bytes), "\(fault) \(number)")
      // The request that failed was sent again. An answer without a body is already complete when it is cut.
      #expect(try bed.peer.requests() >= (fault == "cutBody" ? count : count + 1), "\(fault) \(number)")
      try bed.peer.clear()
      #expect(try await bed.store.content(StoreBed.hash(bytes)) == bytes)
    }
  }

  @Test func a_storage_that_stores_other_bytes_is_noticed_and_the_upload_stays() async throws {
    for fault in ["storeOther", "storeLess"] {
      let bed = try Bed()
      let id = UUIDv7.random(at: StoreBed.now)
      try bed.peer.fail(fault, method: "PUT", match: "/uploads/")
      let piece = try await bed.store.send(Self.bytes, to: id)
      await #expect(throws: FileError.self) {
        _ = try await bed.store.complete(
          id, size: Int64(Self.bytes.count), announced: nil, last: piece, tenant: StoreBed.tenant)
      }
      await #expect(throws: FileError.self) { _ = try await bed.store.content(StoreBed.hash(Self.bytes)) }
      // Also another server, which has not seen the bytes, notices it.
      await #expect(throws: FileError.self) {
        _ = try await S3FileStore(bed.bucket, now: StoreBed.clock).complete(
          id, size: Int64(Self.bytes.count), announced: nil, last: nil, tenant: StoreBed.tenant)
      }
      // The copy of an image is stored without an upload.
      try bed.peer.fail(fault, method: "PUT", match: "/contents/")
      await #expect(throws: FileError.self) { _ = try await bed.store.store([1, 2, 3], tenant: StoreBed.tenant) }
      await #expect(throws: FileError.self) { _ = try await bed.store.content(StoreBed.hash([1, 2, 3])) }
      #expect(try await bed.store.store([1, 2, 3], tenant: StoreBed.tenant) == StoreBed.hash([1, 2, 3]))
    }
  }

  @Test func a_storage_that_sends_other_bytes_is_noticed_before_the_last_ones() async throws {
    let bed = try Bed()
    let sha256 = try await bed.store.upload(Self.bytes)
    try bed.peer.fail("sendOther", method: "GET", match: "/contents/\(sha256)/")
    await #expect(throws: FileError.self) { _ = try await bed.store.content(sha256) }
    // A block that is too short is requested again.
    try bed.peer.fail("sendLess", method: "GET", match: "/contents/\(sha256)/")
    #expect(try await bed.store.content(sha256) == Self.bytes)
  }

  @Test func an_error_after_the_status_200_is_noticed() async throws {
    let bed = try Bed()
    let id = UUIDv7.random(at: StoreBed.now)
    let piece = try await bed.store.send(Self.bytes, to: id)
    for match in ["partNumber=2", "uploadId="] {
      try bed.peer.fail("lateError", method: match == "uploadId=" ? "POST" : "PUT", match: match)
      await #expect(throws: FileError.self) {
        _ = try await bed.store.complete(
          id, size: Int64(Self.bytes.count), announced: nil, last: piece, tenant: StoreBed.tenant)
      }
    }
    #expect(
      try await bed.store.complete(
        id, size: Int64(Self.bytes.count), announced: nil, last: piece, tenant: StoreBed.tenant
      ).sha256 == StoreBed.hash(Self.bytes))
  }

  @Test(arguments: [
    ("skew", "set the clock"), ("denied", "access is denied"), ("noBucket", "does not exist"), ("region", "region"),
  ])
  func settings_that_cannot_work_are_reported_by_the_check(_ fault: String, _ remedy: String) async throws {
    let bed = try Bed()
    try await bed.store.check()
    try bed.peer.fail(fault, count: 100)
    let error = await #expect(throws: FileError.self) { try await bed.store.check() }
    guard case .system(let reason)? = error else { throw TestFault(description: "\(String(describing: error))") }
    #expect(reason.contains(remedy) && !reason.contains(S3Peer.secretKey) && !reason.contains("\n"))
  }

  @Test func wrong_keys_are_reported_by_the_check() async throws {
    let bed = try Bed()
    var wrong = bed.bucket
    wrong.secretKey = "other"
    for (bucket, remedy) in [(wrong, "secret key does not belong")] {
      let error = await #expect(throws: FileError.self) {
        try await S3FileStore(bucket, now: StoreBed.clock).check()
      }
      #expect("\(String(describing: error))".contains(remedy))
    }
  }

  /// While one tenant waits for a storage that hangs, another tenant uses it.
  @Test func a_tenant_with_hanging_requests_does_not_delay_another() async throws {
    let bed = try Bed()
    let other = TenantID("other")!
    let store = S3FileStore(
      bed.bucket, S3Limits(connectMilliseconds: 2_000, requestMilliseconds: 60_000, slowSeconds: 30),
      now: StoreBed.clock)
    try bed.peer.fail("hang", count: 1_000, match: "%2Fdefault%2F")
    try bed.peer.fail("hang", count: 1_000, match: "/default/")
    await withTaskGroup { group in
      for _ in 0..<20 {
        group.addTask { _ = try? await store.upload([1], .random(at: StoreBed.now)) }
      }
      group.addTask {
        do {
          let sha256 = try await store.store([5], tenant: other)
          #expect(sha256 == StoreBed.hash([5]))
        } catch {
          Issue.record(error)
        }
        // Ends the requests of the first tenant.
        try? bed.peer.stop()
      }
    }
  }

  @Test func requests_fail_at_once_only_for_the_tenant_whose_requests_are_not_answered() async throws {
    let bed = try Bed()
    let other = TenantID("other")!
    let limits = S3Limits(
      connectMilliseconds: 2_000, requestMilliseconds: 20_000, slowSeconds: 1, attempts: 1, pause: .seconds(600))
    let store = S3FileStore(bed.bucket, limits, now: StoreBed.clock)
    // libcurl itself repeats a request if a connection that was kept open ends before the answer begins.
    try bed.peer.fail("cutBody", count: 3, match: "default")
    for number in UInt8(1)...3 {
      await #expect(throws: FileError.self) { _ = try await store.store([number], tenant: StoreBed.tenant) }
      #expect(try await store.store([number], tenant: other) == StoreBed.hash([number]))
    }
    _ = try bed.peer.requests()
    await #expect(throws: FileError.self) { _ = try await store.store([4], tenant: StoreBed.tenant) }
    #expect(try bed.peer.requests() == 0)
    #expect(try await store.store([4], tenant: other) == StoreBed.hash([4]))
  }

  @Test func a_storage_that_is_down_fails_at_once_and_later_works_again() async throws {
    let bed = try Bed()
    try bed.peer.fail("reset", count: 8)
    let started = ContinuousClock.now
    let results = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          do {
            _ = try await bed.store.store([UInt8(number)], tenant: StoreBed.tenant)
            return true
          } catch {
            if case .unavailable = error as? FileError { return false }
            Issue.record(error)
            return false
          }
        }
      }
      return await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(results.contains(false) && ContinuousClock.now - started < .seconds(30))
    try bed.peer.clear()
    let deadline = ContinuousClock.now + .seconds(60)
    var isStored = false
    while !isStored, .now < deadline {
      isStored = (try? await bed.store.store([1], tenant: StoreBed.tenant)) != nil
    }
    #expect(isStored)
  }
}

private struct TestFault: Error { let description: String }
