import Foundation
import Glibc
import Synchronization

/// Runs programs with arguments and bytes as their input, and returns exit status, both outputs and memory.
///
///     let jq = try Tool.run("jq", [".rpm"], stdin: Array(line.utf8))
///     #expect(jq.status == 0)
///
/// Both outputs are read while the input is written, so that no amount of data blocks the program. A program that does
/// not end within its time limit is killed, and an error reports this.
public enum Tool {
  /// The result of a program.
  public struct Result: Sendable {
    /// The exit code, or 128 + the number of the signal that ended the program, as in a shell.
    public let status: Int32
    public let stdout: [UInt8]
    public let stderr: [UInt8]
    /// Wall time from start to end.
    public let elapsed: Duration

    /// Standard output as text. Bytes that are not UTF-8 become replacement characters.
    public var output: String { String(decoding: stdout, as: UTF8.self) }
    /// Standard error as text.
    public var errors: String { String(decoding: stderr, as: UTF8.self) }
    /// The lines of standard output, without their line ends.
    public var lines: [Substring] { output.split(separator: "\n") }
  }

  /// The reason why a program could not be run to its end.
  public enum Failure: Error, CustomStringConvertible {
    /// There is no such program in `PATH`, or it is not executable.
    case notStarted(String, reason: String)
    /// The program was killed after its time limit. `stderr` is its error output until then.
    case timedOut(String, limit: Duration, stderr: String)
    /// The system could not create a pipe or a process.
    case system(String, reason: String)

    public var description: String {
      switch self {
      case .notStarted(let program, let reason): "\(program) did not start: \(reason)"
      case .timedOut(let program, let limit, let stderr): "\(program) killed after \(limit); stderr: \(stderr)"
      case .system(let call, let reason): "\(call): \(reason)"
      }
    }
  }

  /// Runs a program to its end.
  ///
  /// - Parameters:
  ///   - executable: a path, or a name that is searched in `PATH`.
  ///   - stdin: bytes for its standard input; `nil` for an empty input.
  ///   - environment: variables to add to those of the test; an empty value removes a variable.
  ///   - directory: the working directory; `nil` for that of the test.
  ///   - limit: time limit.
  /// - Throws: ``Failure``. An exit code other than 0 is a result, not an error.
  public static func run(
    _ executable: String, _ arguments: [String] = [], stdin: [UInt8]? = nil, environment: [String: String] = [:],
    directory: String? = nil, limit: Duration = .seconds(120)
  ) throws -> Result {
    var child = try Child(executable, arguments, environment: environment, directory: directory, feeds: stdin != nil)
    return try child.finish(feeding: stdin ?? [], limit: limit)
  }

  /// Runs work while no program is being started. The work itself must not start one.
  ///
  /// A child process has copies of all descriptors of this process until it calls exec. Without this function, a port
  /// that the work closes could therefore stay open for a moment.
  public static func withoutBirths<Value: Sendable>(_ work: () throws -> Value) throws -> Value {
    try Child.birth.withLock { _ in try work() }
  }

  /// Runs a shell command, which may contain pipes, as `bash -o pipefail -c line`.
  ///
  /// With `pipefail`, the status is an error if any program in a pipe fails.
  public static func shell(
    _ line: String, stdin: [UInt8]? = nil, environment: [String: String] = [:], directory: String? = nil,
    limit: Duration = .seconds(120)
  ) throws -> Result {
    try run(
      "bash", ["-o", "pipefail", "-c", line], stdin: stdin, environment: environment, directory: directory,
      limit: limit)
  }
}

/// A program that was started, and this process's ends of its three pipes.
struct Child {
  let name: String
  let pid: pid_t
  let started: ContinuousClock.Instant
  /// The pipe to its standard input; -1 after it was closed.
  var input: Int32
  var output: Int32
  var errors: Int32
  /// The folder that the program gets as XDG_RUNTIME_DIR. Without it, a daemon that has no configured socket would use
  /// the folder of the machine's own daemon.
  private let runtime: String

  /// posix_spawn_file_actions_addclosefrom_np(3) of glibc 2.34 and later, which Swift's Glibc module lacks.
  private static let closeFrom: CloseFrom? = unsafe dlsym(nil, "posix_spawn_file_actions_addclosefrom_np").map {
    unsafe unsafeBitCast($0, to: CloseFrom.self)
  }
  private typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32

  /// Only one program is started at a time. Otherwise, a program that is started between the creation of a pipe and the
  /// setting of its close-on-exec flag would inherit the pipe.
  fileprivate static let birth = Mutex(())

  init(
    _ executable: String, _ arguments: [String], environment: [String: String], directory: String?, feeds: Bool
  ) throws {
    self = try Child.birth.withLock { _ in
      try Child(
        // Change the directory by `env`, because Glibc's module lacks the function of posix_spawn for it.
        spawning: directory.map { ["env", "-C", $0, executable] + arguments } ?? [executable] + arguments,
        environment: environment, feeds: feeds)
    }
  }

