// Writes the generator's input `go-fields`: what OpenAPI does not say about the fields of the built-in kinds, read off the
// Go types by reflection, as definition → field → [print, Go type, embedded struct …]. Fields stand in the order in which Go
// prints them. `print` is "p" where a Go server prints the field even when it holds nothing: without omitempty, or a struct
// held by value without omitzero.
//
// Run it where the module that pins Kubernetes is; the result, compressed with brotli, is kept in `data`:
//
//	cd tools/real-cluster/manifests/kubernetes && go run ../../../generate/go/go-fields.go
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apimachinery/pkg/runtime"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/controlplane"
)

type field struct {
	name string
	row  []string
}

// A definition's fields; JSON that keeps their order.
type fields []field

func (f fields) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for _, each := range f {
		name, _ := json.Marshal(each.name)
		row, _ := json.Marshal(each.row)
		out.WriteString(",")
		out.Write(name)
		out.WriteString(":")
		out.Write(row)
	}
	return []byte("{" + strings.TrimPrefix(out.String(), ",") + "}"), nil
}

var decodesItself = reflect.TypeFor[json.Unmarshaler]()

type reader struct {
	definitions map[string]fields
	seen        map[reflect.Type]bool
}

func (r *reader) visit(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		r.visit(t.Elem())
	case reflect.Struct:
		// What decodes itself (Quantity, Time, IntOrString …) is a scalar to JSON.
		if !r.seen[t] && !reflect.PointerTo(t).Implements(decodesItself) {
			r.seen[t] = true
			r.definitions[definitionName(t)] = r.fieldsOf(t, nil)
		}
	}
}

func (r *reader) fieldsOf(t reflect.Type, embedded []string) fields {
	var found fields
	for i := range t.NumField() {
		f := t.Field(i)
		words := strings.Split(f.Tag.Get("json"), ",")
		if words[0] == "-" || !f.IsExported() {
			continue
		}
		if f.Anonymous && words[0] == "" {
			found = append(found, r.fieldsOf(f.Type, append(slices.Clone(embedded), f.Name))...)
			continue
		}
		omitsZero := slices.Contains(words, "omitzero")
		omitsEmpty := slices.Contains(words, "omitempty") && f.Type.Kind() != reflect.Struct
		print := "p"
		if omitsZero || omitsEmpty {
			print = ""
		}
		found = append(found, field{words[0], append([]string{print, f.Type.String()}, embedded...)})
		r.visit(f.Type)
	}
	return found
}

// OpenAPI's name: the package with its domain reversed.
func definitionName(t reflect.Type) string {
	domain, path, _ := strings.Cut(t.PkgPath(), "/")
	labels := strings.Split(domain, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "." + strings.ReplaceAll(path, "/", ".") + "." + t.Name()
}

func main() {
	r := reader{map[string]fields{}, map[reflect.Type]bool{}}
	for _, scheme := range []*runtime.Scheme{legacyscheme.Scheme, apiextensions.Scheme, aggregator.Scheme} {
		for kind, t := range scheme.AllKnownTypes() {
			if kind.Version != runtime.APIVersionInternal {
				r.visit(t)
			}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(r.definitions); err != nil {
		panic(err)
	}
}
