package main

import (
	"context"
	"fmt"
	"sort"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var followed = []schema.GroupVersionResource{
	{Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "configmaps"},
	{Group: "apps", Version: "v1", Resource: "deployments"},
}

// What the four kinds of factories have in common.
type factory interface {
	Start(stop <-chan struct{})
	Shutdown()
}

type anyInformer interface {
	Informer() cache.SharedIndexInformer
	Lister() cache.GenericLister
}

// Follows the three resources of a namespace and says what its handlers were told, in their order. A line `list` on stdin
// is answered with what the caches hold.
func runInformer(ctx context.Context, config *rest.Config, s settings) error {
	made, informersOf, err := newFactory(config, s)
	if err != nil {
		return err
	}
	listers := map[string]cache.GenericLister{}
	var synced []cache.InformerSynced
	for _, resource := range followed {
		one, err := informersOf(resource)
		if err != nil {
			return err
		}
		registered, err := one.Informer().AddEventHandler(handlerOf(resource.Resource))
		if err != nil {
			return err
		}
		listers[resource.Resource] = one.Lister()
		synced = append(synced, registered.HasSynced)
	}
	made.Start(ctx.Done())
	if cache.WaitForCacheSync(ctx.Done(), synced...) {
		say(line{"did": "sync"})
	}
	for asked := range s.asked {
		if asked != "list" {
			return fmt.Errorf("cannot %q", asked)
		}
		for _, resource := range followed {
			if err := sayCache(resource.Resource, listers[resource.Resource]); err != nil {
				return err
			}
		}
	}
	made.Shutdown()
	return nil
}

func newFactory(config *rest.Config, s settings) (factory, func(schema.GroupVersionResource) (anyInformer, error), error) {
	switch s.content {
	case "metadata":
		client, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, nil, err
		}
		made := metadatainformer.NewFilteredSharedInformerFactory(client, 0, s.namespace, nil)
		return made, func(r schema.GroupVersionResource) (anyInformer, error) { return made.ForResource(r), nil }, nil
	case "dynamic":
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, nil, err
		}
		made := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, s.namespace, nil)
		return made, func(r schema.GroupVersionResource) (anyInformer, error) { return made.ForResource(r), nil }, nil
	case "default", "json":
		if s.content == "json" {
			config = withJSON(config)
		}
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, nil, err
		}
		made := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(s.namespace))
		return made, func(r schema.GroupVersionResource) (anyInformer, error) { return made.ForResource(r) }, nil
	}
	return nil, nil, fmt.Errorf("unknown content %q", s.content)
}

func handlerOf(resource string) cache.ResourceEventHandlerDetailedFuncs {
	return cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, isInitial bool) {
			say(line{"saw": "add", "resource": resource, "object": object, "isInitial": isInitial})
		},
		UpdateFunc: func(before, after any) {
			// After a new list everything that is still the same is reported once more. How often lists are needed is the
			// network's affair, so it is not said.
			if versionOf(before) != versionOf(after) {
				say(line{"saw": "update", "resource": resource, "object": after})
			}
		},
		DeleteFunc: func(object any) {
			missed, isTombstone := object.(cache.DeletedFinalStateUnknown)
			if isTombstone {
				object = missed.Obj
			}
			say(line{"saw": "delete", "resource": resource, "object": object, "isTombstone": isTombstone})
		},
	}
}

func versionOf(object any) string {
	described, err := meta.Accessor(object)
	if err != nil {
		fail(err)
	}
	return described.GetResourceVersion()
}

func sayCache(resource string, lister cache.GenericLister) error {
	objects, err := lister.List(labels.Everything())
	if err != nil {
		return err
	}
	sort.Slice(objects, func(i, j int) bool { return nameOf(objects[i]) < nameOf(objects[j]) })
	say(line{"did": "list", "resource": resource, "objects": objects})
	return nil
}

func nameOf(object runtime.Object) string {
	described, err := meta.Accessor(object)
	if err != nil {
		fail(err)
	}
	return described.GetName()
}
