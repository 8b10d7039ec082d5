import Failures
import FleetBroker
import FleetDomain
import Glibc
import JSONText

/// The object `broker` of the configuration: a source of records besides HTTP.
///
///     { "urls": ["amqps://fleet@mq1.example/depot", "amqps://fleet@mq2.example/depot"], "passwordFile": "password",
///       "tenant": "default", "topic": "fleet", "queue": "fleet.ingest", "tls": { "caFile": "ca.pem" } }
enum BrokerSettings {
  /// The environment variable that contains the password if no file is configured. Other users cannot read the
  /// environment of a process.
  private static let variable = "FLEETSTORE_BROKER_PASSWORD"
  /// The name of systemd's credential with the password (systemd.exec(5), LoadCredential=). It is used if no file is
  /// configured and the environment variable is not set.
  private static let credential = "broker-password"

  /// Reads the whole object.
  ///
  /// - Returns: the options, and the path of the file with the password.
  static func read(
    _ reader: inout JSONObjectReader, folder: String
  ) throws(JSONError) -> (options: BrokerOptions, passwordFile: String?) {
    var options = BrokerOptions([])
    options.clientId = Self.clientId
    var passwordFile: String?
    if let value = reader.optional("passwordFile") {
      let path = try Configuration.path(value, folder)
      do throws(Failure) {
        options.password = try FileText.readSecretLine(path)
      } catch {
        throw value.invalid(expected: "a file with one line that others cannot read", found: error.description)
      }
      passwordFile = path
    }
    options.isInsecure = try reader.optionalBool("insecure") ?? false
    if let value = reader.optional("tenant") {
      guard let tenant = TenantID(try value.requireString()) else {
        throw value.invalid(expected: "1 to 63 of a-z, 0-9 and -")
      }
      options.tenant = tenant
    }
    try readNames(&reader, &options)
    options.sessionSeconds =
      try reader.optionalInt("sessionSeconds", in: 60...31_536_000) ?? options.sessionSeconds
    options.prefetchMessages = try reader.optionalInt("prefetchMessages", in: 1...2_000) ?? options.prefetchMessages
    options.prefetchBytes =
      try reader.optionalInt("prefetchBytes", in: 65_536...1_073_741_824) ?? options.prefetchBytes
    options.messageBytes = try reader.optionalInt("messageBytes", in: 1_024...134_217_728) ?? options.messageBytes
    options.retrySeconds = try reader.optionalInt("retrySeconds", in: 1...3_600) ?? options.retrySeconds
    if let tls = try reader.optionalObject("tls") { options.tls = try readTLS(tls, folder) }
    options.addresses = try addresses(try reader.requiredLast("urls"))
    return (options, passwordFile)
  }

  private static func addresses(_ list: JSONValue) throws(JSONError) -> [BrokerAddress] {
    var addresses: [BrokerAddress] = []
    let elements = try list.requireArray()
    try Configuration.refuse(list, moreThan: 32)
    for value in elements {
      let text = try value.requireString()
      do throws(BrokerAddress.ParsingError) {
        addresses.append(try BrokerAddress(parsing: text))
      } catch {
        let (expected, found) = reason(error)
        throw value.invalid(expected: expected, found: found)
      }
    }
    if let found = notOneCluster(addresses) { throw list.invalid(expected: clusterRule, found: found) }
    return addresses
  }

  /// Reads and checks the TLS files. The libraries read them only when they connect, and the worker would retry forever
  /// with an invalid file.
  private static func readTLS(_ object: JSONObjectReader, _ folder: String) throws(JSONError) -> BrokerTLS {
    var (reader, tls) = (object, BrokerTLS())
    let (authorities, certificate) = (reader.optional("caFile"), reader.optional("certificateFile"))
    let key = reader.optional("keyFile")
    try reader.finish()
    if let authorities { tls.authorities = try PEMFile.readCertificates(authorities, folder: folder).path }
    if let certificate { tls.certificate = try PEMFile.readCertificates(certificate, folder: folder).path }
    if let key { tls.key = try PEMFile.readKey(key, folder: folder).path }
    if certificate != nil, key == nil { _ = try reader.required("keyFile") }
    if key != nil, certificate == nil { _ = try reader.required("certificateFile") }
    return tls
  }

