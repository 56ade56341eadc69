package main

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// counter counts how often it was asked for each of several things.
type counter struct {
	lock  sync.Mutex
	asked map[string]int
}

func newCounter() *counter { return &counter{asked: map[string]int{}} }

func (c *counter) next(of string) int {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.asked[of]++
	return c.asked[of]
}

// operations go on by being asked about; their IDs have in them all that there is to know: polls/ERROR/NAMESPACE/NAME.
type operations struct {
	asked     *counter
	lock      sync.Mutex
	cancelled map[string]bool
}

func newOperations() *operations {
	return &operations{asked: newCounter(), cancelled: map[string]bool{}}
}

func (told script) operationID(item runtime.Unstructured) string {
	object, err := meta.Accessor(item)
	if told.Operation == nil || err != nil {
		return ""
	}
	polls := strconv.Itoa(told.Operation.Polls)
	return strings.Join([]string{polls, url.PathEscape(told.Operation.Error), object.GetNamespace(), object.GetName()}, "/")
}

func parseOperation(id string) (polls int, failure string, err error) {
	parts := strings.Split(id, "/")
	polls, err = strconv.Atoi(parts[0])
	if err == nil && len(parts) == 4 {
		failure, err = url.PathUnescape(parts[1])
	}
	if err != nil || len(parts) != 4 {
		return 0, "", fmt.Errorf("no such operation: %s", id)
	}
	return polls, failure, nil
}

func (o *operations) progress(id string) (velero.OperationProgress, error) {
	polls, failure, err := parseOperation(id)
	if err != nil {
		return velero.OperationProgress{}, err
	}
	count := o.asked.next(id)
	started := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	progress := velero.OperationProgress{
		Completed:      count >= polls,
		NCompleted:     int64(min(count, polls)),
		NTotal:         int64(polls),
		OperationUnits: "polls",
		Description:    "asked",
		Started:        started,
		Updated:        started.Add(time.Duration(count) * time.Second),
	}
	if progress.Completed {
		progress.Err = failure
	}
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.cancelled[id] {
		progress.Completed, progress.Err = true, "cancelled"
	}
	return progress, nil
}

func (o *operations) cancel(id string) error {
	if _, _, err := parseOperation(id); err != nil {
		return err
	}
	o.lock.Lock()
	defer o.lock.Unlock()
	o.cancelled[id] = true
	return nil
}
