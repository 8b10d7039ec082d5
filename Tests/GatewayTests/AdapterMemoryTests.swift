import AdapterSession
import Failures
import TestKit
import Testing

@testable import Gateway
@testable import GatewayLinks

@Suite struct AdapterMemoryTests {
  private let good = #"{"adapter":"usb:0403:6015:DA01","baud":115200,"protocol":"6","quirks":[]}"#

  @Test func good_lines_are_kept_and_bad_ones_are_one_line() throws {
    let reading = AdapterMemory.Reading(
      Array(("x\n\n\(good)\n" + String(repeating: "\u{0}?\n", count: 15_136)).utf8), from: "f")
    #expect(reading.known["usb:0403:6015:DA01"]?.baud == 115_200)
    #expect(reading.known.count == 1)
    let complaint = try #require(reading.complaint)
    #expect(
      complaint.hasPrefix("f:1: ")
        && complaint.hasSuffix(" (and 15136 more lines are wrong); its content will be learned again"))
    #expect(!complaint.contains("\n"))
  }

  @Test func an_unchanged_file_is_not_reported() {
    let reading = AdapterMemory.Reading(Array("\(good)\n".utf8), from: "f")
    #expect(reading.known.count == 1)
    #expect(reading.complaint == nil)
  }

  @Test func silent_PIDs_and_a_measured_voltage_are_kept() throws {
    let scratch = try ScratchFolder()
    var memory = AdapterMemory(folder: scratch.path)
    var learned = SessionMemory()
    for pid in [0x04, 0x0F, 0xA6] as [UInt8] { learned.silentPIDs.insert(pid) }
    learned.measuresVoltage = true
    memory.store(learned, of: "a")
    let read = AdapterMemory(folder: scratch.path)["a"]
    #expect(read.silentPIDs == learned.silentPIDs && read.measuresVoltage)
    #expect(read.isSame(as: learned) && !read.isSame(as: SessionMemory()))
  }

  @Test func of_a_long_file_the_beginning_is_read() throws {
    let scratch = try ScratchFolder()
    let line = good + "\n"
    let file = try scratch.write("adapters.jsonl", line + String(repeating: "a", count: 3 << 20))
    #expect(AdapterMemory(folder: scratch.path)["usb:0403:6015:DA01"].baud == 115_200)
    let text = try FileText.read(file, limit: AdapterMemory.limit + 1, cuts: true)
    #expect(text.count == AdapterMemory.limit + 1)
    let reading = AdapterMemory.Reading(text, from: "f")
    #expect(reading.known.count == 1)
    #expect(reading.complaint == "f: longer than 256 KiB, the rest is not read; its content will be learned again")
  }
}
