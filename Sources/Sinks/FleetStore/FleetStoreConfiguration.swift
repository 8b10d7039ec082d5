import JSONText
import Peers

/// `{ "type": "fleetStore", "url": "https://fleet.example/api", "tokenFile": "token" }`
public struct FleetStoreConfiguration: Equatable, Sendable {
  /// Nil: `fleetStore`.
  public var name: String?
  /// Whether it gets the names of COVESA VSS 6.0.
  public var usesVSS = false
  /// Of the API: records go to its `/telemetry`.
  public var url: ServiceURL
  /// Of the bearer token; nil: none is sent.
  public var tokenFile: String?
  public var tls = TLSFiles()
  /// `http://proxy.example:3128`; nil: none, whatever the environment says.
  public var proxy: String?
  public var gathering = Gathering(records: 100, interval: 300_000_000_000)
  /// Until a connection stands, TLS included, ns.
  public var connectLimit: Int64 = 30_000_000_000
  /// For a whole request, ns.
  public var requestLimit: Int64 = 300_000_000_000
  /// Between two questions for fences, ns; nil: the server is asked for none.
  public var fencePeriod: Int64?
  /// Bytes that the dead-letter file may have; it and the one before it are kept.
  public var deadLetterBytes = 4 << 20

  static let schemes = [(name: "https", port: 443), (name: "http", port: 80)]

  public init(url: ServiceURL) { self.url = url }

  init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    name = try reader.sinkName()
    usesVSS = try reader.sinkUsesVSS()
    url = try reader.requiredURL(schemes: Self.schemes, secret: "tokenFile")
    tokenFile = try reader.optionalPath("tokenFile", folder: folder)
    if var object = try reader.optionalObject("tls") { tls = try TLSFiles(&object, folder: folder) }
    if let value = reader.optional("proxy") {
      guard let proxy = ServiceURL(try value.requireString(), schemes: [("http", 3_128), ("https", 3_128)]) else {
        throw value.invalidAddress(expected: "http://HOST:PORT without user and password")
      }
      self.proxy = proxy.origin
    }
    if var object = try reader.optionalObject("batch") {
      gathering.records = try object.optionalInt("records", in: 1...10_000) ?? gathering.records
      gathering.interval = try object.optionalSeconds("seconds", in: 0...86_400) ?? gathering.interval
      try object.finish()
    }
    connectLimit = try reader.optionalSeconds("connectLimit", in: 1...600) ?? connectLimit
    requestLimit = try reader.optionalSeconds("requestLimit", in: 1...3_600) ?? requestLimit
    fencePeriod = try reader.optionalSeconds("geofencePeriod", in: 10...86_400)
    deadLetterBytes = try reader.optionalInt("deadLetterBytes", in: 65_536...(1 << 30)) ?? deadLetterBytes
  }
}
