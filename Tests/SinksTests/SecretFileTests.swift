import Glibc
import TestKit
import Testing

@testable import Sinks

@Suite struct SecretFileTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func file(_ text: String, mode: mode_t = 0o600) throws -> String {
    let path = try scratch.write("secret", text)
    #expect(unsafe chmod(path, mode) == 0)
    return path
  }

  @Test func a_secret_is_read_without_surrounding_white_space() throws {
    #expect(try SecretFile.read(file("  abc.DEF-123 \r\n")) == "abc.DEF-123")
  }

  @Test func a_world_readable_secret_file_is_rejected_with_a_remedy() throws {
    let path = try file("abc", mode: 0o644)
    let error = #expect(throws: SinkError.self) { try SecretFile.read(path) }
    #expect(error?.kind == .badFile)
    #expect("\(error ?? SinkError(.system, "", ""))".contains("chmod 600"))
  }

  @Test(arguments: ["", " \n", "a\nb", "t\u{0}x", "schlüssel"]) func an_invalid_secret_is_rejected(_ text: String)
    throws
  {
    let path = try file(text)
    #expect(throws: SinkError.self) { try SecretFile.read(path) }
  }

  @Test func the_secret_itself_is_in_no_message() throws {
    let path = try file("very\nsecret")
    let error = #expect(throws: SinkError.self) { try SecretFile.read(path) }
    #expect(!"\(error ?? SinkError(.system, "", ""))".contains("very"))
  }

  @Test func a_missing_secret_file_and_a_folder_are_reported() throws {
    #expect(throws: SinkError.self) { try SecretFile.read(scratch.file("none")) }
    #expect(throws: SinkError.self) { try SecretFile.read(scratch.path) }
  }
}
