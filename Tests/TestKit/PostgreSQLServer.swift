import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server for the tests, without passwords. It listens on a socket in its folder and on a loopback port,
/// and ends with the process that started it, even if that is killed.
///
///     let server = try PostgreSQLServer.shared
///     let address = try server.database()
///
/// initdb refuses to run as root. If root runs the tests, the server therefore runs as `nobody`.
public final class PostgreSQLServer: Sendable {
  private static let user = "fleet"

  /// The folder with the server's programs `initdb` and `postgres`.
  private let programs: String
  private let folder: String
  public let port: Int
  private let isSynchronous: Bool
  private let reserved: ReservedPort
  /// A shell that ends the server when this process closes the shell's standard input; `nil` if the server does not
  /// run.
  private let keeper: Mutex<Child?>
  private let databases = Atomic(0)

  /// The server that tests share. It runs without fsync. If PostgreSQL is not installed, the current test is skipped.
  public static var shared: PostgreSQLServer {
    get throws {
      // Check this for each test, so that all tests that need PostgreSQL are skipped, and not only the first.
      _ = try programFolder()
      return try one.get()
    }
  }

  /// Returns the folder of the server's programs. On Debian, each version has a folder of its own, which is not in
  /// PATH.
  private static func programFolder() throws -> String {
    let versions = "/usr/lib/postgresql"
    let isThere = FileManager.default.fileExists(atPath: versions)
    let found = isThere ? try FileManager.default.contentsOfDirectory(atPath: versions) : []
    let folders = found.sorted().reversed().map { "\(versions)/\($0)/bin" }
    guard let programs = folders.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }) else {
      try Tool.missing("PostgreSQL's server", remedy: "make test installs it")
    }
    return programs
  }

  private static let one = Result<PostgreSQLServer, any Error> { try PostgreSQLServer() }

  /// Starts a server.
  ///
  /// - Parameter isSynchronous: whether commits wait for the disk. Tests that kill the server need this.
  public init(isSynchronous: Bool = false) throws {
    programs = try Self.programFolder()
    self.isSynchronous = isSynchronous
    // The path must be short, because a socket's path has at most 107 bytes.
    folder =
      FileManager.default.temporaryDirectory.appendingPathComponent("obdgate-pg-\(UUID().uuidString.prefix(8))")
      .path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    reserved = try ReservedPort()
    port = Int(reserved.number)
    keeper = Mutex(nil)
    let made = try Tool.shell(
      """
      if [ "$(id -u)" = 0 ]; then chown nobody \(folder); fi
      cd \(folder)
      \(Self.asNobody) \(programs)/initdb --no-sync -A trust -U \(Self.user) -E UTF8 --locale=C -D data
      """)
    guard made.status == 0 else { throw Tool.Failure.system("initdb", reason: made.errors) }
    try start()
  }

  deinit {
    do {
      try stop()
    } catch {
      print("left behind: \(folder): \(error)")
    }
  }

  /// Creates a database and returns its connection URI.
  ///
  /// - Parameter template: the connection URI of a database of this server, to which nothing is connected. The new
  ///   database is a copy of it; without it, the new database is empty.
  public func database(copying template: String? = nil) throws -> String {
    let name = "test\(databases.add(1, ordering: .relaxed).newValue)"
    let source = template.map { " TEMPLATE \($0.split(separator: "/").last ?? "")" } ?? ""
    try sql("CREATE DATABASE \(name)\(source)", in: "postgres")
    return address(name)
  }

  /// Returns the connection URI of one of the server's databases.
  public func address(_ database: String) -> String {
    "postgresql://\(Self.user)@127.0.0.1:\(port)/\(database)"
  }

  /// The path of psql.
  public var psql: String { programs + "/psql" }

  /// Runs statements with psql.
  ///
  /// - Returns: a line for each row, with `|` between columns.
  @discardableResult
  public func sql(_ statements: String, in database: String) throws -> [Substring] {
    let result = try Tool.run(
      psql, ["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", address(database), "-f", "-"],
      stdin: Array(statements.utf8))
    guard result.status == 0 else { throw Tool.Failure.system("psql", reason: result.errors) }
    return result.lines
  }

  /// Requires this password for all further connections to the loopback port.
  public func demandPassword(_ password: String) throws {
    try sql("ALTER USER \(Self.user) PASSWORD '\(password.replacing("'", with: "''"))'", in: "postgres")
    let rules = Data("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n".utf8)
    try rules.write(to: URL(fileURLWithPath: folder + "/data/pg_hba.conf"))
    _ = try Tool.shell("kill -HUP $(head -1 \(folder)/data/postmaster.pid)")
    // Wait until the server has read the changed files, which takes a moment.
    while try Tool.run(psql, ["-XAtqw", "-d", address("postgres"), "-c", "SELECT 1"]).status == 0 {}
  }

  /// Kills the server with SIGKILL for each of its processes, as the kernel does when memory is short.
  public func killNow() throws {
    _ = try Tool.shell(
      """
      cd \(folder)
      touch stopping
      server=$(head -1 data/postmaster.pid)
      kill -9 $server $(ps -o pid= --ppid $server)
      """)
  }

  /// Starts the server again after ``killNow()``, and waits until it answers.
  public func restart() throws {
    try Data().write(to: URL(fileURLWithPath: folder + "/keep"))
    try stop()
    try FileManager.default.removeItem(atPath: folder + "/keep")
    try start()
  }

  private func start() throws {
    let synchronous = isSynchronous ? "on" : "off"
    let options =
      "-c fsync=\(synchronous) -c max_connections=200 -c shared_buffers=64MB -c unix_socket_directories=\(folder) "
      + "-c listen_addresses=127.0.0.1 -c max_wal_size=1GB -c jit=off"
    // For a moment, remains of a killed server prevent a start, so the start is repeated until the server keeps
    // running.
    let keeping = """
      cd \(folder)
      rm -f stopping
      (until [ -e stopping ]; do
        \(Self.asNobody) \(programs)/postgres -D data -p \(port) \(options) >>log 2>&1
        sleep 0.1
      done) >/dev/null 2>&1 &
      cat >/dev/null
      touch stopping
      # One that is just being started has not written its number yet.
      while kill -0 $! 2>/dev/null; do
        kill -INT "$(head -1 data/postmaster.pid 2>/dev/null)" 2>/dev/null
        sleep 0.1
      done
      wait
      [ -e keep ] || rm -rf \(folder)
      """
    let child = try Child("bash", ["-c", keeping], environment: [:], directory: nil, feeds: true)
    keeper.withLock { $0 = child }
    let deadline = ContinuousClock.now + .seconds(120)
    while try Tool.run(programs + "/pg_isready", ["-q", "-h", "127.0.0.1", "-p", "\(port)"]).status != 0 {
      guard ContinuousClock.now < deadline else {
        throw Tool.Failure.system("postgres", reason: try String(contentsOfFile: folder + "/log", encoding: .utf8))
      }
      poll(nil, 0, 20)
    }
  }

  private func stop() throws {
    let child = keeper.withLock { keeper in
      defer { keeper = nil }
      return keeper
    }
    guard var child else { return }
    // The time limit counts from the start, so a server that runs for the whole test run needs a long one.
    _ = try child.finish(feeding: [], limit: .seconds(86_400))
  }

  private static var asNobody: String {
    getuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups" : ""
  }
}
