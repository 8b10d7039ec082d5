import NMEAWire
import Testing

/// Start and end of sentences in a stream, with any bytes between them, and for any division of the bytes.
@Suite struct FixReaderTests {
  static let rmc = Stream.sentence("GPRMC,081836.75,A,3751.6512,S,14507.3604,E,22.40,309.6,130926,11.3,E,D")
  static let gga = Stream.sentence("GPGGA,081836.75,3751.65121,S,14507.36041,E,2,09,0.9,88.4,M,-3.2,M,2.0,0120")
  static let later = Stream.sentence("GNGNS,081837.75,3751.65121,S,14507.36041,E,DA,14,0.7,88.4,-3.2,2.0,0120")

  static let mixed: [UInt8] = {
    var bytes: [UInt8] = [0xB5, 0x62, 0x01, 0x07, 0x24, 0x00, 0x2A]
    bytes += Array("\(rmc)!AIVDM,1,1,,B,13njCt031t0DA=lN2:jKmad60l1p,0*12\r\n\(gga)$GPRMC,081836.75,A*$GPG".utf8)
    bytes += Array("\(later)$GPGLL,3751.65,S\r\n+GPSRD:\(rmc.dropLast())\(gga)$GPGGA,0818*zz\r\n$GP".utf8)
    bytes += [0x47, 0x00, 0xFF] + Array("$GPGLL,1*00$".utf8) + [UInt8](repeating: 0x41, count: 300) + Array(later.utf8)
    return bytes + Array("$GPGGA,0818".utf8)
  }()

  @Test func every_split_gives_the_same_fixes() {
    let whole = Stream.reading(Self.mixed)
    #expect(whole.fixes.count == 4)
    #expect(Set(whole.reasons).count == 7)
    for cut in 0...Self.mixed.count {
      let split = Stream.reading(Self.mixed, cutAt: cut)
      #expect(split.fixes == whole.fixes, "cut at \(cut)")
      #expect(split.refusals == whole.refusals, "cut at \(cut)")
      #expect(split.accepted == whole.accepted, "cut at \(cut)")
    }
  }

  @Test(arguments: 1...9) func chunks_of_any_size_give_the_same(_ size: Int) {
    let whole = Stream.reading(Self.mixed)
    let split = Stream.reading(Self.mixed, chunk: size)
    #expect(split.fixes == whole.fixes)
    #expect(split.refusals == whole.refusals)
    #expect(split.accepted == whole.accepted)
  }

  @Test func a_fix_has_the_position_of_its_last_sentences_end() throws {
    let stream = Stream.reading(bytes: "noise" + Self.rmc + Self.gga + Self.later)
    #expect(stream.fixes.count == 2)
    let end = "noise".utf8.count + Self.rmc.utf8.count + Self.gga.utf8.count - 2
    #expect(stream.fixes[0].position == UInt64(end))
    #expect(stream.fixes[1].position == UInt64(end + Self.later.utf8.count))
  }

  @Test func an_epoch_is_delivered_when_the_next_begins() {
    var stream = Stream()
    var reader = FixReader()
    reader.receive(Array((Self.rmc + Self.gga).utf8).span, into: &stream)
    #expect(stream.fixes.isEmpty)
    reader.receive(Array(Self.later.utf8).span, into: &stream)
    #expect(stream.fixes.count == 1)
  }

  @Test func flush_ends_the_epoch_once_and_keeps_a_sentence_that_has_begun() throws {
    var stream = Stream()
    var reader = FixReader()
    let bytes = Array((Self.rmc + Self.later).utf8)
    let cut = Self.rmc.utf8.count + 20
    reader.receive(bytes.span.extracting(0..<cut), into: &stream)
    reader.flush(into: &stream)
    reader.flush(into: &stream)
    #expect(stream.fixes.count == 1)
    reader.receive(bytes.span.extracting(cut..<bytes.count), into: &stream)
    reader.flush(into: &stream)
    #expect(stream.fixes.count == 2)
    #expect(stream.refusals.isEmpty)
  }

