import Glibc

/// The files that were put aside: `records.jsonl.1`, `records.jsonl.2` and so on, the highest number the newest;
/// compressed, `records.jsonl.1.zst`.
///
/// A file is renamed first and compressed then, beside it, under another name until it is whole: a crash leaves the one
/// or the other, and what was left is gone on with at the next start.
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

  /// One that was put aside.
  struct Entry: Equatable {
    var number: Int
    var isCompressed: Bool
  }

  /// Puts the current file aside.
  func putAside() throws(SinkError) {
    let last = try entries().map(\.number).max() ?? 0
    guard unsafe rename(path, name(Entry(number: last + 1, isCompressed: false))) == 0 else {
      throw OpenFile.failure(path, errno)
    }
    syncFolder()
  }

  /// The records that stand near the end of what was put aside last: in as many files as a crash may matter for.
  func lastNumbers() throws(SinkError) -> TailNumbers {
    var numbers = TailNumbers()
    for entry in try entries().reversed() {
      let file = try OpenFile(name(entry), O_RDONLY)
      // A compressed one that does not say is of an older version, or of somebody else.
      guard
        let found = entry.isCompressed
          ? try TailNumbers(frameOf: file) : try TailNumbers.read(file, size: Int(file.status.st_size)).numbers
      else { return numbers }
      numbers.add(found)
      if numbers.bytes >= TailNumbers.reach { break }
    }
    return numbers
  }

  /// Compresses those that are not, where that is wanted, and removes the oldest until `keep` are left.
  func tidy(keep: Int, compresses: Bool) throws(SinkError) {
    var all = try entries()
    while all.count > keep {
      let oldest = name(all.removeFirst())
      guard unsafe unlink(oldest) == 0 else { throw OpenFile.failure(oldest, errno) }
    }
    for entry in all where compresses && !entry.isCompressed {
      let from = name(entry)
      try FileCompressor.compress(from, to: from + ".zst")
    }
  }

  /// Oldest first. One of which both forms are there was compressed when a crash came: the compressed one is whole.
  func entries() throws(SinkError) -> [Entry] {
    guard let listing = unsafe opendir(folder) else { throw OpenFile.failure(folder, errno) }
    defer { unsafe closedir(listing) }
    var found: [Int: Entry] = [:]
    while let item = unsafe readdir(listing) {
      let name = unsafe withUnsafePointer(to: &item.pointee.d_name) { text in
        unsafe text.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
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
