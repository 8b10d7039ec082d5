import Foundation
import TestKit

/// nginx as an HTTPS proxy in front of a fleet store, with the configuration of docs/FleetStore.md.
///
///     let proxy = try Nginx(to: store.port)
///     let health = try proxy.curl(["\(proxy.url)/api/health"])
final class Nginx {
  let port: Int
  /// The certificate authority of the proxy's certificate.
  let authority: String
  private let certificates: Certificates
  private let scratch: ScratchFolder
  private let reserved: ReservedPort
  private let program: RunningProgram

  var url: String { "https://localhost:\(port)" }

  /// Starts the proxy, and waits until it listens.
  ///
  /// - Parameter store: the port of the fleet store.
  init(to store: Int) throws {
    let nginx = try Self.installed()
    certificates = try Certificates()
    scratch = try ScratchFolder()
    reserved = try ReservedPort()
    port = Int(reserved.number)
    authority = certificates.authority
    let (certificate, key) = try certificates.make("proxy", for: "DNS:localhost,IP:127.0.0.1")
    let documented = try Self.documented([
      "listen 443 ssl;": "listen 127.0.0.1:\(port) ssl;", "/etc/ssl/fleet.example.pem": certificate,
      "/etc/ssl/private/fleet.example.key": key, "127.0.0.1:8080": "127.0.0.1:\(store)",
    ])
    let path = scratch.path
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \(path)/\($0);" }
    let configuration = try scratch.write(
      "nginx.conf",
      """
      daemon off;
      master_process off;
      pid \(scratch.file("nginx.pid"));
      error_log stderr notice;
      events {}
      http {
      access_log off;
      \(folders.joined(separator: "\n"))
      \(documented)
      }
      """)
    program = try RunningProgram(nginx, ["-e", "stderr", "-p", scratch.path, "-c", configuration])
    do {
      try program.errorLine(within: .seconds(60)) { $0.contains("using the \"epoll\" event method") }
      let end = ContinuousClock.now + .seconds(60)
      while try Tool.run("curl", ["-sk", "-o", "/dev/null", "https://127.0.0.1:\(port)/"]).status != 0 {
        guard .now < end else { throw TestData.Missing("nginx that listens") }
      }
    } catch {
      program.kill()
      throw error
    }
  }

  deinit { program.kill() }

  /// Returns the path of nginx. If it is not installed, the current test is skipped.
  private static func installed() throws -> String {
    let path = "/usr/sbin/nginx"
    guard FileManager.default.isExecutableFile(atPath: path) else {
      try Tool.missing("nginx", remedy: "make test installs it")
    }
    return path
  }

  /// Returns the configuration in the documentation, with other values.
  private static func documented(_ values: [String: String]) throws -> String {
    let page = try String(contentsOfFile: TestData.projectRoot + "/docs/FleetStore.md", encoding: .utf8)
    guard let start = page.range(of: "```nginx\n"),
      let end = page.range(of: "\n```", range: start.upperBound..<page.endIndex)
    else { throw TestData.Missing("the configuration of nginx in docs/FleetStore.md") }
    var text = String(page[start.upperBound..<end.lowerBound])
    for (old, new) in values {
      guard text.contains(old) else { throw TestData.Missing("\(old) in the configuration of nginx") }
      text = text.replacing(old, with: new)
    }
    return text
  }

  /// Sends a request with curl. Returns the head and the body of the answer.
  ///
  /// - Parameter host: the last number of the client's address, 127.0.0.x.
  func curl(_ arguments: [String], from host: Int = 1) throws -> (head: String, body: String) {
    try Self.curl(["-4", "--cacert", authority, "--interface", "127.0.0.\(host)"] + arguments)
  }

  /// Sends a request with curl to any server.
  static func curl(_ arguments: [String]) throws -> (head: String, body: String) {
    let result = try Tool.run("curl", ["-sS", "-i"] + arguments)
    guard result.status == 0 else { throw Tool.Failure.system("curl", reason: result.errors) }
    let parts = result.output.components(separatedBy: "\r\n\r\n")
    return (parts[0], parts.dropFirst().joined(separator: "\r\n\r\n"))
  }
}
