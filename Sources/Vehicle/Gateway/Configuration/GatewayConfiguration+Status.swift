import JSONText

extension GatewayConfiguration {
  /// The addresses at which the daemon serves its status.
  public struct Status: Equatable, Sendable {
    /// The local socket.
    public enum Socket: Equatable, Sendable {
      /// The path from ``StatusSocketPath``.
      case usual
      /// `false`: no socket.
      case none
      case at(String)
    }

    /// A TCP address to listen at.
    public struct Endpoint: Equatable, Sendable {
      public var host: String
      public var port: UInt16
    }

    public var socket = Socket.usual
    /// TCP address for metrics; `nil` to serve them on the socket only.
    public var metrics: Endpoint?

    public init() {}
  }
}

extension GatewayConfiguration.Status {
  /// Maximum length of a socket's path in sockaddr_un(7), without the terminator.
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
