package main

import (
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

type object interface {
	metav1.Object
	runtime.Object
}

// What every generated client can do.
type typed[T object] interface {
	Create(context.Context, T, metav1.CreateOptions) (T, error)
	Update(context.Context, T, metav1.UpdateOptions) (T, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (T, error)
	Get(context.Context, string, metav1.GetOptions) (T, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
}

// Creates, updates, patches, watches and deletes an object of every group with the generated clients and all options of a delete,
// and says what was answered.
func runEveryGroup(ctx context.Context, config *rest.Config, s settings) error {
	if s.content == "json" {
		config = withJSON(config)
	}
	config.QPS = -1
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	ns := s.namespace
	meta := metav1.ObjectMeta{Name: "one", Labels: map[string]string{"visit": "yes"}}
	labels := map[string]string{"app": "web"}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	container := corev1.Container{Name: "c", Image: "busybox"}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{container}},
	}
	jobPod := *template.DeepCopy()
	jobPod.Spec.RestartPolicy = corev1.RestartPolicyNever
	bound := corev1.PodSpec{Containers: []corev1.Container{container}, NodeName: "somewhere"}
	request, err := certificateRequest()
	if err != nil {
		return err
	}
	port := networkingv1.ServiceBackendPort{Number: 80}
	backend := &networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "web", Port: port}}
	job := batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: jobPod}}
	scaled := autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}
	queue := flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject}
	limited := &flowcontrolv1.LimitedPriorityLevelConfiguration{LimitResponse: queue}
	return firstError(
		visit(ctx, "pods", c.CoreV1().Pods(ns), &corev1.Pod{ObjectMeta: meta, Spec: bound}),
		visit(ctx, "configmaps", c.CoreV1().ConfigMaps(ns), &corev1.ConfigMap{ObjectMeta: meta, Data: labels}),
		visit(ctx, "deployments", c.AppsV1().Deployments(ns), &appsv1.Deployment{
			ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Selector: selector, Template: template},
		}),
		visit(ctx, "cronjobs", c.BatchV1().CronJobs(ns), &batchv1.CronJob{
			ObjectMeta: meta, Spec: batchv1.CronJobSpec{Schedule: "1 * * * *", JobTemplate: job},
		}),
		visit(ctx, "horizontalpodautoscalers", c.AutoscalingV2().HorizontalPodAutoscalers(ns), &autoscalingv2.HorizontalPodAutoscaler{
			ObjectMeta: meta, Spec: autoscalingv2.HorizontalPodAutoscalerSpec{ScaleTargetRef: scaled, MaxReplicas: 3},
		}),
		visit(ctx, "ingresses", c.NetworkingV1().Ingresses(ns), &networkingv1.Ingress{
			ObjectMeta: meta, Spec: networkingv1.IngressSpec{DefaultBackend: backend},
		}),
		visit(ctx, "poddisruptionbudgets", c.PolicyV1().PodDisruptionBudgets(ns), &policyv1.PodDisruptionBudget{
			ObjectMeta: meta, Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector},
		}),
		visit(ctx, "roles", c.RbacV1().Roles(ns), &rbacv1.Role{ObjectMeta: meta}),
		visit(ctx, "leases", c.CoordinationV1().Leases(ns), &coordinationv1.Lease{ObjectMeta: meta}),
		visit(ctx, "endpointslices", c.DiscoveryV1().EndpointSlices(ns), &discoveryv1.EndpointSlice{
			ObjectMeta: meta, AddressType: discoveryv1.AddressTypeIPv4,
		}),
		visit(ctx, "events", c.EventsV1().Events(ns), &eventsv1.Event{
			ObjectMeta: meta, EventTime: metav1.MicroTime{Time: metav1.Unix(1e9, 0).Time}, Type: "Normal", Reason: "Visited", Action: "Visit",
			ReportingController: "example.com/visitor", ReportingInstance: "visitor-1",
			Regarding: corev1.ObjectReference{Kind: "Pod", Namespace: ns, Name: "one"},
		}),
		visit(ctx, "storageclasses", c.StorageV1().StorageClasses(), &storagev1.StorageClass{
			ObjectMeta: meta, Provisioner: "example.com/disk",
		}),
		visit(ctx, "priorityclasses", c.SchedulingV1().PriorityClasses(), &schedulingv1.PriorityClass{ObjectMeta: meta, Value: 5}),
		visit(ctx, "runtimeclasses", c.NodeV1().RuntimeClasses(), &nodev1.RuntimeClass{ObjectMeta: meta, Handler: "runc"}),
		visit(ctx, "prioritylevelconfigurations", c.FlowcontrolV1().PriorityLevelConfigurations(), &flowcontrolv1.PriorityLevelConfiguration{
			ObjectMeta: meta,
			Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
				Type: flowcontrolv1.PriorityLevelEnablementLimited, Limited: limited,
			},
		}),
		visit(ctx, "validatingwebhookconfigurations", c.AdmissionregistrationV1().ValidatingWebhookConfigurations(),
			&admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: meta}),
		visit(ctx, "certificatesigningrequests", c.CertificatesV1().CertificateSigningRequests(), &certificatesv1.CertificateSigningRequest{
			ObjectMeta: meta,
			Spec: certificatesv1.CertificateSigningRequestSpec{
				Request: request, SignerName: "example.com/signer", Usages: []certificatesv1.KeyUsage{certificatesv1.UsageClientAuth},
			},
		}),
		visit(ctx, "deviceclasses", c.ResourceV1().DeviceClasses(), &resourcev1.DeviceClass{ObjectMeta: meta}),
	)
}

