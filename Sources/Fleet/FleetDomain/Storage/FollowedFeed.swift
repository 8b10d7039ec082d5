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

/// A vehicle with changes that a reader of the tenant's feed has seen, and whose effects do not exist yet. Vehicles have
/// their turns one after another, so that one with many changes does not delay the others.
public struct FollowedVehicle: Kind {
  /// The vehicle's id.
  public var vehicle = ""
  /// The position in the feed up to which the effects of its changes exist.
  public var after: Int64 = 0
  /// The position of its newest change that the reader has seen.
  public var through: Int64 = 0
  /// The time of its last turn, ms since 1970; 0 if it had none.
  public var servedAt: Int64 = 0

  public init() {}

  public static let names = KindNames(one: "followedVehicle", many: "followed-vehicles")
  public static var isAudited: Bool { false }
  public static let fields: [Field<FollowedVehicle>] = [
    Field("vehicleId", \.vehicle), Field("after", \.after), Field("through", \.through),
    Field("servedAt", \.servedAt).sortable(),
  ]
}
