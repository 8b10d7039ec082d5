import Glibc
import Ports
import TestKit
import Testing

/// A listening socket at a path that already exists.
@Suite struct ListeningSocketTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func refusal(_ path: String) -> PortError? {
    do throws(PortError) {
      _ = try ListeningSocket(path: path, mode: 0o600)
      return nil
    } catch {
      return error
    }
  }

  @Test func a_file_that_is_not_a_socket_is_reported_and_kept() throws {
    let file = try scratch.write("file", "kept")
    for path in [file, scratch.path] {
      let error = refusal(path)
      #expect(error?.kind == .system && error?.code == ENOTSOCK)
      #expect(error?.detail.contains("not a socket; use another path") == true)
    }
    #expect(unsafe access(file, F_OK) == 0)
  }

  @Test func a_used_socket_is_kept_and_an_unused_one_replaced() throws {
    let path = scratch.file("sock")
    let first = try ListeningSocket(path: path, mode: 0o600)
    #expect(refusal(path)?.kind == .busy)
    let left = scratch.file("left")
    let bind = "import socket; socket.socket(socket.AF_UNIX).bind('\(left)')"
    let python = try Tool.required("python3")
    #expect(try Tool.run(python, ["-c", bind]).status == 0)
    #expect(refusal(left) == nil)
    _ = first.descriptor
  }
}
