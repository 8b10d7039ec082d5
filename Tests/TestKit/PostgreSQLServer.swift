import Foundation
import Glibc
import Synchronization

/// A separate PostgreSQL server on a socket in its folder and on a loopback port, without passwords. It ends with the
/// process that started it, even if that is killed.
///
///     let server = try PostgreSQLServer.shared
///     let address = try server.database()
///
/// initdb does not run as root; it then runs as `nobody`.
public final class PostgreSQLServer: Sendable {
  private static let user = "fleet"

  /// The folder with its programs `initdb` and `postgres`.
  private let programs: String
  private let folder: String
  public let port: Int
  private let isSynchronous: Bool
  private let reserved: ReservedPort
  /// A shell that waits for us to close its standard input, and then ends the server.
  private let keeper: Mutex<Child?>
  private let databases = Atomic(0)

  /// The one that tests share, without fsync. If PostgreSQL is not installed, the current test is skipped.
  public static var shared: PostgreSQLServer {
    get throws {
      // Thrown in each test, so that every test that needs it is skipped, not only the first.
      _ = try programFolder()
      return try one.get()
    }
  }

  /// The folder of the server's programs: Debian keeps them in a folder for each version, outside PATH.
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

  /// - Parameter isSynchronous: whether it waits for its disk, for tests that end it unawares.
  public init(isSynchronous: Bool = false) throws {
    programs = try Self.programFolder()
    self.isSynchronous = isSynchronous
    // A socket's path has at most 107 bytes.
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

  /// A connection URI of a database that was made just now.
  public func database() throws -> String {
    let name = "test\(databases.add(1, ordering: .relaxed).newValue)"
    try sql("CREATE DATABASE \(name)", in: "postgres")
    return address(name)
  }

  /// The connection URI of a database of its.
  public func address(_ database: String) -> String {
    "postgresql://\(Self.user)@127.0.0.1:\(port)/\(database)"
  }

  /// Runs statements with psql.
  ///
  /// - Returns: rows as lines, columns with `|` between them.
  @discardableResult
  public func sql(_ statements: String, in database: String) throws -> [Substring] {
    let result = try Tool.run(
      programs + "/psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", address(database), "-f", "-"],
      stdin: Array(statements.utf8))
    guard result.status == 0 else { throw Tool.Failure.system("psql", reason: result.errors) }
    return result.lines
  }

  /// Requires this password for connections to the loopback port from now on.
  public func demandPassword(_ password: String) throws {
    try sql("ALTER USER \(Self.user) PASSWORD '\(password.replacing("'", with: "''"))'", in: "postgres")
    let rules = Data("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n".utf8)
    try rules.write(to: URL(fileURLWithPath: folder + "/data/pg_hba.conf"))
    _ = try Tool.shell("kill -HUP $(head -1 \(folder)/data/postmaster.pid)")
    // The server reads the files again a moment later.
    while try Tool.run(programs + "/psql", ["-XAtqw", "-d", address("postgres"), "-c", "SELECT 1"]).status == 0 {}
  }

  /// Ends the server as the kernel does when memory is short: SIGKILL for each of its processes.
  public func killNow() throws {
    _ = try Tool.shell(
      """
      cd \(folder)
      touch stopping
      server=$(head -1 data/postmaster.pid)
      kill -9 $server $(ps -o pid= --ppid $server)
      """)
  }

  /// Starts it again after ``killNow()``, and waits until it answers.
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
      + "-c listen_addresses=127.0.0.1 -c max_wal_size=1GB"
    // The remains of a killed server block a start for a moment: it is started again until it keeps running.
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
    // The limit counts from the start of the program, so a long-running one also gets time to end.
    _ = try child.finish(feeding: [], limit: .seconds(86_400))
  }

  private static var asNobody: String {
    getuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups" : ""
  }
}
