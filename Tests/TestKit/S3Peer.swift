import Foundation

/// An S3-compatible storage (moto) on a port of its own, which checks signatures. Its requests can be made to fail.
///
///     let peer = try S3Peer()
///     try peer.fail("slowDown", count: 2, method: "PUT")
public final class S3Peer: @unchecked Sendable {
  public static let (bucket, accessKey, secretKey) = ("files", "testaccess", "testsecret")

  public let port: Int
  private let reserved: ReservedPort
  private let running: RunningProgram
  /// A question and its answer belong together.
  private let lock = NSLock()

  /// Starts a storage with an empty bucket.
  public init(region: String = "us-east-1") throws {
    let python = try Tool.python(with: "moto.server")
    reserved = try ReservedPort()
    port = Int(reserved.number)
    running = try RunningProgram(
      python, [TestData.projectRoot + "/Tests/Support/s3-peer.py", String(port), "--region", region], isFed: true)
    try running.line(within: .seconds(60)) { $0 == "ready" }
  }

  deinit { running.kill() }

  /// Lets the next requests fail.
  ///
  /// - Parameters:
  ///   - match: a part of the path and query of these requests.
  public func fail(_ fault: String, count: Int = 1, method: String? = nil, match: String = "") throws {
    let limits = method.map { #","method":"\#($0)""# } ?? ""
    try request(#"{"fault":"\#(fault)","count":\#(count),"match":"\#(match)"\#(limits)}"#)
  }

  /// Ends all faults.
  public func clear() throws { try request(#"{"clear":true}"#) }

  /// Returns the number of requests since the last call.
  public func requests() throws -> Int { Int(try request(#"{"requests":true}"#)) ?? -1 }

  /// Ends the storage, so that nothing answers on its port.
  public func stop() throws { try running.killNow() }

  @discardableResult
  private func request(_ line: String) throws -> String {
    try lock.withLock {
      running.writeLine(line)
      return try running.line(within: .seconds(60)) { _ in true }.text
    }
  }
}