  /// Returns the options for the worker.
  ///
  /// - Parameter urls: the addresses on the command line, which replace the configured ones.
  static func options(_ urls: [String], instead configured: BrokerOptions?) throws(Failure) -> BrokerOptions {
    var addresses: [BrokerAddress] = []
    for (index, url) in urls.enumerated() {
      do throws(BrokerAddress.ParsingError) {
        addresses.append(try BrokerAddress(parsing: url))
      } catch {
        let (expected, found) = reason(error)
        let number = urls.count == 1 ? "" : " (number \(index + 1))"
        throw Failure(.usage, "--broker\(number): expected \(expected), found \(found)")
      }
    }
    if let found = notOneCluster(addresses) {
      throw Failure(.usage, "--broker: expected \(clusterRule), found \(found)")
    }
    var options = configured ?? BrokerOptions(addresses)
    if configured == nil { options.clientId = clientId }
    options.addresses = addresses
    return options
  }

  /// Reads the password from the environment or from systemd's credential, if the configuration names no file.
  static func addCredential(to options: inout BrokerOptions) throws(Failure) {
    guard options.password == nil else { return }
    if let text = unsafe getenv(variable).map({ unsafe String(cString: $0) }), !text.isEmpty {
      options.password = text
      return
    }
    guard let folder = unsafe getenv("CREDENTIALS_DIRECTORY") else { return }
    let path = unsafe String(cString: folder) + "/" + credential
    guard unsafe access(path, F_OK) == 0 else { return }
    options.password = try FileText.readSecretLine(path)
  }

  /// Rejects options with which the password would be sent to another machine without TLS.
  ///
  /// - Parameter place: where the addresses are, for the message: an option, or a key in the configuration.
  static func refuseInsecure(_ options: BrokerOptions, at place: String) throws(Failure) {
    guard options.password != nil, !options.isInsecure,
      let address = options.addresses.first(where: { !$0.usesTLS && !$0.isLoopback })
    else { return }
    throw Failure(
      .badConfiguration,
      "\(place): \(address) is another machine and has no TLS, so that the password could be read on the way; expected \(address.language == .amqp ? "amqps" : "mqtts")://, or \"insecure\": true in the configuration's broker"
    )
  }

  /// Returns the expected and the found value for an invalid address. The address itself is not shown, because it may
  /// contain a password.
  private static func reason(_ error: BrokerAddress.ParsingError) -> (expected: String, found: String) {
    let form = "amqps://USER@HOST/VHOST, amqp://, mqtts://USER@HOST or mqtt://"
    return switch error {
    case .hasPassword: ("a URL without a password, which goes into passwordFile or \(variable)", "one with a password")
    case .noUser: ("amqps://USER@HOST/VHOST for another machine", "a URL without a user")
    case .hasPath: ("mqtts://USER@HOST without a path", "one with a path")
    case .notAnAddress: ("\(form), without a password, which goes into passwordFile or \(variable)", "something else")
    }
  }

  private static let clusterRule = "brokers of one cluster, all amqp or all mqtt"

  /// Checks that the addresses are of one cluster.
  ///
  /// - Returns: `nil` if they are; otherwise the text that an error message shows as found: two addresses with
  ///   different protocols, or `none` if there are no addresses.
  private static func notOneCluster(_ addresses: [BrokerAddress]) -> String? {
    guard let first = addresses.first else { return "none" }
    return addresses.first { $0.language != first.language }.map { "\(first) and \($0)" }
  }

  private static func readNames(_ reader: inout JSONObjectReader, _ options: inout BrokerOptions) throws(JSONError) {
    func name(_ key: String, _ value: JSONValue?, _ others: String) throws(JSONError) -> String? {
      guard let value else { return nil }
      let text = try value.requireString()
      let isGood =
        (1...200).contains(text.utf8.count)
        && text.utf8.allSatisfy { byte in
          switch byte {
          case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
          default: others.utf8.contains(byte)
          }
        }
      guard isGood else { throw value.invalid(expected: "1 to 200 letters, digits or - _ \(others)") }
      return text
    }
    options.topic = try name("topic", reader.optional("topic"), "/") ?? options.topic
    options.queue = try name("queue", reader.optional("queue"), ".") ?? options.queue
    options.group = try name("group", reader.optional("group"), ".") ?? options.group
    options.clientId = try name("clientId", reader.optional("clientId"), ".:") ?? options.clientId
  }

  private static var clientId: String {
    var name = [CChar](repeating: 0, count: 65)
    guard unsafe gethostname(&name, 64) == 0 else { return "fleetstore" }
    return "fleetstore-" + String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
