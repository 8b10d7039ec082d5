import Failures
import Glibc

/// The rotated files of a sink: `records.jsonl.1`, `records.jsonl.2` and so on; a compressed file is
/// `records.jsonl.1.zst`. The file with the highest number is the newest.
///
/// A file is first renamed, and then compressed into a file with a temporary name. When the compressed file is
/// complete, it gets its final name. After a crash, either the original or the compressed file is complete, and the
/// next start continues the work.
struct RotatedFiles {
  let path: String
  private let folder: String
  private let prefix: String

  init(_ path: String) {
    self.path = path
    let slash = path.lastIndex(of: "/")
    folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    prefix = (slash.map { String(path[path.index(after: $0)...]) } ?? path) + "."
  }

  /// One rotated file.
  struct Entry: Equatable {
    var number: Int
    var isCompressed: Bool
  }

  /// Renames the current file to the rotated file with the next number.
  func putAside() throws(SinkError) {
    let last = try entries().map(\.number).max() ?? 0
    guard unsafe rename(path, name(Entry(number: last + 1, isCompressed: false))) == 0 else {
      throw OutputFile.failure(path, errno)
    }
    syncFolder()
  }

  /// Returns the numbers of the records near the end of the newest files. The files are read until
  /// ``TailNumbers/reach`` bytes are covered.
  func lastNumbers() throws(SinkError) -> TailNumbers {
    var numbers = TailNumbers()
    for entry in try entries().reversed() {
      let file = try OutputFile(name(entry), O_RDONLY)
      // A compressed file without these numbers was written by an older version or another program.
      guard
        let found = entry.isCompressed
          ? try TailNumbers(frameOf: file) : try TailNumbers.read(file, size: Int(file.status.st_size)).numbers
      else { return numbers }
      numbers.add(found)
      if numbers.bytes >= TailNumbers.reach { break }
    }
    return numbers
  }

  /// Removes the oldest rotated files until `keep` are left. If `compresses` is `true`, compresses those that are left.
  func tidy(keep: Int, compresses: Bool) throws(SinkError) {
    var all = try entries()
    while all.count > keep {
      let oldest = name(all.removeFirst())
      guard unsafe unlink(oldest) == 0 else { throw OutputFile.failure(oldest, errno) }
    }
    for entry in all where compresses && !entry.isCompressed {
      let from = name(entry)
      try FileCompressor.compress(from, to: from + ".zst")
    }
  }

  /// Lists the rotated files, the oldest first. If a file exists both compressed and uncompressed, only the compressed
  /// one is listed: a crash prevented the removal of the original.
  func entries() throws(SinkError) -> [Entry] {
    guard let names = FolderListing.names(in: folder, includesHidden: true) else {
      throw OutputFile.failure(folder, errno)
    }
    var found: [Int: Entry] = [:]
    for name in names {
      guard let entry = entry(name) else { continue }
      if entry.isCompressed || found[entry.number] == nil { found[entry.number] = entry }
    }
    return found.values.sorted { $0.number < $1.number }
  }

  private func entry(_ name: String) -> Entry? {
    guard name.hasPrefix(prefix) else { return nil }
    var rest = name.dropFirst(prefix.count)
    let isCompressed = rest.hasSuffix(".zst")
    if isCompressed { rest = rest.dropLast(4) }
    guard !rest.isEmpty, rest.count <= 9, rest.utf8.allSatisfy({ (0x30...0x39).contains($0) }), rest.first != "0",
      let number = Int(rest)
    else { return nil }
    return Entry(number: number, isCompressed: isCompressed)
  }

  private func name(_ entry: Entry) -> String { "\(path).\(entry.number)" + (entry.isCompressed ? ".zst" : "") }

  private func syncFolder() {
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = fsync(descriptor)
    close(descriptor)
  }
}
