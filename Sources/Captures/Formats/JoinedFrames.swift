/// The lines of one reply, written without anything between them.
///
///     7EB034105527E8034105527E903410552    three ECUs: 7EB 03 41 05 52, 7E8 03 41 05 52, 7E9 03 41 05 52
///
/// Logs of apps that strip all white space have this. It is taken apart only where there is one way to do so: every
/// frame begins with an identifier of ISO 15765-4 (7E8–7EF), has the length that its first byte announces (ISO
/// 15765-2:2016, 9.6), or eight bytes each, and the last ends with the text.
enum JoinedFrames {
  /// Characters of a frame with all eight bytes.
  private static let fullLength = 19

  /// Appends the frames, each with a CR; false, with `out` in part filled, if the text is anything but two or more.
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

  /// Characters of the frame there, by its protocol control information; nil for none that an ECU begins with.
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
