import Foundation
import TestKit
import Testing

@testable import Sinks
@testable import SinksTestKit

@Suite struct RecordFileTests: ~Copyable {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func bytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

  private func number(_ sequence: UInt64) -> RecordLine.Number {
    RecordLine.Number(epoch: Batches.epoch, sequence: sequence)
  }

  @Test func a_line_truncated_anywhere_is_removed_and_complete_ones_kept() throws {
    let whole = Batches.line(1) + Batches.line(2)
    let third = Batches.line(3)
    for count in 1..<third.count {
      let path = try scratch.write("records.jsonl", whole + third[..<count])
      let file = try RecordFile(path)
      #expect(try bytes(path) == whole)
      #expect(file.repair == .cutLineRemoved(bytes: count))
      #expect(file.contains(number(2)))
      #expect(!file.contains(number(3)))
    }
  }

  @Test func a_file_that_ends_with_a_line_is_left_as_it_is() throws {
    let whole = Batches.line(1) + Batches.line(2)
    let path = try scratch.write("records.jsonl", whole)
    let file = try RecordFile(path)
    #expect(file.repair == nil)
    try file.append(Batches.line(3)[...])
    #expect(try bytes(path) == whole + Batches.line(3))
  }

  @Test func zero_bytes_after_a_power_cut_are_removed() throws {
    let path = try scratch.write("records.jsonl", Batches.line(1) + [UInt8](repeating: 0, count: 4_096))
    let file = try RecordFile(path)
    #expect(file.repair == .cutLineRemoved(bytes: 4_096))
    #expect(try bytes(path) == Batches.line(1))
  }

  @Test func lines_that_are_not_records_of_this_gateway_are_not_removed() throws {
    let path = try scratch.write("notes.txt", "first line\nsecond without end")
    let file = try RecordFile(path)
    #expect(file.repair == .lineEnded)
    try file.append(Batches.line(1)[...])
    #expect(try bytes(path) == Array("first line\nsecond without end\n".utf8) + Batches.line(1))
  }

  @Test func records_are_known_far_back() throws {
    var text: [UInt8] = []
    for number in 1...20_000 where number != 777 { text += Batches.line(number) }
    let file = try RecordFile(try scratch.write("records.jsonl", text))
    #expect(file.contains(number(1)))
    #expect(file.contains(number(20_000)))
    #expect(!file.contains(number(777)))
    #expect(!file.contains(RecordLine.Number(epoch: "another", sequence: 1)))
  }

  @Test func a_pipe_and_a_folder_are_rejected_as_record_files() throws {
    let pipe = scratch.file("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    for path in [pipe, scratch.path, scratch.file("none/records.jsonl")] {
      let error = #expect(throws: SinkError.self) { _ = try RecordFile(path) }
      #expect(error?.kind == .badFile)
    }
  }
}
