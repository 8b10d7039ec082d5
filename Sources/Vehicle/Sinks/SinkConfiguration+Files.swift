import Failures
import Glibc

/// Checks of the files that a sink reads or writes.
extension SinkConfiguration {
  /// Returns the keys of the configuration that name unusable files or folders, with the reasons. It changes no file.
  public var fileFaults: [(key: String, error: SinkError)] {
    switch self {
    case .stdout: []
    case .file(let sink): Self.faults([("path", { () throws(SinkError) in try Self.checkOutput(sink.path) })])
    case .fleetStore(let sink): Self.secretFaults([("tokenFile", sink.tokenFile)]) + sink.tls.faults
    case .mqtt(let sink):
      Self.secretFaults([("userFile", sink.userFile), ("passwordFile", sink.passwordFile)]) + sink.tls.faults
    }
  }

  private static func secretFaults(_ files: [(key: String, path: String?)]) -> [(key: String, error: SinkError)] {
    faults(
      files.compactMap { key, path in
        path.map { path in (key, { () throws(SinkError) in _ = try SecretFile.read(path) }) }
      })
  }

  fileprivate static func faults(
    _ checks: [(key: String, check: () throws(SinkError) -> Void)]
  ) -> [(key: String, error: SinkError)] {
    checks.compactMap { key, check in
      do throws(SinkError) {
        try check()
        return nil
      } catch {
        return (key, error)
      }
    }
  }

  /// Checks that a file can be written, or created if it does not exist.
  private static func checkOutput(_ path: String) throws(SinkError) {
    var status = stat()
    if unsafe stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT != S_IFDIR else { throw SinkError(.badFile, path, "a folder, expected a file") }
      guard unsafe access(path, W_OK) == 0 else {
        throw SinkError(.badFile, path, "cannot be written: \(systemReason(errno))")
      }
      return
    }
    let end = path.lastIndex(of: "/")
    let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard unsafe stat(folder, &status) == 0 else {
      throw SinkError(.badFile, folder, "\(systemReason(errno)); make this folder, or name another file")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw SinkError(.badFile, folder, "a file, expected a folder") }
    guard unsafe access(folder, W_OK | X_OK) == 0 else {
      throw SinkError(.badFile, folder, "no file can be made in it: \(systemReason(errno))")
    }
  }
}

extension TLSFiles {
  /// The keys of TLS files that cannot be read, or that contain no certificate or key in PEM form (RFC 7468).
  fileprivate var faults: [(key: String, error: SinkError)] {
    let files = [
      ("caFile", authorities, "CERTIFICATE-----"), ("certificateFile", certificate, "CERTIFICATE-----"),
      ("keyFile", key, "PRIVATE KEY-----"),
    ]
    return SinkConfiguration.faults(
      files.compactMap { key, path, label in
        path.map { path in ("tls.\(key)", { () throws(SinkError) in try Self.check(path, label) }) }
      })
  }

  private static func check(_ path: String, _ label: String) throws(SinkError) {
    let text: [UInt8]
    do throws(Failure) {
      text = try FileText.read(path)
    } catch {
      throw SinkError(.badTLSFile, error.place, error.detail)
    }
    let lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map {
      String(decoding: $0, as: UTF8.self)
    }
    guard lines.contains(where: { $0.hasPrefix("-----BEGIN ") && $0.hasSuffix(label) }) else {
      let kind = label.hasPrefix("PRIVATE") ? "private key" : "certificate"
      throw SinkError(.badTLSFile, path, "expected a \(kind) in PEM form, found none")
    }
  }
}
