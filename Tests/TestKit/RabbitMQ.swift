import Foundation
import Glibc
import Synchronization

/// RabbitMQ nodes for the tests, on loopback ports, with the MQTT plugin. The user `guest` has all permissions. The
/// nodes end with the process that started them, even if it is killed.
///
///     let rabbit = try RabbitMQ.shared
///     let address = "amqp://guest@127.0.0.1:\(rabbit.nodes[0].port)"
///
/// A node needs some ten seconds to start, so tests that do not kill a node share one.
public final class RabbitMQ: Sendable {
  private static let programs = "/usr/lib/rabbitmq/bin"

  public let nodes: [Node]
  /// The certificates of the servers on ``Node/tlsPort``, which are valid only for the name `localhost`. Clients may
  /// use one of them.
  public let certificates: Certificates
  private let folder: String
  private let mapper: Child

  /// The single node that tests share. If RabbitMQ is not installed, the current test is skipped.
  public static var shared: RabbitMQ {
    get throws {
      // Check this for each test, so that all tests that need RabbitMQ are skipped, and not only the first.
      try requirePrograms()
      return try one.get()
    }
  }

  private static func requirePrograms() throws {
    guard FileManager.default.isExecutableFile(atPath: programs + "/rabbitmq-server") else {
      try Tool.missing("RabbitMQ", remedy: "make test installs it")
    }
  }

  private static let one = Result<RabbitMQ, any Error> { try RabbitMQ(nodes: 1) }

  /// Starts nodes.
  ///
  /// - Parameter count: number of nodes, which form one cluster.
  public init(nodes count: Int) throws {
    try Self.requirePrograms()
    let folder =
      FileManager.default.temporaryDirectory.appendingPathComponent("obdgate-mq-\(UUID().uuidString.prefix(8))").path
    self.folder = folder
    let ports = try ReservedPort()
    let names = (1...count).map { "node\($0)" }
    nodes = try names.map { try Node(name: $0, folder: folder, mapperPort: ports) }
    certificates = try Certificates()
    let server = try certificates.make("broker", for: "DNS:localhost")
    let others = names.enumerated().map { "cluster_formation.classic_config.nodes.\($0 + 1) = \($1)@localhost" }
    for node in nodes {
      let cluster = count == 1 ? [] : ["cluster_formation.peer_discovery_backend = classic_config"] + others
      let tls = [
        "listeners.ssl.1 = 127.0.0.1:\(node.tlsPort)", "ssl_options.cacertfile = \(certificates.authority)",
        "ssl_options.certfile = \(server.certificate)", "ssl_options.keyfile = \(server.key)",
        "ssl_options.verify = verify_peer", "ssl_options.fail_if_no_peer_cert = false",
      ]
      try node.write(settings: tls + cluster)
    }
    let made = try Tool.shell(
      """
      cd \(folder)
      head -c 20 /dev/urandom | base64 | tr -dc A-Z > .erlang.cookie
      chmod 400 .erlang.cookie
      chmod 755 \(certificates.scratch.path)
      chmod 644 \(server.key)
      if [ "$(id -u)" = 0 ]; then chown -R nobody .; fi
      """)
    guard made.status == 0 else { throw Tool.Failure.system("RabbitMQ's folder", reason: made.errors) }
    // Start the port mapper (epmd) of all nodes, by which nodes and commands find each other's ports.
    mapper = try Child(
      "bash",
      [
        "-c",
        """
        \(Self.asNobody) epmd -port \(ports.number) -address 127.0.0.1 >/dev/null 2>&1 &
        cat >/dev/null
        kill -9 $!
        rm -rf \(folder)
        """,
      ], environment: [:], directory: nil, feeds: true)
    for node in nodes { try node.start() }
    for node in nodes { try node.waitUntilReady() }
    // Wait for the end of each node's start, because a plugin may accept connections before it.
    for index in nodes.indices { try control(["await_startup"], node: index) }
  }

  deinit {
    for node in nodes { node.end() }
    var mapper = mapper
    _ = try? mapper.finish(feeding: [], limit: RabbitMQ.aDay)
  }

  /// Runs rabbitmqctl on a node.
  ///
  /// - Returns: its output, without headings.
  @discardableResult
  public func control(_ arguments: [String], node: Int = 0) throws -> [Substring] {
    let words = Self.asNobody.split(separator: " ").map(String.init)
    let command =
      words + [
        "env", "-C", folder, Self.programs + "/rabbitmqctl", "-q", "-n", nodes[node].name + "@localhost",
      ]
    let result = try Tool.run(command[0], Array(command[1...]) + arguments, environment: nodes[node].environment)
    guard result.status == 0 else { throw Tool.Failure.system("rabbitmqctl", reason: result.output + result.errors) }
    return result.lines
  }

