// Command pause does nothing until it is told to end. It has two jobs: it holds a pod's namespaces open, and it is
// process 1 of a cluster's machine, where ending it makes the kernel end everything else in that machine.
// As process 1 it inherits orphans, so it collects them; otherwise they would stay as zombies.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// One slot per signal is enough: a coalesced SIGCHLD is made good by collecting until nothing is left.
	signals := make(chan os.Signal, 3)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	collect()
	for received := range signals {
		if received != syscall.SIGCHLD {
			return
		}
		collect()
	}
}

// collect takes the exit status of every child that has ended, without waiting for one that has not.
func collect() {
	for {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if pid <= 0 {
			return
		}
	}
}
