import JSONText

extension GatewayConfiguration {
  /// Where the daemon shows how it goes.
  public struct Status: Equatable, Sendable {
    /// The socket of this machine.
    public enum Socket: Equatable, Sendable {
      /// Where ``StatusSocketPath`` says.
      case usual
      /// `false`: none.
      case none
      case at(String)
    }

    /// An address that is listened at.
    public struct Endpoint: Equatable, Sendable {
      public var host: String
      public var port: UInt16
    }

    public var socket = Socket.usual
    /// Where Prometheus asks; nil: by the socket only.
    public var metrics: Endpoint?

    public init() {}
  }
}

extension GatewayConfiguration.Status {
  /// sockaddr_un(7) has so many bytes for a path, one of them its end.
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
