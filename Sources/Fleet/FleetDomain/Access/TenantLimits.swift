/// Limits for a tenant or a gateway, so that none of them can use up the server's resources.
public enum TenantLimits {
  /// Maximum number of gateways of a tenant, including revoked ones.
  public static let gateways: Int64 = 100_000
  /// Maximum number of operators' tokens of a tenant, including revoked ones.
  public static let tokens: Int64 = 1_000
  /// Maximum number of vehicles that a gateway without a list of vehicles may register.
  public static let vehiclesOfGateway: Int64 = 1_000
  /// Maximum number of journeys of a driver that are planned: they have neither begun nor been cancelled. Retiring a
  /// vehicle and erasing a driver's account must cancel all of them.
  public static let plannedJourneysOfDriver = 1_000
  /// Maximum number of new vehicles in one batch of a gateway: vehicles that the gateway has not reported before.
  public static let newVehiclesOfBatch = 100
  /// Maximum number of new vehicles in one batch that an operator imports.
  public static let newVehiclesOfImport = 1_000
}
