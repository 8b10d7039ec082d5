import Testing

@testable import OBDWire

struct ChecksumTests {
  @Test func sum_is_taken_modulo_256() {
    let frame: [UInt8] = [0x48, 0x6B, 0x13, 0x41, 0x00, 0xBE, 0x1F, 0xB8, 0x11]
    #expect(Checksum.sum(frame.span, from: 0, count: 9) == 0xAD)
  }

  @Test func sum_counts_from_its_start_only() {
    let bytes: [UInt8] = [0xFF, 0x01, 0x02, 0xFF]
    #expect(Checksum.sum(bytes.span, from: 1, count: 2) == 0x03)
  }

  @Test func crc_of_a_j1850_frame_is_the_byte_that_was_sent() {
    // 41 6B 10 41 00 B8 7B 30 10: a simulated J1850 PWM answer; the check value of the polynomial (CRC-8/SAE-J1850).
    let check = Array("123456789".utf8)
    #expect(Checksum.crc(check.span, from: 0, count: 9) == 0x4B)
  }

  @Test func crc_table_is_eight_shifts_of_its_polynomial() {
    for byte in UInt8.min...UInt8.max {
      var register = 0xFF ^ byte
      for _ in 0..<8 { register = register & 0x80 == 0 ? register << 1 : register << 1 ^ 0x1D }
      let one = [byte]
      #expect(Checksum.crc(one.span, from: 0, count: 1) == ~register)
    }
  }
}
