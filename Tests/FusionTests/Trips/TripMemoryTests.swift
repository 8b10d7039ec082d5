import Fusion
import Telemetry
import Testing

/// The state of a trip as one line of text, in which it is stored.
@Suite struct TripMemoryTests {
  private static let vin = "1D4GP00RX5B123456"

  private func memory() throws -> TripMemory {
    var session = Session()
    session.fusion.setWallTime(offset: 1_777_932_000_000_000_000, quality: .ntp)
    session.text(.vin, Self.vin, at: 0)
    for second in 0...60 {
      session.read("rpm", 2_000, at: Double(second))
      session.read("speed", 36, at: Double(second))
      session.read("fuelRate", 6, at: Double(second))
      session.read("odometer", 12_345.6, at: Double(second))
    }
    let found = session.tripMemory(at: 61)
    return try #require(found)
  }

  @Test func a_memory_reads_back_as_it_was_written() throws {
    let memory = try memory()
    #expect(memory.vin == Self.vin)
    #expect(memory.vehicleId == Self.vin)
    let read = try TripMemory(parsing: memory.text)
    #expect(read.text == memory.text)
    #expect(read.tripId == memory.tripId && read.date == memory.date && read.time == memory.time)
    #expect(memory.text.last == UInt8(ascii: "\n"))
    #expect(memory.text.count < 2_048)
  }

  @Test func a_memory_that_was_cut_anywhere_is_refused() throws {
    let memory = try memory()
    for length in 0..<memory.text.count - 1 {
      #expect(throws: TripMemoryError.self) { try TripMemory(parsing: Array(memory.text.prefix(length))) }
    }
  }

  @Test func a_memory_in_which_a_bit_fell_over_is_refused() throws {
    let memory = try memory()
    for place in 0..<(memory.text.count - 1) * 8 {
      var text = memory.text
      text[place / 8] ^= 1 << UInt8(place % 8)
      #expect(throws: TripMemoryError.self) { try TripMemory(parsing: text) }
    }
  }
}
