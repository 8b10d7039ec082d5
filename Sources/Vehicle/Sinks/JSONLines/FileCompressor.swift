import CCompression
import Glibc
import Ports

/// Compresses rotated files with zstd (RFC 8878).
enum FileCompressor {
  /// Compresses a file, and then removes the original.
  ///
  /// - Parameter to: path of the compressed file. A file has this name only after it is complete and on the disk.
  /// - Throws: ``SinkError`` if the compression or the removal fails. The original is then unchanged.
  static func compress(_ from: String, to: String) throws(SinkError) {
    guard ccompression_load_zstd() == 0 else {
      throw SinkError(.missingLibrary, from, "libzstd.so.1 is not installed: the file stays uncompressed")
    }
    let draft = to + ".new"
    do throws(SinkError) {
      let input = try OutputFile(from, O_RDONLY)
      let output = try OutputFile(draft, O_WRONLY | O_CREAT | O_TRUNC)
      try copy(input, output)
      try output.write(TailNumbers.read(input, size: Int(input.status.st_size)).numbers.frame[...])
      try output.synchronise()
      guard unsafe rename(draft, to) == 0 else { throw OutputFile.failure(to, errno) }
    } catch {
      _ = unsafe unlink(draft)
      throw error
    }
    guard unsafe unlink(from) == 0 else { throw OutputFile.failure(from, errno) }
  }

  private static func copy(_ input: borrowing OutputFile, _ output: borrowing OutputFile) throws(SinkError) {
    guard let context = unsafe ccompression_zstd_make() else {
      throw SinkError(.system, input.path, "no memory for zstd")
    }
    defer { unsafe ccompression_zstd_free(context) }
    var made = [UInt8](repeating: 0, count: 1 << 17)
    var place = 0
    while true {
      let read = try input.read(at: place, 1 << 17)
      place += read.count
      var taken = 0
      var left = 0
      repeat {
        let size = unsafe ccompression_zstd_stream(
          context, &made, made.count, read, read.count, &taken, read.isEmpty ? 1 : 0, &left)
        guard size >= 0 else { throw SinkError(.system, input.path, "zstd failed") }
        try output.write(made[..<Int(size)])
      } while taken < read.count || left > 0
      if read.isEmpty { return }
    }
  }
}
