// Foreign clients, driven by a test: one JSON object a line on stdout says what a client saw, a line on stdin asks something
// of it, and the end of stdin ends it in order. Logs go to stderr.
//
//	go-clients informer --kubeconfig FILE --namespace shop --content default|json|metadata|dynamic
//	go-clients manager  --kubeconfig FILE --namespace shop --identity one
//	go-clients every-group --kubeconfig FILE --namespace shop --content default|json
//	go-clients website-operator --kubeconfig FILE
//	go-clients informer-cost --kubeconfig FILE --updates 100000
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type settings struct {
	namespace string
	content   string
	identity  string
	updates   int
	// Lines of stdin; closed at its end.
	asked <-chan string
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("one of informer, manager, every-group, website-operator, informer-cost"))
	}
	var s settings
	var kubeconfig string
	flags := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	flags.StringVar(&kubeconfig, "kubeconfig", "", "how to reach the server")
	flags.StringVar(&s.namespace, "namespace", "default", "what to look at")
	flags.StringVar(&s.content, "content", "default", "default (protobuf) or json; informer: metadata or dynamic too")
	flags.StringVar(&s.identity, "identity", "", "manager: its name among those who want to lead")
	flags.IntVar(&s.updates, "updates", 1, "informer-cost: how many to wait for")
	if err := flags.Parse(os.Args[2:]); err != nil {
		fail(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		fail(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.asked = readLines(cancel)
	switch os.Args[1] {
	case "informer":
		err = runInformer(ctx, config, s)
	case "manager":
		err = runManager(ctx, config, s)
	case "every-group":
		err = runEveryGroup(ctx, config, s)
	case "website-operator":
		err = runWebsiteOperator(ctx, config, s)
	case "informer-cost":
		err = runInformerCost(ctx, config, s)
	default:
		err = fmt.Errorf("unknown client %q", os.Args[1])
	}
	if err != nil {
		fail(err)
	}
	say(line{"did": "end"})
}

// The test's words. Without a test there is nothing left to do.
func readLines(cancel context.CancelFunc) <-chan string {
	lines := make(chan string)
	go func() {
		defer cancel()
		defer close(lines)
		for scanner := bufio.NewScanner(os.Stdin); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	return lines
}

type line map[string]any

var saying sync.Mutex

func say(what line) {
	saying.Lock()
	defer saying.Unlock()
	if err := json.NewEncoder(os.Stdout).Encode(what); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A copy that speaks JSON; left to themselves, typed clients prefer protobuf.
func withJSON(config *rest.Config) *rest.Config {
	spoken := rest.CopyConfig(config)
	spoken.ContentType = "application/json"
	spoken.AcceptContentTypes = "application/json"
	return spoken
}
