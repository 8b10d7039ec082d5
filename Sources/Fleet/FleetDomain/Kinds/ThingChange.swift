/// How two versions of a thing differ.
public struct ThingChange: Equatable, Sendable {
  /// By key; `null`: the field had no value.
  public var before: [String: JSON]
  public var after: [String: JSON]

  public init(before: [String: JSON], after: [String: JSON]) {
    self.before = before
    self.after = after
  }

  public var isEmpty: Bool { after.isEmpty && before.isEmpty }
}

extension Kind {
  /// What has changed since an older version; hidden fields are left out.
  ///
  /// - Parameter older: `nil`: the thing is new.
  public func change(since older: Self?) -> ThingChange {
    var change = ThingChange(before: [:], after: [:])
    for field in Self.fields where field.access != .hidden {
      let (old, new) = (older.map { field.json($0) } ?? .null, field.json(self))
      guard old != new else { continue }
      if older != nil { change.before[field.key] = old }
      change.after[field.key] = new
    }
    return change
  }

  /// Merges two versions that were both made from `base`, field by field.
  ///
  /// - Returns: the merged thing, or the fields that both have changed to different values.
  public static func merge(base: Self, mine: Self, theirs: Self) -> Result<Self, MergeConflict> {
    var merged = theirs
    var conflicts: [MergeConflict.Field] = []
    for field in fields {
      let (old, my, their) = (field.json(base), field.json(mine), field.json(theirs))
      guard my != old, my != their else { continue }
      if their == old {
        field.copy(mine, &merged)
      } else {
        conflicts.append(.init(key: field.key, base: old, mine: my, theirs: their))
      }
    }
    return conflicts.isEmpty ? .success(merged) : .failure(MergeConflict(fields: conflicts))
  }

  /// The version before a change.
  ///
  /// - Throws: if the change is not one of this kind.
  public func reverting(_ change: ThingChange) throws(FieldError) -> Self {
    var older = self
    for field in Self.fields {
      if let json = change.before[field.key] { try field.read(json, &older) }
    }
    return older
  }
}

/// Two clients changed the same fields of a thing to different values.
public struct MergeConflict: Error, Equatable, Sendable {
  public struct Field: Equatable, Sendable {
    public let key: String
    /// What both clients saw.
    public let base: JSON
    public let mine: JSON
    public let theirs: JSON

    public init(key: String, base: JSON, mine: JSON, theirs: JSON) {
      self.key = key
      self.base = base
      self.mine = mine
      self.theirs = theirs
    }
  }

  /// At least one.
  public let fields: [Field]

  public init(fields: [Field]) { self.fields = fields }
}
