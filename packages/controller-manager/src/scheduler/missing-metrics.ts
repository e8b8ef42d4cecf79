// Upstream's metrics that this scheduler does not have, each with its reason. The list only shrinks: a test compares it with what is registered.

type Reasons = Readonly<Record<string, readonly string[]>>;

export const missingSchedulerMetrics: Reasons = {
  // Upstream keeps the scores of a pod for the next equal one. In its default profile no pod is comparable, and nothing is ever reused.
  "opportunistic batching is not here": [
    "scheduler_batch_attempts_total",
    "scheduler_batch_cache_flushed_total",
    "scheduler_get_node_hint_duration_seconds",
    "scheduler_store_schedule_results_duration_seconds",
  ],
  "DynamicResources is not here": [
    "scheduler_resourceclaim_creates_total",
    "scheduler_dra_bindingconditions_allocations_total",
    "scheduler_dra_bindingconditions_wait_duration_seconds",
  ],
  "no plugin lets a pod wait at Permit": ["scheduler_permit_wait_duration_seconds"],
  // They come with packages of an API server that Go links into the binary, and stay 0 there.
  "k8s.io/apiserver: nothing in this process audits, aggregates, validates, stores or calls webhooks": [
    "aggregator_discovery_aggregation_count_total",
    "aggregator_discovery_nopeer_requests_total",
    "aggregator_discovery_peer_aggregated_cache_hits_total",
    "aggregator_discovery_peer_aggregated_cache_misses_total",
    "apiserver_audit_event_total",
    "apiserver_audit_requests_rejected_total",
    "apiserver_envelope_encryption_dek_cache_fill_percent",
    "apiserver_storage_data_key_generation_duration_seconds",
    "apiserver_storage_data_key_generation_failures_total",
    "apiserver_storage_envelope_transformation_cache_misses_total",
    "apiserver_validation_declarative_validation_mismatch_total",
    "apiserver_validation_declarative_validation_panic_total",
    "apiserver_validation_duplicate_validation_error_total",
    "apiserver_webhooks_x509_insecure_sha1_total",
    "apiserver_webhooks_x509_missing_san_total",
  ],
  "k8s.io/client-go: what Go's garbage collector does with transports": [
    "rest_client_transport_cert_rotation_gc_calls_total",
  ],
  "certificates are put in place without a queue": [
    "workqueue_adds_total",
    "workqueue_depth",
    "workqueue_longest_running_processor_seconds",
    "workqueue_queue_duration_seconds",
    "workqueue_retries_total",
    "workqueue_unfinished_work_seconds",
    "workqueue_work_duration_seconds",
  ],
};