  @Test func the_end_of_the_stream_refuses_the_sentence_that_it_cut() {
    let stream = Stream.reading(bytes: Self.rmc + "$GPGGA,0818")
    #expect(stream.fixes.count == 1)
    #expect(
      stream.refusals == [
        Stream.Refusal(reason: .truncated, sentence: "$GPGGA,0818", position: UInt64(Self.rmc.utf8.count))
      ])
  }

  @Test func a_sentence_needs_no_line_end_behind_its_checksum() {
    let bytes = Array("\(Self.rmc.dropLast())\(Self.gga.dropLast())".utf8)
    for cut in 0...bytes.count {
      let stream = Stream.reading(bytes, cutAt: cut)
      #expect(stream.accepted == [.rmc, .gga], "cut at \(cut)")
      #expect(stream.fixes.count == 1 && stream.refusals.isEmpty, "cut at \(cut)")
    }
  }

  @Test func bytes_between_sentences_are_skipped_silently() {
    let ais = "!AIVDM,1,1,,B,13njCt031t0DA=lN2:jKmad60l1p,0*12\r\n"
    let stream = Stream.reading(bytes: ais + "+GPSRD:" + Self.rmc + "# a comment\r\n\r\n" + ais + Self.gga)
    #expect(stream.accepted == [.rmc, .gga])
    #expect(stream.refusals.isEmpty)
  }

  @Test func binary_messages_between_sentences_are_skipped() {
    // UBX NAV-CLOCK's head and SiRF's start sequence, with a $ in the payload.
    let ubx: [UInt8] = [0xB5, 0x62, 0x01, 0x22, 0x14, 0x00, 0x24, 0x91, 0x00, 0xFF, 0xA0, 0xA2, 0x24, 0x24, 0xB0, 0xB3]
    let stream = Stream.reading(ubx + Array(Self.rmc.utf8) + ubx + Array(Self.gga.utf8))
    #expect(stream.accepted == [.rmc, .gga])
    #expect(stream.reasons.allSatisfy { $0 == .invalidByte || $0 == .interrupted })
  }

  @Test func a_sentence_without_checksum_is_refused() {
    let stream = Stream.reading(bytes: "$GPGGA,222449,3349.0337,S,01843.9282,E,1,07,02.31,000115.4,M,0033.3,M,,\r\n")
    #expect(stream.reasons == [.missingChecksum])
    #expect(stream.fixes.isEmpty)
  }

  @Test func every_wrong_checksum_is_refused() {
    let body = "GPGLL,3751.6512,S,14507.3604,E,081836.75,A,D"
    let right = body.utf8.reduce(0, ^)
    for checksum in UInt8.min...UInt8.max where checksum != right {
      let digits = String(checksum, radix: 16)
      let stream = Stream.reading(bytes: "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n")
      #expect(stream.reasons == [.checksumMismatch])
      #expect(stream.fixes.isEmpty)
    }
  }

  @Test func a_checksum_in_lower_case_is_right() {
    #expect(Stream.reading(bytes: "$HEHDT,311.0,T*2c\r\n").accepted == [.hdt])
    #expect(Stream.reading(bytes: "$HEHDT,311.0,T*2C\r\n").accepted == [.hdt])
  }

  @Test func a_fused_sentence_gives_up_its_head_and_saves_its_tail() {
    let stream = Stream.reading(
      bytes: "$GNRMC,132452.00,A,4109.76817,N,00838.23846,W,0.120,,170320,,,A*$GNVTG,,T,,M,0.120,N,0.222,K,A*3C\r\n")
    #expect(stream.accepted == [.vtg])
    #expect(stream.reasons == [.malformedChecksum])
    #expect(stream.refusals[0].sentence == "$GNRMC,132452.00,A,4109.76817,N,00838.23846,W,0.120,,170320,,,A*")
  }

  @Test func a_sentence_that_another_interrupts_is_refused_alone() {
    let stream = Stream.reading(bytes: "$GPGGA,0818" + Self.rmc)
    #expect(stream.reasons == [.interrupted])
    #expect(stream.accepted == [.rmc])
  }

  @Test(arguments: [0x00, 0x07, 0x7F, 0x80, 0xC3, 0xFF] as [UInt8])
  func an_invalid_byte_rejects_the_sentence(_ byte: UInt8) {
    var bytes = Array(Self.rmc.utf8)
    bytes[30] = byte
    let stream = Stream.reading(bytes + Array(Self.gga.utf8))
    #expect(stream.reasons == [.invalidByte])
    #expect(stream.accepted == [.gga])
  }

  @Test func a_sentence_of_the_greatest_length_is_read_and_a_longer_one_refused() {
    let longest = Stream.sentence("GPXXX," + String(repeating: "0", count: FixReader.maximumLength - 10))
    #expect(longest.utf8.count - 2 == FixReader.maximumLength)
    #expect(Stream.reading(bytes: longest).accepted == [.other])
    let tooLong = Stream.sentence("GPXXX," + String(repeating: "0", count: FixReader.maximumLength - 9))
    let stream = Stream.reading(bytes: tooLong + Self.rmc)
    #expect(stream.reasons == [.tooLong])
    #expect(stream.accepted == [.rmc])
  }

  @Test func an_empty_stream_gives_nothing() {
    let stream = Stream.reading(bytes: "")
    #expect(stream.fixes.isEmpty && stream.refusals.isEmpty)
  }
}
