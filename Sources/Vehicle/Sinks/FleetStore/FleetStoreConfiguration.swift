import JSONText
import Peers

/// Configuration of a ``FleetStoreSink``.
///
///     { "type": "fleetStore", "url": "https://fleet.example/api", "tokenFile": "token" }
public struct FleetStoreConfiguration: Equatable, Sendable {
  /// The sink's name; `nil` for the name `fleetStore`.
  public var name: String?
  /// Whether the sink's records use the signal names of COVESA VSS 6.0.
  public var usesVSS = false
  /// Base URL of the API. Records are sent to the path `/telemetry` below it.
  public var url: ServiceURL
  /// Path of the file that contains the bearer token; `nil` to send no token.
  public var tokenFile: String?
  /// Certificate files of the TLS connection.
  public var tls = TLSFiles()
  /// Whether the configuration allows sending the token to another machine without encryption.
  public var isInsecure = false
  /// URL of a proxy, such as `http://proxy.example:3128`; `nil` for none. Environment variables are ignored.
  public var proxy: String?
  /// The conditions for sending a request: by default, a request is sent when 100 records wait, or after 300 s.
  public var batchPolicy = BatchPolicy(records: 100, interval: 300_000_000_000)
  /// Time limit for connecting to the server, including TLS, ns.
  public var connectLimit: Int64 = 30_000_000_000
  /// Time limit for a whole request and its reply, ns.
  public var requestLimit: Int64 = 300_000_000_000
  /// Time between two fetches of geofences, ns; `nil` to fetch no geofences.
  public var fencePeriod: Int64?
  /// Maximum size of the dead-letter file, bytes. A file that would exceed it is renamed and replaces the file renamed
  /// earlier.
  public var deadLetterBytes = 4 << 20

  /// Whether the token would be sent to another machine without encryption.
  var exposesToken: Bool { url.scheme == "http" && tokenFile != nil && !(url.isLoopback && proxy == nil) }

  static let schemes = [(name: "https", port: 443), (name: "http", port: 80)]

  /// Creates a configuration with the given URL. All other properties have their default values.
  public init(url: ServiceURL) { self.url = url }

  init(_ reader: inout JSONObjectReader, folder: String) throws(JSONError) {
    name = try reader.sinkName()
    usesVSS = try reader.sinkUsesVSS()
    tokenFile = try reader.optionalPath("tokenFile", folder: folder)
    if var object = try reader.optionalObject("tls") { tls = try TLSFiles(&object, folder: folder) }
    if let value = reader.optional("proxy") {
      guard let proxy = ServiceURL(try value.requireString(), schemes: [("http", 3_128), ("https", 3_128)]) else {
        throw value.invalidAddress(expected: "http://HOST:PORT without user and password")
      }
      self.proxy = proxy.origin
    }
    isInsecure = try reader.optionalBool("insecure") ?? isInsecure
    if var object = try reader.optionalObject("batch") {
      batchPolicy.records = try object.optionalInt("records", in: 1...10_000) ?? batchPolicy.records
      batchPolicy.interval = try object.optionalSeconds("seconds", in: 0...86_400) ?? batchPolicy.interval
      try object.finish()
    }
    connectLimit = try reader.optionalSeconds("connectLimit", in: 1...600) ?? connectLimit
    requestLimit = try reader.optionalSeconds("requestLimit", in: 1...3_600) ?? requestLimit
    fencePeriod = try reader.optionalSeconds("geofencePeriod", in: 10...86_400)
    deadLetterBytes = try reader.optionalInt("deadLetterBytes", in: 65_536...(1 << 30)) ?? deadLetterBytes
    url = try reader.requiredURL(schemes: Self.schemes, secret: "tokenFile")
    if exposesToken, !isInsecure, !reader.object.leavesOut("insecure") {
      throw try reader.exposed("the token", scheme: "https")
    }
  }
}
