import FleetDomain

/// Counts ignored values by the reason why they were ignored.
enum IgnoredCounts {
  /// Maximum number of reasons that are counted separately. All further reasons are counted together as `other`.
  private static let most = 50

  /// For each reason, returns the sum of the stored count and the new count.
  static func adding(_ more: [String: Int], to stored: JSON) -> JSON {
    var members = stored.members
    for (reason, number) in more.sorted(by: { $0.key < $1.key }) {
      let key = members[reason] == nil && members.count >= most ? "other" : String(reason.prefix(100))
      members[key] = .integer((members[key]?.integerValue ?? 0) + Int64(number))
    }
    return .object(members)
  }
}
