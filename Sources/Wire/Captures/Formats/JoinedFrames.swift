/// Splits a reply whose lines were written without separators.
///
///     7EB034105527E8034105527E903410552    three ECUs: 7EB 03 41 05 52, 7E8 03 41 05 52, 7E9 03 41 05 52
///
/// Apps that remove all white space log replies in this form. The text is split only if the result is unambiguous:
/// every frame begins with an identifier of ISO 15765-4 (7E8–7EF), and the last frame ends at the end of the text. In
/// addition, every frame has eight bytes, or every frame has the length that its first byte states (ISO 15765-2:2016,
/// section 9.6).
enum JoinedFrames {
  /// Number of characters of a frame with an 11-bit identifier and eight bytes.
  private static let fullLength = 19

  /// Appends the frames to `out`, each followed by a CR.
  ///
  /// - Returns: `false` if the text is not a sequence of at least two frames; `out` is then incomplete.
  static func split(_ text: Span<UInt8>, into out: inout [UInt8]) -> Bool {
    guard text.count > 12, isIdentifier(text, at: 0) else { return false }
    if text.count % fullLength == 0, text.count > fullLength, split(text, into: &out, isPadded: true) { return true }
    out.removeAll(keepingCapacity: true)
    return split(text, into: &out, isPadded: false)
  }

  private static func split(_ text: Span<UInt8>, into out: inout [UInt8], isPadded: Bool) -> Bool {
    var start = 0
    var frames = 0
    while start < text.count {
      guard isIdentifier(text, at: start), let length = isPadded ? fullLength : length(text, at: start),
        text.count - start >= length
      else { return false }
      let frame = text.extracting(start..<start + length)
      guard AdapterSpeech.isHex(frame), frame.index(of: 0x20) == nil, frame.index(of: 0x09) == nil else { return false }
      out.append(bytes: frame)
      out.append(0x0D)
      start += length
      frames += 1
    }
    return frames > 1
  }

  private static func isIdentifier(_ text: Span<UInt8>, at index: Int) -> Bool {
    guard text.hasIgnoringCase("7E", at: index), index + 2 < text.count, let last = text[index + 2].hexValue else {
      return false
    }
    return last >= 8
  }

  /// Returns the number of characters of the frame at `index`, computed from its protocol control information; `nil` if
  /// no ECU's answer begins there.
  private static func length(_ text: Span<UInt8>, at index: Int) -> Int? {
    guard index + 4 < text.count, let type = text[index + 3].hexValue, let count = text[index + 4].hexValue else {
      return nil
    }
    switch type {
    case 0: return (1...7) ~= count ? 5 + 2 * Int(count) : nil
    case 1, 2: return fullLength
    default: return nil
    }
  }
}
