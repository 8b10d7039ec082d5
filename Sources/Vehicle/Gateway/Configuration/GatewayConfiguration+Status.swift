import JSONText

extension GatewayConfiguration {
  /// The addresses at which the daemon serves its status and its metrics.
  public struct Status: Equatable, Sendable {
    /// The local socket on which the daemon serves its status.
    public enum Socket: Equatable, Sendable {
      /// The socket is at the default path, which ``StatusSocketPath`` determines.
      case usual
      /// There is no socket, because `false` is configured.
      case none
      /// The socket is at this path.
      case at(String)
    }

    /// A TCP address at which the daemon listens.
    public struct Endpoint: Equatable, Sendable {
      public var host: String
      public var port: UInt16
    }

    public var socket = Socket.usual
    /// TCP address at which metrics are served; `nil` to serve them only on the local socket.
    public var metrics: Endpoint?

    public init() {}
  }
}

extension GatewayConfiguration.Status {
  /// Maximum length of a socket's path, bytes, without the null byte at the end. The field `sun_path` has 108 bytes
  /// (unix(7)).
  private static let longestPath = 107

  init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    self.init()
    if let value = reader.optional("socket") {
      if value.bool == false {
        socket = .none
      } else if let text = value.string {
        let path = GatewayConfiguration.resolved(try GatewayConfiguration.notEmpty(value, text), folder)
        guard path.utf8.count <= Self.longestPath else {
          throw value.invalid(expected: "a path of at most \(Self.longestPath) bytes")
        }
        socket = .at(path)
      } else {
        throw value.invalid(expected: "a path or false")
      }
    }
    if let value = reader.optional("metrics") {
      let endpoint = try GatewayConfiguration.endpoint(value, defaultPort: 9_272)
      metrics = Endpoint(host: endpoint.host, port: endpoint.port)
    }
    try reader.finish()
  }
}