  /// Runs the commands of a page. In them, `rabbitmqctl` and `rabbitmq-plugins` act on this node.
  public func run(_ commands: DocumentedCommands, node: Int = 0) throws -> Tool.Result {
    let words = Self.asNobody.split(separator: " ").map(String.init) + ["env", "-C", folder]
    let command = words + (try commands.command(folders: [Self.programs]))
    return try Tool.run(
      command[0], Array(command[1...]), environment: nodes[node].environment, limit: DocumentedCommands.limit)
  }

  /// The time limit of a child counts from its start, so a node that runs for the whole test run needs a long one.
  static let aDay = Duration.seconds(86_400)

  static var asNobody: String { getuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups" : "" }
}

extension RabbitMQ {
  /// One node, which can be killed and started again.
  public final class Node: Sendable {
    public let name: String
    private let reserved: [ReservedPort]
    private let mapperPort: ReservedPort
    private let folder: String
    private let home: String
    /// A shell that ends the node when this process closes the shell's standard input; `nil` if the node does not run.
    private let keeper = Mutex<Child?>(nil)

    init(name: String, folder: String, mapperPort: ReservedPort) throws {
      self.name = name
      self.mapperPort = mapperPort
      home = folder
      self.folder = folder + "/" + name
      reserved = try (0..<4).map { _ in try ReservedPort() }
    }

    /// The port of AMQP.
    public var port: Int { Int(reserved[0].number) }
    /// The port of AMQP with TLS.
    public var tlsPort: Int { Int(reserved[3].number) }
    /// The port of MQTT.
    public var mqttPort: Int { Int(reserved[1].number) }

    var environment: [String: String] {
      [
        // The node and its commands run as another user, who may have no permission to write to this process's folders.
        "HOME": home, "TMPDIR": home, "RABBITMQ_NODENAME": name + "@localhost",
        "RABBITMQ_MNESIA_BASE": folder + "/mnesia",
        "RABBITMQ_LOG_BASE": folder + "/log", "RABBITMQ_CONFIG_FILE": folder + "/rabbitmq.conf",
        "RABBITMQ_ENABLED_PLUGINS_FILE": folder + "/enabled_plugins", "RABBITMQ_DIST_PORT": "\(reserved[2].number)",
        "ERL_EPMD_PORT": "\(mapperPort.number)", "ERL_EPMD_ADDRESS": "127.0.0.1", "RABBITMQ_CONF_ENV_FILE": "/dev/null",
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1} +S 2:2 +sbwt none",
        "LC_ALL": "C.UTF-8",
      ]
    }

    func write(settings: [String]) throws {
      try FileManager.default.createDirectory(atPath: folder + "/log", withIntermediateDirectories: true)
      try "[rabbitmq_mqtt].\n".write(toFile: folder + "/enabled_plugins", atomically: true, encoding: .utf8)
      let lines =
        [
          "listeners.tcp.1 = 127.0.0.1:\(port)", "mqtt.listeners.tcp.1 = 127.0.0.1:\(mqttPort)",
          "mqtt.allow_anonymous = true", "loopback_users = none", "log.console = false",
        ] + settings
      try (lines.joined(separator: "\n") + "\n").write(
        toFile: folder + "/rabbitmq.conf", atomically: true, encoding: .utf8)
    }

    /// Kills the node with SIGKILL, as the kernel does if memory is short, and waits until its ports are closed.
    public func killNow() throws {
      _ = try Tool.shell(
        """
        kill -9 -- -$(cat \(folder)/group)
        for port in \(port) \(mqttPort); do
          while (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; do sleep 0.05; done
        done
        """)
    }

    /// Starts the node, also after ``killNow()``, and returns at once.
    public func start() throws {
      end()
      let script = """
        cd \(home)
        setsid \(RabbitMQ.asNobody) \(RabbitMQ.programs)/rabbitmq-server >\(folder)/out 2>&1 &
        echo $! > \(folder)/group
        cat >/dev/null
        kill -9 -- -$! 2>/dev/null
        wait
        """
      let child = try Child("bash", ["-c", script], environment: environment, directory: nil, feeds: true)
      keeper.withLock { $0 = child }
    }

    /// Waits until the node accepts AMQP and MQTT connections.
    public func waitUntilReady() throws {
      let deadline = ContinuousClock.now + .seconds(600)
      for port in [port, mqttPort] {
        while try Tool.shell("exec 3<>/dev/tcp/127.0.0.1/\(port)").status != 0 {
          guard ContinuousClock.now < deadline else {
            throw Tool.Failure.system("RabbitMQ", reason: try String(contentsOfFile: folder + "/out", encoding: .utf8))
          }
          poll(nil, 0, 100)
        }
      }
    }

    func end() {
      let child = keeper.withLock { keeper in
        defer { keeper = nil }
        return keeper
      }
      guard var child else { return }
      _ = try? child.finish(feeding: [], limit: RabbitMQ.aDay)
    }
  }
}
