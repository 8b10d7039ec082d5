import Foundation
import TestKit

/// Runs `Tests/Support/store.py`: a fleet store that follows a script and reports the received requests.
final class ScriptedStore: Sendable {
  /// A received request.
  struct Request {
    let path: String
    let method: String
    let headers: [String: String]
    let count: Int
    let encoding: String
    let compressed: Int
    let plain: Int
  }

  private let program: RunningProgram
  let port: Int

  init(
    _ rules: [String: Any], in scratch: borrowing ScratchFolder, tls: (certificate: String, key: String)? = nil,
    clients: String? = nil
  ) throws {
    let python = try Tool.required("python3")
    try Tool.required("zstd")
    let file = try scratch.write(
      "rules-\(UUID().uuidString).json", Array(try JSONSerialization.data(withJSONObject: rules)))
    let script = TestData.projectRoot + "/Tests/Support/store.py"
    let certificates = (tls.map { [$0.certificate, $0.key] } ?? []) + (clients.map { [$0] } ?? [])
    program = try RunningProgram(python, [script, file, scratch.path] + certificates)
    port = Int(try program.line(within: .seconds(60)) { $0.hasPrefix("port ") }.text.dropFirst(5)) ?? 0
  }

  deinit { program.kill() }

  /// The log so far. To be complete, it is read up to a mark that the program prints on request.
  private var said: [[String: Any]] {
    program.send(SIGUSR1)
    _ = try? program.line(within: .seconds(60)) { $0.contains("\"mark\"") }
    return program.output.dropFirst().compactMap { line in
      (try? JSONSerialization.jsonObject(with: Data(line.text.utf8))) as? [String: Any]
    }
  }

  /// All requests so far, in their order.
  var requests: [Request] {
    said.compactMap { line in
      guard let path = line["path"] as? String else { return nil }
      return Request(
        path: path, method: line["method"] as? String ?? "", headers: line["headers"] as? [String: String] ?? [:],
        count: line["count"] as? Int ?? 0, encoding: line["encoding"] as? String ?? "",
        compressed: line["compressed"] as? Int ?? 0, plain: line["plain"] as? Int ?? 0)
    }
  }

  /// The `seq` of the records that it stored; a record that was stored twice occurs twice.
  var received: [Int] { said.flatMap { $0["stored"] as? [Int] ?? [] } }

}
