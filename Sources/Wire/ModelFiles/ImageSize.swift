/// The size of a PNG or JPEG image, from its headers.
struct ImageSize {
  let type: String
  let width: Int
  let height: Int

  /// Reads the size of an image from its headers.
  ///
  /// - Returns: `nil` if the bytes are neither a PNG nor a JPEG image.
  /// - Throws: `malformed` or `truncated` if the headers are invalid.
  init?(_ bytes: ModelBytes, _ range: Range<Int>, _ place: String) throws(ModelError) {
    let (start, count) = (range.lowerBound, range.count)
    func big16(_ offset: Int) throws(ModelError) -> Int {
      Int(try bytes.byte(at: offset)) << 8 | Int(try bytes.byte(at: offset + 1))
    }
    if count >= 8, try bytes.uint32(at: start) == 0x474E_5089, try bytes.uint32(at: start + 4) == 0x0A1A_0A0D {
      guard count >= 33 else { throw ModelError(.truncated, place, "the PNG image ends in its header") }
      guard try bytes.matches("IHDR", at: start + 12), try big16(start + 8) == 0, try big16(start + 10) == 13 else {
        throw ModelError(.malformed, place, "the PNG image has no header")
      }
      type = "image/png"
      (width, height) = (
        try big16(start + 16) << 16 | big16(start + 18), try big16(start + 20) << 16 | big16(start + 22)
      )
    } else if count >= 3, try bytes.byte(at: start) == 0xFF, try bytes.byte(at: start + 1) == 0xD8,
      try bytes.byte(at: start + 2) == 0xFF
    {
      type = "image/jpeg"
      var offset = start + 2
      while true {
        guard offset + 9 <= range.upperBound else { throw ModelError(.truncated, place, "the JPEG image has no size") }
        guard try bytes.byte(at: offset) == 0xFF else {
          throw ModelError(.malformed, place, "the JPEG image is damaged")
        }
        let marker = try bytes.byte(at: offset + 1)
        if marker == 0xFF {
          offset += 1
          continue
        }
        if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
          (height, width) = (try big16(offset + 5), try big16(offset + 7))
          break
        }
        let length = try big16(offset + 2)
        guard length >= 2, marker != 0xD9, marker != 0xDA else {
          throw ModelError(.malformed, place, "the JPEG image has no size")
        }
        offset += 2 + length
      }
    } else {
      return nil
    }
    guard width > 0, height > 0 else { throw ModelError(.malformed, place, "the image has no pixels") }
  }
}
