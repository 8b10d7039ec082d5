import Foundation
import Glibc

/// A program that runs during a test. It provides the lines as they arrive and accepts signals; it is killed when the
/// test releases it.
///
///     let daemon = try RunningProgram(obdgated, ["--config", file])
///     let found = try daemon.line(within: .seconds(5)) { $0.contains("found") }
///     daemon.send(SIGTERM)
///     #expect(try daemon.end(within: .seconds(20)) == 0)
public final class RunningProgram: @unchecked Sendable {
  /// A line of output, with the time at which it was read.
  public struct Line: Sendable {
    public let text: String
    public let time: ContinuousClock.Instant
  }

  /// The error that an expected line, or the end of the program, did not come in time.
  public struct Late: Error, CustomStringConvertible {
    public let description: String
  }

  public let pid: pid_t
  private let child: Child
  /// Protects the properties below. It is broadcast after each change.
  private let changed = NSCondition()
  private var lines: [Line] = []
  private var errors: [Line] = []
  private var openStreams = 2
  private var isOutputRead = false
  private var status: Int32?
  /// The number of output lines that ``line(within:where:)`` has examined so far.
  private var seen = 0
  private var seenErrors = 0

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - readsOutput: if `false`, the program's standard output is not read before ``readOutput()`` is called.
  ///   - isFed: whether the program gets a pipe as its standard input, to which ``writeLine(_:)`` writes.
  public init(
    _ executable: String, _ arguments: [String] = [], environment: [String: String] = [:], readsOutput: Bool = true,
    isFed: Bool = false
  ) throws {
    child = try Child(executable, arguments, environment: environment, directory: nil, feeds: isFed)
    pid = child.pid
    let (pid, errors) = (child.pid, child.errors)
    if readsOutput { readOutput() }
    Thread.detachNewThread { [self] in drain(errors, isOutput: false) }
    Thread.detachNewThread { [self] in
      var raw: Int32 = 0
      while unsafe waitpid(pid, &raw, 0) < 0, errno == EINTR {}
      child.hasEnded()
      changed.withLock {
        // WIFSIGNALED and WEXITSTATUS are macros, which Swift cannot import.
        status = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + raw & 0x7F
        changed.broadcast()
      }
    }
  }

  /// Kills the program and releases its resources. Call it in a `defer`, because the threads that read the program's
  /// output keep this object alive as long as the program runs.
  public func kill() {
    if changed.withLock({ status == nil }) { Glibc.kill(pid, SIGKILL) }
  }

  /// Kills the program and waits for its end. After that, it holds no locks and changes no files.
  public func killNow() throws {
    kill()
    _ = try end(within: .seconds(60))
  }

  /// Begins to read the program's standard output.
  public func readOutput() {
    let output = child.output
    changed.withLock { isOutputRead = true }
    Thread.detachNewThread { [self] in drain(output, isOutput: true) }
  }

  /// Fills the pipe of the program's standard output completely, so that the program cannot write anything more.
  public func clogOutput() {
    let other = unsafe open("/proc/\(pid)/fd/1", O_WRONLY | O_NONBLOCK)
    guard other >= 0 else { return }
    let newline: [UInt8] = [0x0A]
    while unsafe write(other, newline, 1) == 1 {}
    close(other)
  }

  /// Closes the pipe of the program's standard output, unless it is being read. The program's next write to it fails
  /// with EPIPE.
  public func closeOutput() { close(child.output) }

  /// Writes a line to the program's standard input.
  public func writeLine(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(child.input, $0.baseAddress, $0.count) }
  }

  /// Closes the program's standard input.
  public func closeInput() { close(child.input) }

  public func send(_ signal: Int32) { Glibc.kill(pid, signal) }

  /// All lines that the program has written to standard output so far.
  public var output: [Line] { changed.withLock { lines } }
  /// All lines that the program has written to standard error so far.
  public var errorLines: [String] { changed.withLock { errors.map(\.text) } }

  /// Waits for a line of standard output for which `isWanted` is true. It must come after the line that the last call
  /// returned.
  @discardableResult
  public func line(within limit: Duration, where isWanted: (String) -> Bool) throws -> Line {
    try wait(limit, "line of output") {
      while seen < lines.count {
        seen += 1
        if isWanted(lines[seen - 1].text) { return lines[seen - 1] }
      }
      return nil
    }
  }

  /// Waits for a line of standard error for which `isWanted` is true. It must come after the line that the last call
  /// returned.
  @discardableResult
  public func errorLine(within limit: Duration, where isWanted: (String) -> Bool) throws -> Line {
    try wait(limit, "line on standard error") {
      while seenErrors < errors.count {
        seenErrors += 1
        if isWanted(errors[seenErrors - 1].text) { return errors[seenErrors - 1] }
      }
      return nil
    }
  }

  /// Waits for a line of standard error for which `isWanted` is true. All lines since the start are examined.
  @discardableResult
  public func anyErrorLine(within limit: Duration, where isWanted: (String) -> Bool) throws -> Line {
    try wait(limit, "line on standard error") { errors.first { isWanted($0.text) } }
  }

  /// Waits for the end of the program.
  ///
  /// - Returns: the exit code, or 128 + the number of the signal that ended the program.
  public func end(within limit: Duration) throws -> Int32 {
    let code = try wait(limit, "end", isFinal: false) { status }
    // Its last output may still be in the pipes, so wait for the end of both. A child process may keep them open.
    let deadline = ContinuousClock.now + .seconds(60)
    changed.lock()
    defer { changed.unlock() }
    while openStreams > (isOutputRead ? 0 : 1), changed.wait(until: deadline) {}
    return code
  }

  private func wait<Value>(
    _ limit: Duration, _ what: String, isFinal: Bool = true, _ look: () -> Value?
  ) throws -> Value {
    let deadline = ContinuousClock.now + limit
    changed.lock()
    defer { changed.unlock() }
    while true {
      if let found = look() { return found }
      let isOver = isFinal && status != nil && openStreams == 0
      guard !isOver, changed.wait(until: deadline) else {
        let tail = (lines.suffix(6) + errors.suffix(60)).map(\.text).joined(separator: "\n")
        throw Late(
          description: "no such \(what) within \(limit) (status \(status.map(String.init) ?? "running")):\n\(tail)")
      }
    }
  }

  private func drain(_ descriptor: Int32, isOutput: Bool) {
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      let now = ContinuousClock.now
      rest += buffer[..<count]
      var parts = rest.split(separator: 0x0A, omittingEmptySubsequences: false)
      rest = Array(parts.removeLast())
      let news = parts.map { Line(text: String(decoding: $0, as: UTF8.self), time: now) }
      changed.withLock {
        if isOutput { lines += news } else { errors += news }
        changed.broadcast()
      }
    }
    close(descriptor)
    changed.withLock {
      // Add the rest, which is a line without a line end.
      if !rest.isEmpty, isOutput { lines.append(Line(text: String(decoding: rest, as: UTF8.self), time: .now)) }
      openStreams -= 1
      changed.broadcast()
    }
  }
}

/// Runs blocking work on a separate thread, as a part of the calling test, so that tests that wait for programs do not
/// block each other.
public func runBlocking<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withTaskExecutorPreference(ThreadPerJob()) { try work() }
}

/// Gives each job a thread of its own. Swift's thread pool has only as many threads as there are cores, and none of
/// them may block.
private final class ThreadPerJob: TaskExecutor {
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
