// Prints the hashes that upstream gives to pod templates, for comparing ours with them: reads lines of JSON,
// {"template": …, "collisionCount": n, "isSent": b}, and prints for each the template as an API server would serve it, its hash, and, with the argument
// "dump", the text that is hashed. A manager reads protobuf, in which an empty list is an absent one and quantities are in canonical form;
// so each template goes through protobuf first. One that "isSent" is sent once more before it is hashed: sending leaves the canonical text in
// quantities.
//
// Run it where the module that pins Kubernetes is, in UTC: a time that is set is hashed with its zone.
//
//	cd tools/real-cluster/manifests/kubernetes && TZ=UTC go run ../../../generate/go/template-hash.go <templates >hashes
package main

import (
	"bufio"
	"encoding/json"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/controller"
	"k8s.io/utils/dump"
)

type line struct {
	Template       v1.PodTemplateSpec `json:"template"`
	CollisionCount *int32             `json:"collisionCount,omitempty"`
	IsSent         bool               `json:"isSent,omitempty"`
	Hash           string             `json:"hash"`
	Dump           string             `json:"dump,omitempty"`
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	// A manager has printed times before it hashes one: it knows its zone by then.
	_ = time.Now().String()
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<26)
	output := json.NewEncoder(os.Stdout)
	output.SetEscapeHTML(false)
	for input.Scan() {
		var each line
		must(json.Unmarshal(input.Bytes(), &each))
		bytes, err := each.Template.Marshal()
		must(err)
		var read v1.PodTemplateSpec
		must(read.Unmarshal(bytes))
		if each.IsSent {
			_, err := read.Marshal()
			must(err)
		}
		each.Hash = controller.ComputeHash(&read, each.CollisionCount)
		if len(os.Args) > 1 && os.Args[1] == "dump" {
			each.Dump = dump.ForHash(read)
		}
		each.Template = read
		must(output.Encode(each))
	}
	must(input.Err())
}
