package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/retry"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.com/settings"

// An operator as they are written with controller-runtime: for each Deployment a ConfigMap that it owns, events in both APIs,
// a finalizer, and a status written by patch and by update. Only who leads does anything.
func runManager(ctx context.Context, config *rest.Config, s settings) error {
	ctrl.SetLogger(klog.Background())
	lease, renew, pause := 4*time.Second, 3*time.Second, 500*time.Millisecond
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Cache:                         cache.Options{DefaultNamespaces: map[string]cache.Config{s.namespace: {}}},
		Metrics:                       metricsserver.Options{BindAddress: "0"},
		LeaderElection:                true,
		LeaderElectionID:              "settings",
		LeaderElectionNamespace:       s.namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &lease,
		RenewDeadline:                 &renew,
		RetryPeriod:                   &pause,
	})
	if err != nil {
		return err
	}
	operator := &operator{
		Client: manager.GetClient(),
		live:   manager.GetAPIReader(),
		events: manager.GetEventRecorder("settings-operator"),
		older:  manager.GetEventRecorderFor("settings-operator"), //nolint:staticcheck // many operators still do
	}
	err = ctrl.NewControllerManagedBy(manager).For(&appsv1.Deployment{}).Owns(&corev1.ConfigMap{}).Complete(operator)
	if err != nil {
		return err
	}
	go func() {
		select {
		case <-manager.Elected():
			say(line{"did": "lead", "who": s.identity})
		case <-ctx.Done():
		}
	}()
	go func() {
		for range s.asked { // nothing can be asked of it
		}
	}()
	return manager.Start(ctx)
}

type operator struct {
	client.Client
	live   client.Reader
	events events.EventRecorder
	older  record.EventRecorder
}

func (o *operator) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var seen appsv1.Deployment
	if err := o.Get(ctx, request.NamespacedName, &seen); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if seen.DeletionTimestamp != nil {
		return ctrl.Result{}, o.letGo(ctx, &seen)
	}
	if !controllerutil.ContainsFinalizer(&seen, finalizer) {
		before := seen.DeepCopy()
		controllerutil.AddFinalizer(&seen, finalizer)
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := o.Patch(ctx, &seen, patch); err != nil {
			return ctrl.Result{}, err
		}
		say(line{"did": "hold", "name": seen.Name})
	}
	if err := o.settle(ctx, &seen); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, o.report(ctx, &seen)
}

// The ConfigMap that belongs to a Deployment.
func (o *operator) settle(ctx context.Context, seen *appsv1.Deployment) error {
	settings := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: seen.Namespace, Name: seen.Name + "-settings"}}
	result, err := controllerutil.CreateOrUpdate(ctx, o.Client, settings, func() error {
		settings.Data = map[string]string{
			"image":    seen.Spec.Template.Spec.Containers[0].Image,
			"replicas": fmt.Sprint(*seen.Spec.Replicas),
		}
		return controllerutil.SetControllerReference(seen, settings, o.Scheme())
	})
	if err != nil {
		return err
	}
	if result != controllerutil.OperationResultNone {
		say(line{"did": string(result), "name": settings.Name, "settings": settings.Data})
		o.events.Eventf(seen, settings, corev1.EventTypeNormal, "Settled", "Write", "settings are %s", result)
		o.older.Eventf(seen, corev1.EventTypeNormal, "SettledToo", "settings are %s", result)
	}
	return nil
}

// The status of a Deployment, in two parts: a condition by patch, then numbers by update. The first update is always from an
// object that the patch has made old, so it has to be refused.
func (o *operator) report(ctx context.Context, seen *appsv1.Deployment) error {
	current := &appsv1.Deployment{}
	if err := o.live.Get(ctx, client.ObjectKeyFromObject(seen), current); err != nil {
		return client.IgnoreNotFound(err)
	}
	// The cache may not have heard of the last report, or of the end.
	if current.Status.ObservedGeneration == current.Generation || current.DeletionTimestamp != nil {
		return nil
	}
	old := current.DeepCopy()
	before := current.DeepCopy()
	current.Status.Conditions = []appsv1.DeploymentCondition{{
		Type:    appsv1.DeploymentAvailable,
		Status:  corev1.ConditionTrue,
		Reason:  "Settled",
		Message: fmt.Sprintf("generation %d is settled", current.Generation),
	}}
	if err := o.Status().Patch(ctx, current, client.StrategicMergeFrom(before)); err != nil {
		return err
	}
	isFirst := true
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		object := old
		if !isFirst {
			object = &appsv1.Deployment{}
			if err := o.live.Get(ctx, client.ObjectKeyFromObject(seen), object); err != nil {
				return err
			}
		}
		isFirst = false
		count := *object.Spec.Replicas
		object.Status.ObservedGeneration = object.Generation
		object.Status.Replicas, object.Status.UpdatedReplicas = count, count
		object.Status.ReadyReplicas, object.Status.AvailableReplicas = count, count
		err := o.Status().Update(ctx, object)
		if object == old {
			say(line{"did": "conflict", "name": seen.Name, "isConflict": apierrors.IsConflict(err), "why": reasonOf(err)})
		}
		return err
	})
	if err == nil {
		say(line{"did": "report", "name": seen.Name, "generation": current.Generation})
	}
	return err
}

// What a Deployment's end needs, and then the end.
func (o *operator) letGo(ctx context.Context, seen *appsv1.Deployment) error {
	if !controllerutil.ContainsFinalizer(seen, finalizer) {
		return nil
	}
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current := &appsv1.Deployment{}
		if err := o.live.Get(ctx, client.ObjectKeyFromObject(seen), current); err != nil {
			return err
		}
		controllerutil.RemoveFinalizer(current, finalizer)
		return o.Update(ctx, current)
	})
	if apierrors.IsNotFound(err) {
		return nil // the cache was late
	}
	if err == nil {
		say(line{"did": "let go", "name": seen.Name})
	}
	return err
}

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
