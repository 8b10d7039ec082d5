/// How far a reader has read a tenant's feed. It is changed in the same transaction as what the reader derives, so that
/// each change has its effect once.
public struct FollowedFeed: Kind {
  /// The name of the reader.
  public var name = ""
  public var position: Int64 = 0

  public init() {}

  public static let names = KindNames(one: "followedFeed", many: "followed-feeds")
  public static var isAudited: Bool { false }
  public static let fields: [Field<FollowedFeed>] = [Field("name", \.name), Field("position", \.position)]
}
