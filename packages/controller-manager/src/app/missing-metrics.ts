// Upstream's metrics and work queues that this manager does not have, each with its reason. The list only shrinks: a test compares it with
// what is served, and refuses an entry of a controller that is written.
import type { ControllerId } from "@kubeloop/controllers";

type Exceptions<Reason extends string> = Readonly<Partial<Record<Reason, readonly string[]>>>;

/** By the controller, not written yet, that measures them. */
export const metricsOfUnwrittenControllers: Exceptions<ControllerId> = {
  "cronjob-controller": ["cronjob_controller_job_creation_skew_duration_seconds"],
  "daemonset-controller": ["daemonset_controller_stale_sync_skips_total"],
  "device-taint-eviction-controller": [
    "device_taint_eviction_controller_pod_deletion_duration_seconds",
    "device_taint_eviction_controller_pod_deletions_total",
  ],
  "ephemeral-volume-controller": [
    "ephemeral_volume_controller_create_failures_total",
    "ephemeral_volume_controller_create_total",
  ],
  "horizontal-pod-autoscaler-controller": [
    "horizontal_pod_autoscaler_controller_desired_replicas",
    "horizontal_pod_autoscaler_controller_metric_computation_duration_seconds",
    "horizontal_pod_autoscaler_controller_metric_computation_total",
    "horizontal_pod_autoscaler_controller_num_horizontal_pod_autoscalers",
    "horizontal_pod_autoscaler_controller_reconciliation_duration_seconds",
    "horizontal_pod_autoscaler_controller_reconciliations_total",
  ],
  "job-controller": [
    "job_controller_job_finished_indexes_total",
    "job_controller_job_pods_creation_total",
    "job_controller_job_pods_finished_total",
    "job_controller_job_sync_duration_seconds",
    "job_controller_job_syncs_total",
    "job_controller_jobs_by_external_controller_total",
    "job_controller_jobs_finished_total",
    "job_controller_pod_failures_handled_by_failure_policy_total",
    "job_controller_stale_sync_skips_total",
    "job_controller_terminated_pods_tracking_finalizer_total",
  ],
  "kube-apiserver-serving-clustertrustbundle-publisher-controller": [
    "clustertrustbundle_publisher_sync_duration_seconds",
    "clustertrustbundle_publisher_sync_total",
  ],
  "persistentvolume-attach-detach-controller": [
    "attach_detach_controller_attachdetach_controller_forced_detaches",
    "attachdetach_controller_total_volumes",
    "storage_count_attachable_volumes_in_use",
  ],
  "persistentvolume-binder-controller": [
    "pv_collector_bound_pv_count",
    "pv_collector_bound_pvc_count",
    "pv_collector_total_pv_count",
    "pv_collector_unbound_pv_count",
    "pv_collector_unbound_pvc_count",
    "retroactive_storageclass_errors_total",
    "retroactive_storageclass_total",
    "volume_operation_errors_total",
    "volume_operation_total_errors",
  ],
  "resourceclaim-controller": ["resourceclaim_controller_creates_total", "resourceclaim_controller_resource_claims"],
  "selinux-warning-controller": ["selinux_warning_controller_selinux_volume_conflict"],
  "statefulset-controller": [
    "statefulset_controller_stale_sync_skips_total",
    "statefulset_controller_statefulset_max_unavailable",
    "statefulset_controller_statefulset_unavailable_replicas",
  ],
  "ttl-after-finished-controller": ["ttl_after_finished_controller_job_deletion_duration_seconds"],
  "validatingadmissionpolicy-status-controller": [
    "apiserver_cel_compilation_duration_seconds",
    "apiserver_cel_evaluation_duration_seconds",
  ],
};

/**
 * By the Go package, linked into upstream's binary, that registers them. In that process nothing ever counts them: it is no API server, and
 * has no API extensions, webhooks, audit, aggregation or storage. The last one counts what Go's garbage collector does with transports.
 */
export const metricsOfGoPackages: Exceptions<string> = {
  "k8s.io/apiextensions-apiserver": ["apiextensions_apiserver_validation_ratcheting_seconds"],
  "k8s.io/apimachinery/pkg/api/validate": [
    "apiserver_validation_declarative_validation_mismatch_total",
    "apiserver_validation_declarative_validation_panic_total",
    "apiserver_validation_duplicate_validation_error_total",
  ],
  "k8s.io/apiserver/pkg/audit": ["apiserver_audit_event_total", "apiserver_audit_requests_rejected_total"],
  "k8s.io/apiserver/pkg/endpoints/discovery/aggregated": [
    "aggregator_discovery_aggregation_count_total",
    "aggregator_discovery_nopeer_requests_total",
    "aggregator_discovery_peer_aggregated_cache_hits_total",
    "aggregator_discovery_peer_aggregated_cache_misses_total",
  ],
  "k8s.io/apiserver/pkg/storage/value": [
    "apiserver_envelope_encryption_dek_cache_fill_percent",
    "apiserver_storage_data_key_generation_duration_seconds",
    "apiserver_storage_data_key_generation_failures_total",
    "apiserver_storage_envelope_transformation_cache_misses_total",
  ],
  "k8s.io/apiserver/pkg/util/webhook": [
    "apiserver_webhooks_x509_insecure_sha1_total",
    "apiserver_webhooks_x509_missing_san_total",
  ],
  "k8s.io/client-go/transport": ["rest_client_transport_cert_rotation_gc_calls_total"],
  "k8s.io/kube-aggregator": [
    "apiserver_kube_aggregator_x509_insecure_sha1_total",
    "apiserver_kube_aggregator_x509_missing_san_total",
  ],
};

/** Work queues, by the controller that has them. */
export const queuesOfUnwrittenControllers: Exceptions<ControllerId> = {
  "bootstrap-signer-controller": ["bootstrap_signer_queue"],
  "certificatesigningrequest-signing-controller": ["certificate"],
  "cronjob-controller": ["cronjob"],
  "daemonset-controller": ["daemonset", "daemonset-node-updates"],
  "device-taint-eviction-controller": ["device-taint-eviction-controller"],
  "ephemeral-volume-controller": ["ephemeral_volume"],
  "horizontal-pod-autoscaler-controller": ["horizontalpodautoscaler"],
  "job-controller": ["job", "job_orphan_pod"],
  "persistentvolume-attach-detach-controller": ["pvcs"],
  "persistentvolume-binder-controller": ["claims", "volumes"],
  "persistentvolume-expander-controller": ["volume_expand"],
  "resourceclaim-controller": ["resource_claim"],
  "service-cidr-controller": ["ipaddresses"],
  "statefulset-controller": ["statefulset"],
  "token-cleaner-controller": ["token_cleaner"],
  "ttl-after-finished-controller": ["ttl_jobs_to_delete"],
  "validatingadmissionpolicy-status-controller": ["validatingadmissionpolicy-status"],
  "volumeattributesclass-protection-controller": ["vacprotection"],
};

/** Queues between a file, or a ConfigMap, and the certificates in use. Here they are put in place without a queue. */
export const queuesOfGoPackages: Exceptions<string> = {
  "k8s.io/apiserver/pkg/authentication/request/headerrequest": ["RequestHeaderAuthRequestController"],
  "k8s.io/apiserver/pkg/server/dynamiccertificates": [
    "DynamicCABundle-serving-cert",
    "DynamicConfigMapCABundle-client-ca",
    "DynamicServingCertificateController",
  ],
};
