// Writes the generator's input `pod-template-structs`: the Go structs that a PodTemplateSpec consists of, read off the Go types by
// reflection, as struct → [field, JSON name, Go type] in Go's order, and named types → what they are made of. A dump of a template for its
// hash prints every field, under Go's name and with Go's type, whether it is set or not. The JSON name of an embedded struct whose fields
// lie in its parent's JSON is "". Structs that decode themselves from JSON (Quantity, Time, IntOrString, FieldsV1) are left out.
//
// Run it where the module that pins Kubernetes is; the result, compressed with brotli, is kept in `data`:
//
//	cd tools/real-cluster/manifests/kubernetes && go run ../../../generate/go/go-structs.go
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
)

type reader struct {
	Structs map[string][][3]string `json:"structs"`
	Named   map[string]string      `json:"named"`
	seen    map[string]reflect.Type
}

var decodesItself = reflect.TypeFor[json.Unmarshaler]()

func (r *reader) visit(t reflect.Type) {
	if t.Name() != "" && t.PkgPath() != "" {
		// The dump says v1.Container, whichever v1 it is.
		if other, ok := r.seen[t.String()]; ok {
			if other != t {
				panic("two types are printed as " + t.String())
			}
			return
		}
		r.seen[t.String()] = t
	}
	switch t.Kind() {
	case reflect.Struct:
		r.visitStruct(t)
		return
	case reflect.Pointer, reflect.Slice:
		r.visit(t.Elem())
	case reflect.Map:
		r.visit(t.Key())
		r.visit(t.Elem())
	case reflect.Bool, reflect.Int32, reflect.Int64, reflect.String, reflect.Uint8:
	default:
		panic("cannot dump " + t.String())
	}
	if t.PkgPath() != "" {
		r.Named[t.String()] = madeOf(t)
	}
}

func madeOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Map:
		return "map[" + t.Key().String() + "]" + t.Elem().String()
	case reflect.Slice:
		return "[]" + t.Elem().String()
	default:
		return t.Kind().String()
	}
}

func (r *reader) visitStruct(t reflect.Type) {
	if reflect.PointerTo(t).Implements(decodesItself) {
		return
	}
	fields := [][3]string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" || (name == "" && !f.Anonymous) {
			panic("JSON does not hold " + t.String() + "." + f.Name)
		}
		fields = append(fields, [3]string{f.Name, name, f.Type.String()})
		r.visit(f.Type)
	}
	r.Structs[t.String()] = fields
}

func main() {
	r := reader{map[string][][3]string{}, map[string]string{}, map[string]reflect.Type{}}
	r.visit(reflect.TypeFor[v1.PodTemplateSpec]())
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		panic(err)
	}
}
