package main

import (
	"context"
	"runtime"
	"sync/atomic"
	"syscall"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// Follows the pods of all namespaces and says what that cost: one line when the cache is filled, another one when so many
// updates were handled. The price of the updates begins with the first of them.
func runInformerCost(ctx context.Context, config *rest.Config, s settings) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	bare := liveHeapMb()
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods().Informer()
	var seen atomic.Int64
	var atFirst float64
	handled := make(chan float64, 1)
	registered, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{
		UpdateFunc: func(_, after any) {
			versionOf(after)
			switch seen.Add(1) {
			case 1:
				atFirst = cpuMs()
			case int64(s.updates):
				handled <- cpuMs() - atFirst
			}
		},
	})
	if err != nil {
		return err
	}
	before := cpuMs()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), registered.HasSynced) {
		return ctx.Err()
	}
	took, peak := cpuMs()-before, peakMb()
	say(line{"syncCpuMs": took, "peakMb": peak, "heapMb": liveHeapMb() - bare, "pods": len(pods.GetStore().ListKeys())})
	select {
	case watched := <-handled:
		say(line{"watchCpuMs": watched, "events": seen.Load()})
	case <-ctx.Done():
	}
	factory.Shutdown()
	return nil
}

func usage() syscall.Rusage {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		fail(err)
	}
	return used
}

func cpuMs() float64 {
	used := usage()
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e6
}

// Linux counts in KiB.
func peakMb() float64 {
	return float64(usage().Maxrss) / 1024
}

func liveHeapMb() float64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc) / (1 << 20)
}
