import Glibc
import TestKit

/// A program that runs during the test, with its input and output. It is killed when the test releases it.
final class Running: Sendable {
  private let pid: pid_t
  private let input: Int32
  private let output: Int32

  struct NotStarted: Error { let code: Int32 }

  /// No other program may start meanwhile. It would inherit the pipes of this one.
  static func start(_ command: [String]) throws -> Running { try Tool.withoutBirths { try Running(command) } }

  private init(_ command: [String]) throws {
    var toChild: [Int32] = [-1, -1]
    var fromChild: [Int32] = [-1, -1]
    guard unsafe pipe(&toChild) == 0, unsafe pipe(&fromChild) == 0 else { throw NotStarted(code: errno) }
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer {
      close(toChild[0])
      close(fromChild[1])
    }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
    var started: pid_t = 0
    let code = unsafe posix_spawnp(&started, command[0], &actions, nil, &arguments, environ)
    guard code == 0 else { throw NotStarted(code: code) }
    pid = started
    input = toChild[1]
    output = fromChild[0]
  }

  deinit {
    close(input)
    close(output)
    kill(pid, SIGKILL)
    waitpid(pid, nil, 0)
  }

  func write(_ text: String) { Peer.write(text, to: input) }

  func hear(_ count: Int) -> String { Peer.read(count, from: output) }
}
