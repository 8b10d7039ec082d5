import FleetDomain

/// Who a request is from, as far as rights go.
enum Caller: String, Hashable, CaseIterable, Sendable {
  /// A box in a vehicle, with its key: it writes as its own vehicles and fetches fences.
  case gateway
  /// A token that reads.
  case readOnly
  /// A token that may do everything within its tenant.
  case admin
}

/// Whose key or token came with a request, and so whose rows it is about.
struct Identity: Sendable {
  let principal: Principal
  /// By which requests are counted.
  let key: SecretHash

  var tenant: TenantID {
    switch principal {
    case .gateway(_, let tenant), .token(_, let tenant): tenant
    }
  }

  var caller: Caller {
    switch principal {
    case .gateway: .gateway
    case .token(let token, _): token.role == .admin ? .admin : .readOnly
    }
  }

  /// For whom the storage works.
  var storageCaller: StorageCaller { StorageCaller(tenant: tenant, key: key) }

  var gateway: Gateway? {
    if case .gateway(let gateway, _) = principal { gateway } else { nil }
  }

  /// Whether the key was taken back.
  var isRevoked: Bool {
    switch principal {
    case .gateway(let gateway, _): gateway.revokedAt != nil
    case .token(let token, _): token.revokedAt != nil
    }
  }
}
