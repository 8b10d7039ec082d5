import Testing

@testable import Spool

@Suite struct CRC32Tests {
  @Test func the_checksum_is_the_CRC_32_of_the_standards() {
    var sum = CRC32()
    sum.update(Array("123456789".utf8).span)
    #expect(sum.value == 0xCBF4_3926)
  }

  @Test func a_number_counts_as_its_bytes_lowest_first() {
    var number = CRC32()
    number.update(0x0807_0605_0403_0201)
    var bytes = CRC32()
    bytes.update([1, 2, 3, 4, 5, 6, 7, 8].span)
    #expect(number.value == bytes.value)
  }
}
