import Foundation
import Glibc
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Clients upload files in pieces, and the server is killed at a random time. No byte whose arrival was answered is lost,
/// each upload continues where it ended, and each complete file has its bytes.
@Suite struct FileKillTests {
  enum Database: String, CaseIterable, CustomTestStringConvertible {
    case sqlite, postgreSQL
    /// PostgreSQL, with the contents of files in S3-compatible storage.
    case bucket

    var testDescription: String { rawValue }
  }

  /// The number of kills; more with FILE_KILLS.
  private static let kills = ProcessInfo.processInfo.environment["FILE_KILLS"].flatMap { Int($0) } ?? 8

  /// The server that runs at present.
  private struct Site: @unchecked Sendable {
    let store: ServedStore
    let token: String
  }

  /// A client that uploads one file after another, also across restarts of the server. One thread uses it at a time.
  private final class Uploader: @unchecked Sendable {
    private struct File {
      let id: String
      let bytes: [UInt8]
      /// Whether the server has answered that the file exists.
      var isMade = false
      /// The number of bytes whose arrival was answered.
      var answered = 0
      /// The number of bytes that were sent at least once.
      var sent = 0
    }

    struct Fault: Error {
      let what: String
    }

    private var random: SplitMix
    private var file: File
    private(set) var complete: [(id: String, bytes: [UInt8])] = []
    private(set) var fault: Fault?

    init(seed: UInt64) {
      random = SplitMix(seed: seed)
      file = Self.file(&random)
    }

    private static func file(_ random: inout SplitMix) -> File {
      let bits = String(format: "%012llx", random.next() >> 16)
      return File(
        id: "01980000-0000-7000-8000-\(bits)",
        bytes: (0..<Int.random(in: 1...300_000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// Uploads files until the server does not answer.
    ///
    /// - Parameter answers: counts the answers.
    func work(_ site: Site, _ answers: Counter) {
      do {
        let socket = try LoadSocket(port: site.store.port)
        if file.isMade { try resume(site) }
        while true {
          if file.isMade { try sendPiece(socket, site.token) } else { try make(socket, site.token) }
          _ = answers.add(1)
        }
      } catch let error as Fault {
        fault = error
        _ = answers.add(1_000_000)
      } catch {
        // The server was killed.
      }
    }

    private func make(_ socket: LoadSocket, _ token: String) throws {
      let body = Array(#"{"name":"a.bin","size":\#(file.bytes.count)}"#.utf8)
      let answer = try socket.send(
        "PUT", "/api/files/\(file.id)", key: token, body, "Content-Type: application/json\r\nIf-None-Match: *\r\n")
      guard answer.contains(" 201 ") || answer.contains(" 200 ") else { throw Fault(what: answer) }
      file.isMade = true
    }

    private func sendPiece(_ socket: LoadSocket, _ token: String) throws {
      let end = Int.random(in: (file.answered + 1)...file.bytes.count, using: &random)
      file.sent = max(file.sent, end)
      let fields = "Upload-Offset: \(file.answered)\r\nContent-Type: application/offset+octet-stream\r\n"
      let answer = try socket.send(
        "PATCH", "/api/files/\(file.id)/content", key: token, Array(file.bytes[file.answered..<end]), fields)
      guard answer.contains(" 204 ") else { throw Fault(what: answer) }
      file.answered = end
      if end == file.bytes.count { finish() }
    }

    private func finish() {
      complete.append((file.id, file.bytes))
      file = Self.file(&random)
    }

    /// Asks the restarted server how many bytes it has.
    private func resume(_ site: Site) throws {
      let head = try site.store.request("/api/files/\(file.id)/content", token: site.token, ["-I"]).lowercased()
      // No answer: the server was killed again.
      guard !head.isEmpty else { throw LoadSocket.Failure(what: "no answer") }
      guard head.contains(" 200 ") else { throw Fault(what: head) }
      let offset = head.firstMatch(of: #/upload-offset: (\d+)/#).flatMap { Int($0.1) }
      // A complete file has no offset.
      let arrived = offset ?? file.bytes.count
      guard arrived >= file.answered, arrived <= file.sent else {
        throw Fault(what: "\(arrived) bytes arrived; answered \(file.answered), sent \(file.sent)")
      }
      file.answered = arrived
      if arrived == file.bytes.count { finish() }
    }
  }

  @Test(arguments: Database.allCases)
  func no_answered_byte_is_lost_by_a_kill_at_any_time(_ database: Database) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      try scratch.writeSecret("secret.keys", String(repeating: "7", count: 64) + "\n")
      let address = database == .sqlite ? "sqlite:fleet.db" : try PostgreSQLServer.shared.database()
      let peer = database == .bucket ? try S3Peer() : nil
      try scratch.writeSecret("s3.secret", S3Peer.secretKey + "\n")
      let files =
        peer.map {
          #"{"s3":{"url":"http://127.0.0.1:\#($0.port)","bucket":"\#(S3Peer.bucket)","accessKey":"#
            + #""\#(S3Peer.accessKey)","secretKeyFile":"s3.secret"}}"#
        } ?? #"{"folder":"files"}"#
      let settings = try scratch.write(
        "c.json",
        #"{"database":"\#(address)","files":\#(files),"accounts":{"secretKeysFile":"secret.keys"}}"#)
      var store = try ServedStore(["--config", settings])
      defer { store.program.kill() }
      let token = try #require(store.token)
      let seed = UInt64.random(in: 0...UInt64.max)
      var random = SplitMix(seed: seed)
      let uploaders = [Uploader(seed: random.next()), Uploader(seed: random.next())]
      for _ in 0..<Self.kills {
        let (site, answers, ended) = (Site(store: store, token: token), Counter(), DispatchGroup())
        for uploader in uploaders {
          ended.enter()
          Thread.detachNewThread {
            uploader.work(site, answers)
            ended.leave()
          }
        }
        // The kill comes during one of the next requests.
        answers.wait(for: Int.random(in: 1...20, using: &random))
        let end = ContinuousClock.now + .microseconds(Int.random(in: 0...20_000, using: &random))
        while .now < end { sched_yield() }
        try store.program.killNow()
        ended.wait()
        for fault in uploaders.compactMap(\.fault) { Issue.record("seed \(seed): \(fault.what)") }
        store = try ServedStore(["--config", settings], isFirst: false)
      }
      let checked = try FleetstoreProgram.run(["audit", "verify", "--config", settings], in: scratch.path)
      #expect(checked.status == 0, "\(checked.output) \(checked.errors)")
      let copy = scratch.file("copy")
      for (id, bytes) in uploaders.flatMap(\.complete) {
        _ = try store.request("/api/files/\(id)/content", token: token, ["-o", copy])
        let isWhole = try [UInt8](Data(contentsOf: URL(fileURLWithPath: copy))) == bytes
        #expect(isWhole, "seed \(seed), \(id)")
      }
    }
  }
}