// The same bytes each time: nothing about this kind of key is random.
func certificateRequest() ([]byte, error) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	wanted := &x509.CertificateRequest{Subject: pkix.Name{CommonName: "visitor"}}
	der, err := x509.CreateCertificateRequest(nil, wanted, key)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}), err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func visit[T object](ctx context.Context, resource string, client typed[T], wanted T) error {
	tell := func(did string, what any, err error) {
		if status, isStatus := err.(apierrors.APIStatus); isStatus {
			say(line{"resource": resource, "did": did, "refused": status.Status()})
		} else if err != nil {
			fail(fmt.Errorf("%s: %s: %w", resource, did, err))
		} else {
			say(line{"resource": resource, "did": did, "object": what})
		}
	}
	second, _ := wanted.DeepCopyObject().(T)
	second.SetName("two")
	ours := metav1.ListOptions{LabelSelector: "visit=yes"}

	created, err := client.Create(ctx, wanted, metav1.CreateOptions{FieldManager: "visitor"})
	tell("create", created, err)
	if err != nil {
		return nil
	}
	seen, err := client.Watch(ctx, metav1.ListOptions{LabelSelector: "visit=yes", ResourceVersion: created.GetResourceVersion()})
	if err != nil {
		return err
	}
	defer seen.Stop()
	changed, _ := created.DeepCopyObject().(T)
	changed.SetAnnotations(map[string]string{"updated": "yes"})
	updated, err := client.Update(ctx, changed, metav1.UpdateOptions{FieldManager: "visitor"})
	tell("update", updated, err)
	stale, err := client.Update(ctx, changed, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	tell("update with an old version", stale, err)
	annotation := []byte(`{"metadata":{"annotations":{"patched":"yes"}}}`)
	patched, err := client.Patch(ctx, "one", types.MergePatchType, annotation, metav1.PatchOptions{FieldManager: "patcher"})
	tell("patch", patched, err)

	other, old, uid, version := types.UID("other"), created.GetResourceVersion(), patched.GetUID(), patched.GetResourceVersion()
	foreground, background := metav1.DeletePropagationForeground, metav1.DeletePropagationBackground
	grace, none := int64(5), int64(0)
	for _, one := range []struct {
		did     string
		options metav1.DeleteOptions
	}{
		{"delete another uid", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &other}}},
		{"delete an old version", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &old}}},
		{"delete dryly", metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}, PropagationPolicy: &background}},
		{"delete in the foreground", metav1.DeleteOptions{
			GracePeriodSeconds: &grace, PropagationPolicy: &foreground,
			Preconditions: &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
		}},
	} {
		tell(one.did, nil, client.Delete(ctx, "one", one.options))
		left, err := client.Get(ctx, "one", metav1.GetOptions{})
		tell("get after "+one.did, left, err)
	}
	released, err := client.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	tell("release", released, err)
	tell("delete at once", nil, client.Delete(ctx, "one", metav1.DeleteOptions{GracePeriodSeconds: &none, PropagationPolicy: &background}))
	again, err := client.Create(ctx, second, metav1.CreateOptions{})
	tell("create two", again, err)
	tell("delete all", nil, client.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &none, PropagationPolicy: &background}, ours))

	for gone := 0; gone < 2; {
		event, isOpen := <-seen.ResultChan()
		if !isOpen {
			return fmt.Errorf("%s: the watch ended", resource)
		}
		say(line{"resource": resource, "did": "watch", "saw": event.Type, "object": event.Object})
		if event.Type == watch.Deleted {
			gone++
		}
	}
	return nil
}
