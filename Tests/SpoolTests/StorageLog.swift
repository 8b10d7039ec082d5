import Foundation

/// The log of `storage-shim.c`: every change of a program to its files, in order.
struct StorageLog {
  enum Step {
    case made(String)
    case wrote(String, offset: Int, [UInt8])
    case cut(String, length: Int)
    case synchronised(String)
    case synchronisedNames
    case removed(String)
    case renamed(String, to: String)
    /// A line on standard output.
    case said(Substring)
  }

  struct Malformed: Error { let offset: Int }

  private(set) var steps: [Step] = []

  init(_ bytes: [UInt8]) throws {
    var index = 0
    while index < bytes.count {
      guard let end = bytes[index...].firstIndex(of: 0x0A) else { throw Malformed(offset: index) }
      let words = String(decoding: bytes[index..<end], as: UTF8.self).split(separator: " ").map(String.init)
      let start = index
      index = end + 1
      func content(_ word: Int) throws -> [UInt8] {
        guard word < words.count, let count = Int(words[word]), index + count < bytes.count else {
          throw Malformed(offset: start)
        }
        defer { index += count + 1 }
        return Array(bytes[index..<index + count])
      }
      switch (words.first, words.count) {
      case ("C", 2): steps.append(.made(words[1]))
      case ("W", 4): steps.append(.wrote(words[1], offset: Int(words[2]) ?? 0, try content(3)))
      case ("T", 3): steps.append(.cut(words[1], length: Int(words[2]) ?? 0))
      case ("S", 2): steps.append(.synchronised(words[1]))
      case ("D", 2): steps.append(.synchronisedNames)
      case ("U", 2): steps.append(.removed(words[1]))
      case ("R", 3): steps.append(.renamed(words[1], to: words[2]))
      case ("M", 2):
        for line in String(decoding: try content(1), as: UTF8.self).split(separator: "\n") { steps.append(.said(line)) }
      default: throw Malformed(offset: start)
      }
    }
  }
}

/// A disk with a cache: after a power cut, data that was not synchronised is complete, partial, or missing.
struct CachedDisk {
  private enum Change {
    case write(offset: Int, [UInt8])
    case cut(Int)
  }

  private struct File {
    var durable: [UInt8] = []
    var waiting: [Change] = []
  }

  private var files: [File] = []
  private var names: [String: Int] = [:]
  private var durableNames: [String: Int] = [:]
  private var waitingNames: [[(String, Int?)]] = []

  mutating func apply(_ step: StorageLog.Step) {
    switch step {
    case .made(let path):
      files.append(File())
      name([(path, files.count - 1)])
    case .wrote(let path, let offset, let bytes): change(path, .write(offset: offset, bytes))
    case .cut(let path, let length): change(path, .cut(length))
    case .synchronised(let path):
      guard let file = names[path] else { return }
      for change in files[file].waiting { Self.apply(change, to: &files[file].durable) }
      files[file].waiting = []
    case .synchronisedNames:
      durableNames = names
      waitingNames = []
    case .removed(let path): name([(path, nil)])
    case .renamed(let path, let other): name([(path, nil), (other, names[path])])
    case .said: break
    }
  }

  private mutating func name(_ changes: [(String, Int?)]) {
    for (path, file) in changes { names[path] = file }
    waitingNames.append(changes)
  }

  private mutating func change(_ path: String, _ change: Change) {
    if let file = names[path] { files[file].waiting.append(change) }
  }

  private static func apply(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .cut(let length):
      if length < bytes.count { bytes.removeSubrange(length...) }
      if length > bytes.count { bytes += [UInt8](repeating: 0, count: length - bytes.count) }
    case .write(let offset, let new):
      if offset + new.count > bytes.count {
        bytes += [UInt8](repeating: 0, count: offset + new.count - bytes.count)
      }
      bytes.replaceSubrange(offset..<offset + new.count, with: new)
    }
  }

  /// The effect of a cut on data that was not synchronised.
  enum Manner: CaseIterable {
    /// All of it is lost; all of it is there; only its beginning is there.
    case nothing, everything, beginning
    /// Some writes are there; only some sectors of 512 bytes of some writes are there.
    case some, sectors
  }

  /// Returns the files by their names, as they are found when the power is back.
  func afterCut(_ manner: Manner, _ random: inout Reproducible) -> [String: [UInt8]] {
    var found = durableNames
    for changes in chosen(waitingNames, manner, &random) {
      for (path, file) in changes { found[path] = file }
    }
    // The files are sorted by name, because dictionaries have another order in each run.
    return Dictionary(
      uniqueKeysWithValues: found.sorted { $0.key < $1.key }.map { path, file in
        var bytes = files[file].durable
        let waiting = manner == .sectors ? Self.sectors(files[file].waiting) : files[file].waiting
        for change in chosen(waiting, manner, &random) { Self.apply(change, to: &bytes) }
        return (path, bytes)
      })
  }

  private func chosen<Element>(
    _ all: [Element], _ manner: Manner, _ random: inout Reproducible
  ) -> [Element] {
    switch manner {
    case .nothing: []
    case .everything: all
    case .beginning: Array(all.prefix(Int.random(in: 0...all.count, using: &random)))
    case .some, .sectors: all.filter { _ in Bool.random(using: &random) }
    }
  }

  private static func sectors(_ changes: [Change]) -> [Change] {
    changes.flatMap { change -> [Change] in
      guard case .write(let offset, let bytes) = change else { return [change] }
      var pieces: [Change] = []
      var start = 0
      while start < bytes.count {
        let end = min(start + 512 - (offset + start) % 512, bytes.count)
        pieces.append(.write(offset: offset + start, Array(bytes[start..<end])))
        start = end
      }
      return pieces
    }
  }
}
