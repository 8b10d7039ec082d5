import Glibc
import TestKit
import Testing

@testable import Gateway
@testable import GatewayOutput

/// Log lines if nobody reads stderr.
@Suite struct LogTests {
  /// A pipe that is closed when the test ends.
  private final class Pipe {
    let reading: Int32
    let writing: Int32

    init() {
      var ends: [Int32] = [-1, -1]
      _ = unsafe pipe(&ends)
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      (reading, writing) = (ends[0], ends[1])
    }

    deinit {
      close(reading)
      close(writing)
    }

    /// Fills the pipe completely.
    func clog() {
      let flags = fcntl(writing, F_GETFL)
      _ = fcntl(writing, F_SETFL, flags | O_NONBLOCK)
      let nothing: [UInt8] = [0]
      while unsafe write(writing, nothing, 1) == 1 {}
      _ = fcntl(writing, F_SETFL, flags)
    }

    /// Returns the content of the pipe without the bytes of ``clog()``.
    func text() -> String {
      var all: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      var waiting = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
      while unsafe poll(&waiting, 1, 0) > 0 {
        let count = unsafe read(reading, &buffer, buffer.count)
        guard count > 0 else { break }
        all += buffer[..<count].filter { $0 != 0 }
      }
      return String(decoding: all, as: UTF8.self)
    }
  }

  @Test func a_log_line_is_complete_and_has_the_programs_name() {
    let pipe = Pipe()
    StandardErrorLog(pipe.writing).write("gateway.json read")
    #expect(pipe.text() == "obdgated: gateway.json read\n")
  }

  @Test func a_full_log_pipe_does_not_block_and_lost_lines_are_counted() async throws {
    try await runBlocking {
      let pipe = Pipe()
      let lines = StandardErrorLog(pipe.writing)
      pipe.clog()
      let began = ContinuousClock.now
      for number in 1...2_000 { lines.write("line \(number)") }
      #expect(ContinuousClock.now - began < .seconds(10))
      #expect(pipe.text() == "")
      lines.write("read again")
      #expect(pipe.text() == "obdgated: lines that nobody read: 2000\nobdgated: read again\n")
      lines.write("and again")
      #expect(pipe.text() == "obdgated: and again\n")
    }
  }
}
