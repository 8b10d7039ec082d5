/// The position up to which a reader has processed a tenant's feed. It is stored in the same transaction as the
/// results, so each change is processed exactly once.
public struct FollowedFeed: Kind {
  /// The name of the reader that derives meter readings and defects from records.
  public static let recordReader = "maintenance"

  /// The name of the reader.
  public var name = ""
  public var position: Int64 = 0

  public init() {}

  public static let names = KindNames(one: "followedFeed", many: "followed-feeds")
  public static var isAudited: Bool { false }
  public static let fields: [Field<FollowedFeed>] = [Field("name", \.name), Field("position", \.position)]
}

/// A vehicle with changes that a reader of the feed has seen but not processed. The reader processes one vehicle after
/// another, so that a vehicle with many changes does not delay the others.
public struct FollowedVehicle: Kind {
  /// The vehicle's id.
  public var vehicle = ""
  /// The position in the feed up to which the vehicle's changes were processed.
  public var after: Int64 = 0
  /// The position of the vehicle's newest change that the reader has seen.
  public var through: Int64 = 0
  /// The time at which changes of the vehicle were last processed, ms since 1970; 0 if never.
  public var servedAt: Int64 = 0

  public init() {}

  public static let names = KindNames(one: "followedVehicle", many: "followed-vehicles")
  public static var isAudited: Bool { false }
  public static let fields: [Field<FollowedVehicle>] = [
    Field("vehicleId", \.vehicle), Field("after", \.after), Field("through", \.through),
    Field("servedAt", \.servedAt).sortable(),
  ]
}
