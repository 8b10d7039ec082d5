import Captures
import Foundation
import TestKit
import Testing

/// Returns the names of the logs in a folder.
func logs(in folder: String) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".log") }.sorted()
}

@Suite struct CaptureFileTests {
  private struct Steps: CaptureProgress {
    var done: [Int] = []
    var total: Int?
    mutating func advanced(to done: Int, of total: Int?) {
      self.done.append(done)
      self.total = total
    }
  }

  /// A file for one test, which is deleted after it.
  private final class TemporaryFile {
    let path = NSTemporaryDirectory() + "capture-\(UUID().uuidString)"
    init(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
    deinit { unsafe unlink(path) }
  }

  private func hash(_ bytes: [UInt8]) throws -> UInt64 {
    let temporary = try TemporaryFile(bytes)
    return try CaptureFile(path: temporary.path).contentHash
  }

  private func openFailure(_ path: String) -> CaptureError? {
    failure { () throws(CaptureError) in _ = try CaptureFile(path: path) }
  }

  @Test func a_capture_file_is_read_with_progress_reports() throws {
    let line = Array("0.328114 < 41 0C 0A A0\\r\\r>\n".utf8)
    let content = Array("# obdgate-capture 1\n".utf8) + Array(repeatElement(line, count: 40_000).joined())
    let temporary = try TemporaryFile(content)
    var file = try CaptureFile(path: temporary.path)
    #expect(try file.detected.get() == .capture)
    #expect(file.size == content.count)
    var recorder = EventRecorder()
    var steps = Steps()
    try file.read(into: &recorder, progress: &steps)
    #expect(recorder.events.count == 40_000)
    #expect(recorder.events.allSatisfy { $0 == from("41 0C 0A A0\r\r>", .after(0.328114)) })
    #expect(steps.done.last == content.count)
    #expect(steps.done == steps.done.sorted())
    #expect(steps.total == content.count)
  }

  @Test(arguments: [100, 300_000, 9 << 20])
  func a_pipe_gives_what_the_file_gives(size: Int) throws {
    let line = Array("41 0C 1A F8 \r\r>".utf8)
    let content = Array(Array(repeatElement(line, count: size / line.count + 1).joined()).prefix(size))
    let temporary = try TemporaryFile(content)
    var file = try CaptureFile(path: temporary.path)
    var fromFile = EventRecorder()
    var steps = Steps()
    try file.read(into: &fromFile, progress: &steps)

    let fifo = temporary.path + ".fifo"
    let made = unsafe mkfifo(fifo, 0o600)
    #expect(made == 0)
    defer { unsafe unlink(fifo) }
    let writer = Thread {
      guard let handle = FileHandle(forWritingAtPath: fifo) else { return }
      handle.write(Data(content))
      handle.closeFile()
    }
    writer.start()
    var pipe = try CaptureFile(path: fifo)
    var fromPipe = EventRecorder()
    try pipe.read(into: &fromPipe, progress: &steps)
    #expect(pipe.contentHash == file.contentHash)
    #expect(pipe.size == nil)
    #expect(fromPipe.events.flatMap(\.bytes) == content)
    #expect(fromFile.events.flatMap(\.bytes) == content)
  }

  @Test func a_missing_file_and_a_directory_are_66() throws {
    let missing = openFailure("/no/such/place/trip.capture")
    #expect(missing?.kind == .missing)
    #expect(missing?.exitStatus == 66)
    #expect(missing?.description(of: "trip.capture") == "trip.capture: no such file")
    let directory = openFailure(NSTemporaryDirectory())
    #expect(directory?.kind == .isDirectory)
    #expect(directory?.exitStatus == 66)
  }

  @Test func an_empty_file_is_65() throws {
    let temporary = try TemporaryFile([])
    #expect(openFailure(temporary.path)?.kind == .empty)
    #expect(openFailure("/dev/null")?.kind == .empty)
    #expect(openFailure("/dev/null")?.exitStatus == 65)
  }

  @Test func an_unreadable_file_is_74() throws {
    // Reading an unmapped address of a process's memory fails for all users, even for root.
    let error = openFailure("/proc/self/mem")
    #expect(error?.exitStatus == 74)
    #expect(error?.description.hasPrefix("cannot be read: ") == true)
  }

  @Test func an_executable_is_binary_and_is_not_read() throws {
    var file = try CaptureFile(path: "/bin/ls")
    var recorder = EventRecorder()
    var steps = Steps()
    var thrown: CaptureError?
    do throws(CaptureError) { try file.read(into: &recorder, progress: &steps) } catch { thrown = error }
    #expect(thrown?.kind == .binary)
    #expect(recorder.events.isEmpty)
  }

  @Test func a_given_format_overrides_what_the_content_shows() throws {
    let temporary = try TemporaryFile(Array("hello there\n".utf8))
    var file = try CaptureFile(path: temporary.path)
    var recorder = EventRecorder()
    var steps = Steps()
    try file.read(as: .raw, into: &recorder, progress: &steps)
    #expect(recorder.events == [from("hello there\n")])
  }

  @Test func the_hash_covers_the_first_8_MiB_alone() throws {
    var content = [UInt8](repeating: 0x0D, count: CaptureFile.hashedSize + 10)
    let first = try hash(content)
    content[CaptureFile.hashedSize + 3] = 0x3E
    let second = try hash(content)
    content[CaptureFile.hashedSize - 1] = 0x3E
    let third = try hash(content)
    #expect(first == second)
    #expect(first != third)
  }
}
