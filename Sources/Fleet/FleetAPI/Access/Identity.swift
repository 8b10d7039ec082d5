import FleetAccess
import FleetDomain
import Telemetry

/// The owner of the key, token or session with which a request was authenticated, and the owner's tenant.
struct Identity: Sendable {
  let principal: Principal
  /// The hash of the secret. Rate limits count requests by this hash.
  let key: SecretHash

  var tenant: TenantID {
    switch principal {
    case .gateway(_, let tenant), .token(_, let tenant), .person(_, let tenant): tenant
    }
  }

  /// The requester, for the functions of ``FleetAccess/Permission``.
  var requester: Requester {
    switch principal {
    case .gateway: .gateway
    case .token(let token, _): .token(token.role, scope: token.scope)
    case .person(let signedIn, _):
      .person(roles: Set(signedIn.roles), scope: signedIn.scope, readsCosts: signedIn.mayReadCosts)
    }
  }

  /// Returns the author of this request's changes, for the audit.
  ///
  /// - Parameter address: the client's address.
  func actor(from address: String?) -> Actor {
    switch principal {
    case .gateway(let gateway, _): Actor(.gateway(gateway.id), address: address)
    case .token(let token, _): Actor(.token(token.id), address: address)
    case .person(let signedIn, _): Actor(.person(signedIn.person), address: address)
    }
  }

  /// The caller, for the fair queues of the storage.
  var storageCaller: StorageCaller { StorageCaller(tenant: tenant, key: key) }

  var gateway: Gateway? {
    if case .gateway(let gateway, _) = principal { gateway } else { nil }
  }

  var signedIn: SignedIn? {
    if case .person(let signedIn, _) = principal { signedIn } else { nil }
  }

  /// The token with which the request was authenticated; `nil` if the caller is not an operator with a token.
  var token: OperatorToken? {
    if case .token(let token, _) = principal { token } else { nil }
  }

  /// The id of the person or of the operator's token; `nil` for a gateway.
  var author: UUIDv7? { signedIn?.person ?? token?.id }

  /// Whether another identity has the same rights. If so, live connections of both identities show the same data.
  func hasSameRights(as other: Identity) -> Bool {
    tenant == other.tenant && author == other.author && requester == other.requester
      && signedIn?.needsFactor == other.signedIn?.needsFactor
  }

  /// Whether the key was revoked, or the session ended.
  var isRevoked: Bool {
    switch principal {
    case .gateway(let gateway, _): gateway.revokedAt != nil
    case .token(let token, _): token.revokedAt != nil
    case .person(let signedIn, _): signedIn.isRevoked
    }
  }
}
