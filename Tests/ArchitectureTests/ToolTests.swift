import TestKit
import Testing

/// The functions that run programs in tests.
@Suite struct ToolTests {
  @Test func status_and_both_outputs_come_back() throws {
    let result = try Tool.run("sh", ["-c", "echo out; echo err >&2; exit 3"])
    #expect(result.status == 3)
    #expect(result.output == "out\n")
    #expect(result.errors == "err\n")
  }

  @Test func data_beyond_the_pipe_capacity_passes_in_both_directions() throws {
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let result = try Tool.run("cat", stdin: bytes)
    #expect(result.status == 0)
    #expect(result.stdout == bytes)
  }

  @Test func a_program_that_does_not_read_its_input_does_not_end_the_tests() throws {
    let result = try Tool.run("true", stdin: [UInt8](repeating: 0x41, count: 1_000_000))
    #expect(result.status == 0)
  }

  @Test func a_signal_is_counted_as_a_shell_counts_it() throws {
    #expect(try Tool.run("sh", ["-c", "kill -TERM $$"]).status == 143)
  }

  @Test func a_closed_pipe_ends_the_writer_as_it_would_at_a_terminal() throws {
    // 141 = 128 + SIGPIPE. The tests themselves ignore SIGPIPE, and the child must not inherit this.
    #expect(try Tool.shell("yes | head -1 >/dev/null; echo ${PIPESTATUS[0]}").output == "141\n")
  }

  @Test func a_program_that_does_not_end_is_killed_and_reported() throws {
    #expect(throws: Tool.Failure.self) { try Tool.run("tail", ["-f", "/dev/null"], limit: .milliseconds(100)) }
  }

  @Test func a_missing_program_is_an_error() throws {
    #expect(throws: Tool.Failure.self) { try Tool.run("no-such-program-anywhere") }
  }

  @Test func environment_and_directory_are_the_ones_given() throws {
    let result = try Tool.run("sh", ["-c", "echo $CHOSEN; pwd"], environment: ["CHOSEN": "yes"], directory: "/usr")
    #expect(result.output == "yes\n/usr\n")
  }
}