  private init(spawning command: [String], environment: [String: String], feeds: Bool) throws {
    // If a program ends before it has read its input, writing must not end the tests by SIGPIPE.
    _ = signal(SIGPIPE, SIG_IGN)
    let stdin = try Child.pipe()
    let stdout = try Child.pipe()
    let stderr = try Child.pipe()
    defer { for end in [stdin.read, stdout.write, stderr.write] { close(end) } }
    name = command.joined(separator: " ")
    started = .now

    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, stdin.read, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, stdout.write, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, stderr.write, 2)
    // Some libraries do not set the close-on-exec flag of their sockets. A child that runs long would keep such
    // connections open after both ends have closed them, and a program that waits for the end of a connection would
    // hang.
    if let closeFrom = unsafe Child.closeFrom { _ = unsafe closeFrom(&actions, 3) }

    // The child gets the same signal settings as from a shell: SIGPIPE ends it, and no signal is blocked.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigaddset(&signals, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    runtime = FileManager.default.temporaryDirectory.appendingPathComponent("run-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: runtime, withIntermediateDirectories: true)
    var variables = ProcessInfo.processInfo.environment
    variables["XDG_RUNTIME_DIR"] = runtime
    for (key, value) in environment { variables[key] = value.isEmpty ? nil : value }
    var argv = unsafe command.map { unsafe strdup($0) } + [nil]
    var envp = unsafe variables.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      for index in unsafe argv.indices { unsafe free(argv[index]) }
      for index in unsafe envp.indices { unsafe free(envp[index]) }
    }
    var started: pid_t = 0
    let code = unsafe posix_spawnp(&started, command[0], &actions, &attributes, &argv, &envp)
    guard code == 0 else {
      for end in [stdin.write, stdout.read, stderr.read] { close(end) }
      Child.remove(runtime)
      throw Tool.Failure.notStarted(name, reason: Child.message(code))
    }
    pid = started
    input = stdin.write
    output = stdout.read
    errors = stderr.read
    if !feeds { closeInput() }
  }

  /// Writes the input and reads both outputs until the program has ended.
  mutating func finish(feeding bytes: [UInt8], limit: Duration) throws -> Tool.Result {
    let deadline = started + limit
    defer {
      closeAll()
      hasEnded()
    }
    if input >= 0 {
      // Writing must not block, because the outputs must be read at the same time.
      _ = fcntl(input, F_SETFL, O_NONBLOCK)
      if bytes.isEmpty { closeInput() }
    }
    var stdout: [UInt8] = []
    var stderr: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var fed = 0
    while output >= 0 || errors >= 0 {
      // poll ignores negative descriptors, so closed pipes need no special case.
      var waiting = [
        pollfd(fd: input, events: Int16(POLLOUT), revents: 0), pollfd(fd: output, events: Int16(POLLIN), revents: 0),
        pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      ]
      unsafe poll(&waiting, 3, try milliseconds(until: deadline, limit: limit, stderr: stderr))
      if waiting[0].revents != 0 {
        let count = unsafe bytes[fed...].withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
        fed += max(0, count)
        if fed == bytes.count || (count < 0 && errno != EAGAIN && errno != EINTR) { closeInput() }
      }
      if waiting[1].revents != 0 { Child.drain(&output, into: &stdout, through: &buffer) }
      if waiting[2].revents != 0 { Child.drain(&errors, into: &stderr, through: &buffer) }
    }
    closeInput()
    return Tool.Result(
      status: try status(deadline: deadline, limit: limit, stderr: stderr), stdout: stdout, stderr: stderr,
      elapsed: .now - started)
  }

  /// Waits for the end of a program that has closed its outputs. It usually ends immediately.
  private func status(deadline: ContinuousClock.Instant, limit: Duration, stderr: [UInt8]) throws -> Int32 {
    var status: Int32 = 0
    while true {
      let ended = unsafe waitpid(pid, &status, WNOHANG)
      if ended == pid { break }
      if ended < 0 && errno != EINTR { throw Tool.Failure.system("waitpid", reason: Child.message(errno)) }
      _ = try milliseconds(until: deadline, limit: limit, stderr: stderr)
      poll(nil, 0, 1)
    }
    // WIFSIGNALED and WEXITSTATUS are macros, which Swift cannot import.
    return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
  }

  /// Returns the rest of the time limit. If it has passed, kills the program and throws an error.
  private func milliseconds(
    until deadline: ContinuousClock.Instant, limit: Duration, stderr: [UInt8]
  ) throws -> Int32 {
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
      throw Tool.Failure.timedOut(name, limit: limit, stderr: String(decoding: stderr.suffix(2_000), as: UTF8.self))
    }
    return Int32(clamping: left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000 + 1)
  }

  private static func drain(_ end: inout Int32, into collected: inout [UInt8], through buffer: inout [UInt8]) {
    let count = unsafe read(end, &buffer, buffer.count)
    if count > 0 {
      collected += buffer[..<count]
    } else if count == 0 || errno != EINTR {
      close(end)
      end = -1
    }
  }

  /// Removes the files that were made for the program. Called after its end.
  func hasEnded() { Child.remove(runtime) }

  private static func remove(_ folder: String) {
    do {
      try FileManager.default.removeItem(atPath: folder)
    } catch {
      print("left behind: \(folder): \(error)")
    }
  }

  private mutating func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  private mutating func closeAll() {
    closeInput()
    if output >= 0 { close(output) }
    if errors >= 0 { close(errors) }
    output = -1
    errors = -1
  }

  /// Both ends have the close-on-exec flag, so that programs that are started at the same time do not keep each other's
  /// pipes open.
  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard unsafe Glibc.pipe(&ends) == 0 else { throw Tool.Failure.system("pipe", reason: message(errno)) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func message(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
