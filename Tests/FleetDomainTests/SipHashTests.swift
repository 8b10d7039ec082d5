import Testing

@testable import FleetDomain

@Suite struct SipHashTests {
  /// The test vectors of the authors (SipHash-2-4, 64 bits): the key 00…0F, and texts that begin with 00, each one
  /// byte longer than the one before.
  @Test func hashes_equal_the_published_test_vectors() {
    let sums: [UInt64] = [
      0x726f_db47_dd0e_0e31, 0x74f8_39c5_93dc_67fd, 0x0d6c_8009_d9a9_4f5a, 0x8567_6696_d7fb_7e2d,
      0xcf27_94e0_2771_87b7, 0x1876_5564_cd99_a68d, 0xcbc9_466e_58fe_e3ce, 0xab02_00f5_8b01_d137,
      0x93f5_f579_9a93_2462,
    ]
    let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
    for (count, sum) in sums.enumerated() {
      let text = Array(0..<UInt8(count))
      let found = hash.hash(text.span)
      #expect(found == sum)
    }
  }
}
