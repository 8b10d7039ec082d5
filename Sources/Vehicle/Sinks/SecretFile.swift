import Failures

/// A file that contains only a token, user name, password or PIN. Only the daemon's user may read it.
public enum SecretFile {
  /// Maximum size of the file, bytes. Tokens are shorter.
  private static let limit = 16 << 10

  /// Reads the only text line of a file, and removes white space at both ends.
  ///
  /// - Throws: ``SinkErrorKind/badFile`` if the file is missing or empty, has several lines, or can be read or written
  ///   by all users.
  public static func read(_ path: String) throws(SinkError) -> String {
    let content: FileText.Content
    do throws(Failure) {
      content = try FileText.content(of: path, limit: limit + 1, cuts: true)
    } catch {
      throw SinkError(.badFile, error.place, error.detail)
    }
    guard !content.isOpenToOthers else {
      throw SinkError(
        .badFile, path,
        "everyone can read or write this secret; make it a file of the daemon's user with chmod 600")
    }
    let text = content.bytes[...].trimmingWhiteSpace
    guard !text.isEmpty, content.bytes.count <= limit, text.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw SinkError(.badFile, path, "expected one line of printable ASCII")
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension ArraySlice<UInt8> {
  fileprivate var trimmingWhiteSpace: ArraySlice<UInt8> {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else {
      return []
    }
    return self[first...last]
  }
}
