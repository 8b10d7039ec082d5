/// The difference between two versions of a thing. For long arrays, it has only the part that differs
/// (``ArrayChange``).
public struct ThingChange: Equatable, Sendable {
  /// Values before the change, by field key; `null` if a field had no value. Empty if the thing is new.
  public var before: [String: JSON]
  /// Values after the change, by field key; `null` if a field no longer has a value.
  public var after: [String: JSON]

  public init(before: [String: JSON], after: [String: JSON]) {
    self.before = before
    self.after = after
  }

  /// Creates the difference between two sets of fields.
  ///
  /// - Parameters:
  ///   - old: the fields before the change; `nil` if the thing is new.
  ///   - new: the fields after the change; `nil` if the thing was removed.
  public init(between old: [String: JSON]?, and new: [String: JSON]?) {
    (before, after) = ([:], [:])
    for key in Set((old ?? [:]).keys).union((new ?? [:]).keys) {
      let (was, value) = (old?[key] ?? .null, new?[key] ?? .null)
      guard was != value else { continue }
      if old != nil, new != nil || was != .null { before[key] = was }
      if new != nil { after[key] = value }
    }
  }

  public var isEmpty: Bool { after.isEmpty && before.isEmpty }
}

extension Kind {
  /// Returns the changes since an older version. Changes of hidden and of live fields are left out.
  ///
  /// - Parameter older: the older version; `nil` if the thing is new.
  public func change(since older: Self?) -> ThingChange {
    var change = ThingChange(before: [:], after: [:])
    for field in Self.fields where field.access != .hidden && field.access != .live {
      let (old, new) = (older.map { field.json($0) } ?? .null, field.json(self))
      guard old != new else { continue }
      let parts = ArrayChange.parts(old, new)
      if older != nil { change.before[field.key] = parts.before }
      change.after[field.key] = parts.after
    }
    return change
  }

  /// Merges two versions of a thing that are both derived from `base`, field by field.
  ///
  /// - Returns: the merged thing, or the fields that both versions changed to different values.
  public static func merge(base: Self, mine: Self, theirs: Self) -> Result<Self, MergeConflict> {
    var merged = theirs
    var conflicts: [MergeConflict.Field] = []
    for field in fields where field.access != .live {
      let (old, my, their) = (field.json(base), field.json(mine), field.json(theirs))
      guard my != old, my != their else { continue }
      if their == old {
        field.copy(mine, &merged)
      } else if field.isEntered {
        do throws(FieldError) {
          try field.load(EnteredAmounts.merged(base: old, mine: my, theirs: their), &merged)
        } catch {
          conflicts.append(.init(key: field.key, base: old, mine: my, theirs: their))
        }
      } else {
        conflicts.append(.init(key: field.key, base: old, mine: my, theirs: their))
      }
    }
    return conflicts.isEmpty ? .success(merged) : .failure(MergeConflict(fields: conflicts))
  }

  /// Undoes a change: returns the version before it.
  ///
  /// - Throws: an error if the change contains a value that its field cannot have.
  public func reverting(_ change: ThingChange) throws(FieldError) -> Self {
    var older = self
    for field in Self.fields {
      guard let before = change.before[field.key] else { continue }
      do throws(FieldError) {
        let json = try ArrayChange.reverted(before, after: change.after[field.key], in: field.json(self))
        try field.load(json, &older)
      } catch {
        throw error.path.isEmpty ? error.inside(field.key) : error
      }
    }
    return older
  }
}

/// A conflict: two clients changed the same fields of a thing to different values.
public struct MergeConflict: Error, Equatable, Sendable {
  public struct Field: Equatable, Sendable {
    public let key: String
    /// The value before both changes.
    public let base: JSON
    /// The value after this client's change.
    public let mine: JSON
    /// The value after the other client's change.
    public let theirs: JSON

    public init(key: String, base: JSON, mine: JSON, theirs: JSON) {
      self.key = key
      self.base = base
      self.mine = mine
      self.theirs = theirs
    }
  }

  /// The fields in conflict, at least one.
  public let fields: [Field]

  public init(fields: [Field]) { self.fields = fields }
}
