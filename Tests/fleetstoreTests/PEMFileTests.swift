import Foundation
import Glibc
import TestKit
import Testing

@testable import FleetstoreTestKit

/// Certificates and keys that a configuration names: `--check` and the start report an error with the file's name
/// before they change anything.
@Suite struct PEMFileTests {
  /// The defects of the files that a server's configuration names.
  enum Wrong: CaseIterable, Sendable {
    case missing, keyMissing, pipe, keyPipe, folder, empty, keyEmpty, noCertificate, broken, noKey, brokenKey, encrypted
    case openKey, otherKey
  }

  @Test(arguments: Wrong.allCases)
  func an_unusable_PEM_file_of_the_server_is_named(_ wrong: Wrong) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      try Certificates().write("server", in: scratch)
      let (certificate, key) = (scratch.file("server.pem"), scratch.file("server.key"))
      func rewrite(_ path: String, _ text: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
      }
      let said: String
      switch wrong {
      case .missing: said = try Self.removeFile(certificate, "server.pem: cannot be read: No such file")
      case .keyMissing: said = try Self.removeFile(key, "server.key: cannot be read: No such file")
      case .pipe, .keyPipe:
        let path = wrong == .pipe ? certificate : key
        said = try Self.removeFile(path, "\(path): a pipe or a device, expected a file")
        #expect(unsafe mkfifo(path, 0o600) == 0)
      case .folder:
        said = try Self.removeFile(certificate, "server.pem: a directory, expected a file")
        try FileManager.default.createDirectory(atPath: certificate, withIntermediateDirectories: false)
      case .empty: (said, _) = ("server.pem without one", try rewrite(certificate, ""))
      case .keyEmpty: (said, _) = ("server.key without one", try rewrite(key, ""))
      case .noCertificate: (said, _) = ("server.pem without one", try rewrite(certificate, "a certificate\n"))
      case .noKey: (said, _) = ("server.key without one", try rewrite(key, "a key\n"))
      case .broken:
        try rewrite(certificate, Self.empty("CERTIFICATE"))
        said = "server.pem with none that can be read"
      case .brokenKey:
        try rewrite(key, Self.empty("PRIVATE KEY"))
        said = "server.key with none that can be read"
      case .encrypted:
        let made = try Tool.run(
          "openssl", ["ec", "-aes128", "-passout", "pass:secret", "-in", key, "-out", key + ".new"])
        #expect(made.status == 0, "\(made.errors)")
        #expect(unsafe rename(key + ".new", key) == 0)
        said = "without a passphrase"
      case .openKey:
        #expect(unsafe chmod(key, 0o644) == 0)
        said = "server.key: everyone can read or write this secret; run chmod 600"
      case .otherKey:
        try Certificates().write("other", in: scratch)
        #expect(unsafe rename(scratch.file("other.key"), key) == 0)
        said = "server.pem, found another one in"
      }
      try Self.expectRefused(#"{"tls":{"certificate":"server.pem","key":"server.key"}}"#, "tls", said, in: scratch)
    }
  }

  @Test(arguments: [0o600, 0o640, 0o440, 0o400])
  func a_key_may_be_readable_by_its_group_and_a_certificate_by_all(_ mode: mode_t) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      try Certificates().write("server", in: scratch)
      #expect(unsafe chmod(scratch.file("server.key"), mode) == 0 && chmod(scratch.file("server.pem"), 0o644) == 0)
      let file = try scratch.write("c.json", #"{"tls":{"certificate":"server.pem","key":"server.key"}}"#)
      let result = try FleetstoreProgram.run(["serve", "--check", "--config", file], in: scratch.path)
      #expect(result.status == 0, "\(result.errors)")
    }
  }

  @Test(arguments: [
    (#"{"caFile":"none.pem"}"#, "caFile", "none.pem: cannot be read"),
    (#"{"caFile":"pipe"}"#, "caFile", "pipe: a pipe or a device, expected a file"),
    (#"{"caFile":"client.key"}"#, "caFile", "client.key without one"),
    (#"{"certificateFile":"none.pem","keyFile":"client.key"}"#, "certificateFile", "none.pem: cannot be read"),
    (#"{"certificateFile":"client.pem","keyFile":"none.key"}"#, "keyFile", "none.key: cannot be read"),
    (#"{"certificateFile":"client.pem","keyFile":"client.pem"}"#, "keyFile", "chmod 600"),
  ])
  func an_unusable_PEM_file_of_the_broker_is_named(_ tls: String, _ key: String, _ said: String) async throws {
    try await runBlocking {
      let scratch = try ScratchFolder()
      try Certificates().write("client", in: scratch)
      #expect(unsafe chmod(scratch.file("client.pem"), 0o644) == 0 && mkfifo(scratch.file("pipe"), 0o600) == 0)
      for scheme in ["mqtts", "amqps"] {
        let text = #"{"broker":{"urls":["\#(scheme)://fleet@127.0.0.1:1"],"tls":\#(tls)}}"#
        try Self.expectRefused(text, "broker.tls.\(key)", said, in: scratch)
      }
    }
  }

  /// Returns a block with a label and without a content.
  private static func empty(_ label: String) -> String { "-----BEGIN \(label)-----\nAAAA\n-----END \(label)-----\n" }

  private static func removeFile(_ path: String, _ said: String) throws -> String {
    try FileManager.default.removeItem(atPath: path)
    return said
  }

  private static func expectRefused(
    _ configuration: String, _ key: String, _ said: String, in scratch: borrowing ScratchFolder
  ) throws {
    let file = try scratch.write("c.json", configuration)
    for arguments in [["--check"], []] {
      let result = try FleetstoreProgram.run(
        ["serve", "--listen", "127.0.0.1:0", "--config", file] + arguments, in: scratch.path)
      #expect(result.status == 78, "\(result.errors)")
      #expect(result.errors.contains(": \(key)") && result.errors.contains(said), "\(result.errors)")
      #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
      #expect(result.output.isEmpty && !FileManager.default.fileExists(atPath: scratch.file("fleet.db")))
    }
  }
}
