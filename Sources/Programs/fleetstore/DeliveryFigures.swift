import FleetAPI
import FleetOutbox

extension DeliveryCounts {
  /// The counts of webhooks and push messages as metrics of the whole server.
  var metrics: [ServerMetric] {
    [
      ServerMetric(
        "fleetstore_deliveries_total", .counter, "Events and push messages that their receivers accepted.", delivered),
      ServerMetric(
        "fleetstore_delivery_failures_total", .counter, "Attempts to send an event or push message that failed.", failed
      ),
    ]
  }
}
