import CZlib

/// Writes a ZIP archive (APPNOTE.TXT 6.3.10) as a stream: the lengths of a file follow its data. Only the names,
/// lengths and checksums of the files stay in memory. A file or an archive of 4 GiB or more is an error, because it
/// would need the format ZIP64.
@safe final class ZipWriter {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private struct File {
    let name: [UInt8]
    let offset: UInt64
    var crc: UInt32 = 0
    var packed: UInt64 = 0
    var count: UInt64 = 0
  }

  private static let limit: UInt64 = 0xFFFF_FFFF
  /// Bit 3: a data descriptor follows the data. Bit 11: names are UTF-8.
  private static let flags: UInt16 = 1 << 3 | 1 << 11
  private static let chunk = 16 << 10

  private var files: [File] = []
  private var offset: UInt64 = 0
  private var isOpen = false
  private let stream: UnsafeMutablePointer<z_stream>

  /// Creates a writer.
  ///
  /// - Throws: ``Failure`` if there is not enough memory.
  init() throws {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard unsafe czlib_begin_deflate(stream, 6) == Z_OK else {
      unsafe stream.deallocate()
      throw Failure(description: "not enough memory to compress")
    }
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// The number of uncompressed bytes that were added to the current file.
  var count: UInt64 { files.last?.count ?? 0 }

  /// Begins a file in the archive, and returns its header. The previous file must have ended.
  func begin(_ name: String) throws -> [UInt8] {
    let name = Array(name.utf8)
    files.append(File(name: name, offset: offset))
    unsafe deflateReset(stream)
    isOpen = true
    var bytes: [UInt8] = []
    Self.append(0x0403_4B50, 4, to: &bytes)
    Self.appendVersion(to: &bytes)
    // CRC and lengths follow the data.
    for _ in 0..<3 { Self.append(0, 4, to: &bytes) }
    Self.append(UInt64(name.count), 2, to: &bytes)
    Self.append(0, 2, to: &bytes)
    return try emit(bytes + name)
  }

  /// Compresses a part of the current file, and returns the next bytes of the archive.
  func add(_ part: [UInt8]) throws -> [UInt8] {
    guard !part.isEmpty else { return [] }
    return try emit(pack(part, Z_NO_FLUSH))
  }

  /// Ends the current file, and returns the rest of its data and its lengths.
  func end() throws -> [UInt8] {
    var bytes = try pack([], Z_FINISH)
    guard isOpen, let file = files.last, file.count < Self.limit, file.packed < Self.limit else {
      throw Failure(description: "a file in the archive is longer than 4 GiB")
    }
    isOpen = false
    Self.append(0x0807_4B50, 4, to: &bytes)
    for number in [UInt64(file.crc), file.packed, file.count] { Self.append(number, 4, to: &bytes) }
    return try emit(bytes)
  }

  /// Ends the archive, and returns its directory.
  func finish() throws -> [UInt8] {
    let start = offset
    var bytes: [UInt8] = []
    for file in files {
      Self.append(0x0201_4B50, 4, to: &bytes)
      Self.append(20, 2, to: &bytes)
      Self.appendVersion(to: &bytes)
      for number in [UInt64(file.crc), file.packed, file.count] { Self.append(number, 4, to: &bytes) }
      Self.append(UInt64(file.name.count), 2, to: &bytes)
      // The lengths of the extra field and the comment, the disk number and the attributes: all are 0.
      for width in [2, 2, 2, 2, 4] { Self.append(0, width, to: &bytes) }
      Self.append(file.offset, 4, to: &bytes)
      bytes += file.name
    }
    let length = UInt64(bytes.count)
    Self.append(0x0605_4B50, 4, to: &bytes)
    for _ in 0..<2 { Self.append(0, 2, to: &bytes) }
    for _ in 0..<2 { Self.append(UInt64(files.count), 2, to: &bytes) }
    Self.append(length, 4, to: &bytes)
    Self.append(start, 4, to: &bytes)
    Self.append(0, 2, to: &bytes)
    return try emit(bytes)
  }

  private func emit(_ bytes: [UInt8]) throws -> [UInt8] {
    offset += UInt64(bytes.count)
    guard offset < Self.limit else { throw Failure(description: "the archive is longer than 4 GiB") }
    return bytes
  }

  private func pack(_ part: [UInt8], _ flush: Int32) throws -> [UInt8] {
    var packed: [UInt8] = []
    var file = files[files.count - 1]
    // Skip an empty part: without bytes, `crc32` returns the initial checksum instead of the current one.
    if !part.isEmpty {
      file.crc = unsafe part.withUnsafeBufferPointer {
        unsafe UInt32(crc32(UInt(file.crc), $0.baseAddress, UInt32($0.count)))
      }
    }
    file.count += UInt64(part.count)
    var scratch = [UInt8](repeating: 0, count: Self.chunk)
    try unsafe part.withUnsafeBufferPointer { input throws(Failure) in
      // zlib does not write to this memory.
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      unsafe stream.pointee.avail_in = UInt32(input.count)
      var isFull = true
      while isFull {
        let count = try unsafe scratch.withUnsafeMutableBufferPointer { room throws(Failure) in
          unsafe stream.pointee.next_out = room.baseAddress
          unsafe stream.pointee.avail_out = UInt32(room.count)
          let code = unsafe deflate(stream, flush)
          guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
            throw Failure(description: "zlib error \(code)")
          }
          return unsafe room.count - Int(stream.pointee.avail_out)
        }
        packed += scratch[..<count]
        isFull = count == scratch.count
      }
    }
    file.packed += UInt64(packed.count)
    files[files.count - 1] = file
    return packed
  }

  /// Appends version 2.0, the flags, the method deflate, and 1980-01-01 as the time. The time is constant, so that two
  /// exports of the same list are identical.
  private static func appendVersion(to bytes: inout [UInt8]) {
    for number in [20, UInt64(flags), 8, 0, 0x0021] { append(number, 2, to: &bytes) }
  }

  private static func append(_ number: UInt64, _ width: Int, to bytes: inout [UInt8]) {
    for shift in 0..<width { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(shift)))) }
  }
}
