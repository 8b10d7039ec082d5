/// The tests' own OpenID provider (Tests/Support/hostile-provider.py), whose issuers are honest or hostile.
///
///     let peer = try ProviderPeer()
///     let issuer = "http://127.0.0.1:\(peer.port)/good"
public final class ProviderPeer: Sendable {
  private let program: RunningProgram
  public let port: Int

  /// Starts the provider. If the Python package `cryptography` is not installed, the current test is skipped.
  public init() throws {
    program = try RunningProgram(
      try Tool.python(with: "cryptography"), [TestData.projectRoot + "/Tests/Support/hostile-provider.py"])
    do {
      let line = try program.line(within: .seconds(60)) { $0.hasPrefix("port ") }.text
      guard let number = Int(line.dropFirst(5)) else { throw TestData.Missing("the port in: \(line)") }
      port = number
    } catch {
      program.kill()
      throw error
    }
  }

  deinit { program.kill() }

  /// Returns how often a path was requested.
  public func count(_ path: String) -> Int { program.output.filter { $0.text == path }.count }
}
