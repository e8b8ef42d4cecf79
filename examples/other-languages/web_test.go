// Tests of an operator in Go, on a cluster of their own: `kubeloop up`, for as long as they run.
package web

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const web = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
`

func kubeloop(args ...string) *exec.Cmd {
	words := append(strings.Fields(command()), args...)
	return exec.Command(words[0], words[1:]...)
}

func command() string {
	if own := os.Getenv("KUBELOOP"); own != "" {
		return own
	}
	return "npx kubeloop"
}

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "web")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	up := kubeloop("up", "--json", "--port", "0")
	up.Dir = folder
	stdout, err := up.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := up.Start(); err != nil {
		panic(err)
	}
	defer func() {
		_ = up.Process.Signal(os.Interrupt)
		_ = up.Wait()
	}()
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var told struct{ Event, Kubeconfig string }
		if json.Unmarshal(lines.Bytes(), &told) == nil && told.Event == "ready" {
			os.Setenv("KUBECONFIG", told.Kubeconfig) // what client-go reads
			return m.Run()
		}
	}
	fmt.Fprintln(os.Stderr, "kubeloop up did not start")
	return 1
}

func TestThreePodsRun(t *testing.T) {
	apply := kubeloop("apply", "-f", "-")
	apply.Stdin = strings.NewReader(web)
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := kubeloop("wait", "deployment/web", "--for=condition=Available").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := kubeloop("get", "pods", "-o", "name").Output()
	if err != nil {
		t.Fatal(err)
	}
	if pods := strings.Fields(string(out)); len(pods) != 3 {
		t.Fatalf("%d pods: %v", len(pods), pods)
	}
}
