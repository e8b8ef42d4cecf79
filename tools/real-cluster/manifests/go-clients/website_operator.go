package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// The operator of `npm run bench -- operator`, as it is written with controller-runtime: for each Website a ConfigMap, a
// Deployment and a Service that it controls, then its status. tools/bench/src/operator-run.ts is the same one on kubeloop; who
// changes one of them changes the other. A line on stdin is answered with what the process has used so far.
func runWebsiteOperator(ctx context.Context, config *rest.Config, s settings) error {
	ctrl.SetLogger(klog.Background())
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, addWebsites} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	// The other side has no limit either: the bench is about what a request costs, not about waiting.
	config.QPS = -1
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	if err != nil {
		return err
	}
	operator := &websiteOperator{Client: manager.GetClient()}
	err = ctrl.NewControllerManagedBy(manager).
		For(&Website{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		Complete(operator)
	if err != nil {
		return err
	}
	go func() {
		for range s.asked {
			sayUsage(&operator.reconciles)
		}
	}()
	return manager.Start(ctx)
}

type websiteOperator struct {
	client.Client
	reconciles atomic.Int64
}

func (o *websiteOperator) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	o.reconciles.Add(1)
	var site Website
	if err := o.Get(ctx, request.NamespacedName, &site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	owned := metav1.ObjectMeta{Namespace: site.Namespace, Name: site.Name}
	labels := map[string]string{"app": site.Name}

	settings := &corev1.ConfigMap{ObjectMeta: owned}
	if _, err := controllerutil.CreateOrUpdate(ctx, o.Client, settings, func() error {
		settings.Labels = labels
		settings.Data = map[string]string{"host": site.Spec.Host}
		return controllerutil.SetControllerReference(&site, settings, o.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}

	deployment := &appsv1.Deployment{ObjectMeta: owned}
	if _, err := controllerutil.CreateOrUpdate(ctx, o.Client, deployment, func() error {
		deployment.Labels = labels
		deployment.Spec.Replicas = &site.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		pod := &deployment.Spec.Template.Spec
		if len(pod.Containers) == 0 {
			pod.Containers = []corev1.Container{{Name: "web"}}
		}
		pod.Containers[0].Image = site.Spec.Image
		pod.Containers[0].Env = []corev1.EnvVar{{Name: "HOST", Value: site.Spec.Host}}
		return controllerutil.SetControllerReference(&site, deployment, o.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}

	service := &corev1.Service{ObjectMeta: owned}
	if _, err := controllerutil.CreateOrUpdate(ctx, o.Client, service, func() error {
		service.Labels = labels
		service.Spec.Selector = labels
		if len(service.Spec.Ports) == 0 {
			service.Spec.Ports = []corev1.ServicePort{{}}
		}
		service.Spec.Ports[0].Port = 80
		service.Spec.Ports[0].TargetPort = intstr.FromInt32(8080)
		return controllerutil.SetControllerReference(&site, service, o.Scheme())
	}); err != nil {
		return ctrl.Result{}, err
	}

	status := WebsiteStatus{ObservedGeneration: site.Generation, URL: "http://" + site.Spec.Host}
	if site.Status == status {
		return ctrl.Result{}, nil
	}
	before := site.DeepCopy()
	site.Status = status
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	return ctrl.Result{}, o.Status().Patch(ctx, &site, patch)
}

func sayUsage(reconciles *atomic.Int64) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		fail(err)
	}
	spent := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	say(line{"cpuMs": float64(spent) / 1e6, "rssMb": residentMb(), "reconciles": reconciles.Load()})
}

// What Node's process.memoryUsage().rss tells of itself: the pages that are in memory now.
func residentMb() float64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0 // not on this platform
	}
	var size, resident int64
	if _, err := fmt.Fscan(strings.NewReader(string(text)), &size, &resident); err != nil {
		fail(err)
	}
	return float64(resident*int64(os.Getpagesize())) / (1 << 20)
}
