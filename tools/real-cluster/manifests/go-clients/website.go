package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The custom resource of the operator bench, as a generator would have written it down.
type Website struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WebsiteSpec   `json:"spec,omitempty"`
	Status WebsiteStatus `json:"status,omitempty"`
}

type WebsiteSpec struct {
	Image    string `json:"image,omitempty"`
	Replicas int32  `json:"replicas,omitempty"`
	Host     string `json:"host,omitempty"`
}

type WebsiteStatus struct {
	ObservedGeneration int64  `json:"observedGeneration,omitempty"`
	URL                string `json:"url,omitempty"`
}

type WebsiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Website `json:"items"`
}

var websiteVersion = schema.GroupVersion{Group: "bench.kubeloop.dev", Version: "v1"}

func addWebsites(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(websiteVersion, &Website{}, &WebsiteList{})
	metav1.AddToGroupVersion(scheme, websiteVersion)
	return nil
}

func (w *Website) DeepCopy() *Website {
	copied := *w
	copied.ObjectMeta = *w.ObjectMeta.DeepCopy()
	return &copied
}

func (w *Website) DeepCopyObject() runtime.Object { return w.DeepCopy() }

func (l *WebsiteList) DeepCopyObject() runtime.Object {
	copied := &WebsiteList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		copied.Items = append(copied.Items, *l.Items[i].DeepCopy())
	}
	return copied
}
