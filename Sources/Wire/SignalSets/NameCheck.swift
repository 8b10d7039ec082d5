import JSONText

/// Checks that signal names are unique. Two signals may have the same name only if no model year has the commands of
/// both.
struct NameCheck {
  private struct Holder {
    var filter: YearFilter?
    var file: String
    var line: Int
  }
  private var holders: [String: [Holder]] = [:]

  /// Adds a signal to the check.
  ///
  /// - Throws: ``SignalSetError`` if its name is already used.
  mutating func add(_ signal: SignalSet.Signal, of command: SignalSet.Command, in file: String) throws(SignalSetError) {
    for holder in holders[signal.id] ?? [] {
      if let mine = command.filter, let other = holder.filter, !mine.overlaps(other) { continue }
      throw signal.error(
        .invalidValue(
          expected: "an id that no other signal has",
          found: "\(JSONError.quoted(signal.id)), which is already in \(holder.file), line \(holder.line)"),
        in: file)
    }
    holders[signal.id, default: []].append(Holder(filter: command.filter, file: file, line: signal.line))
  }
}

extension SignalSet.Signal {
  /// Returns an error at this signal's position in its file.
  func error(_ kind: JSONError.Kind, in file: String) -> SignalSetError {
    SignalSetError(file: file, error: JSONError(kind, line: line, column: column, offset: offset, path: path))
  }
}
