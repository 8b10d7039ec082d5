import JSONText

extension GatewayConfiguration {
  /// The addresses at which the daemon serves its status.
  public struct Status: Equatable, Sendable {
    /// The local socket.
    public enum Socket: Equatable, Sendable {
      /// At the default path, which ``StatusSocketPath`` determines.
      case usual
      /// Nowhere: `false` is configured.
      case none
      case at(String)
    }

    /// A TCP address at which the daemon listens.
    public struct Endpoint: Equatable, Sendable {
      public var host: String
      public var port: UInt16
    }

    public var socket = Socket.usual
    /// TCP address at which metrics are served; `nil` to serve them only on the socket.
    public var metrics: Endpoint?

    public init() {}
  }
}

extension GatewayConfiguration.Status {
  /// Maximum length of a socket's path, bytes, without the null byte at its end: the size of `sun_path` in unix(7).
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
