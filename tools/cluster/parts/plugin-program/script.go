package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"

	"github.com/sirupsen/logrus"
	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	scriptAnnotation      = "fixture.lateen.dev/script"
	environmentAnnotation = "fixture.lateen.dev/environment"
	fillerAnnotation      = "fixture.lateen.dev/filler"
)

type identifier struct {
	Group     string `json:"group"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// script is what an item, or a Restore, says.
type script struct {
	Log []struct {
		Level   string `json:"level"`
		Message string `json:"message"`
	} `json:"log"`
	LogLines               int               `json:"logLines"`
	Print                  *string           `json:"print"`
	CrashOnce              string            `json:"crashOnce"`
	Crash                  *string           `json:"crash"`
	Panic                  *string           `json:"panic"`
	Hang                   bool              `json:"hang"`
	Fail                   *string           `json:"fail"`
	Annotate               map[string]string `json:"annotate"`
	Environment            bool              `json:"environment"`
	FillerBytes            int               `json:"fillerBytes"`
	AdditionalItems        []identifier      `json:"additionalItems"`
	RelatedItems           []identifier      `json:"relatedItems"`
	PostOperationItems     []identifier      `json:"postOperationItems"`
	SkipRestore            bool              `json:"skipRestore"`
	WaitForAdditionalItems bool              `json:"waitForAdditionalItems"`
	ReadyTimeoutSeconds    int               `json:"additionalItemsReadyTimeoutSeconds"`
	Operation              *struct {
		Polls int    `json:"polls"`
		Error string `json:"error"`
	} `json:"operation"`
	ReadyAfter int     `json:"readyAfter"`
	ReadyFails *string `json:"readyFails"`
}

func scriptIn(annotations map[string]string) (script, error) {
	var found script
	text, ok := annotations[scriptAnnotation]
	if !ok {
		return found, nil
	}
	err := json.Unmarshal([]byte(text), &found)
	return found, err
}

// act does what the script of an item says, and changes the item.
func act(item runtime.Unstructured, log logrus.FieldLogger) (script, error) {
	object, err := meta.Accessor(item)
	if err != nil {
		return script{}, err
	}
	annotations := object.GetAnnotations()
	told, err := scriptIn(annotations)
	if err != nil {
		return told, err
	}
	told.say(log)
	if err := told.misbehave(); err != nil {
		return told, err
	}
	if added := told.added(); len(added) > 0 {
		if annotations == nil {
			annotations = map[string]string{}
		}
		for name, value := range added {
			annotations[name] = value
		}
		object.SetAnnotations(annotations)
	}
	return told, nil
}

func (told script) say(log logrus.FieldLogger) {
	for _, line := range told.Log {
		level, err := logrus.ParseLevel(line.Level)
		if err != nil {
			level = logrus.ErrorLevel
		}
		log.WithFields(nil).Log(level, line.Message)
	}
	for line := 1; line <= told.LogLines; line++ {
		log.Infof("line %d", line)
	}
	if told.Print != nil {
		fmt.Println(*told.Print)
	}
}

func (told script) misbehave() error {
	if told.CrashOnce != "" {
		if _, err := os.Stat(told.CrashOnce); errors.Is(err, os.ErrNotExist) {
			if err := os.WriteFile(told.CrashOnce, nil, 0o600); err != nil {
				return err
			}
			die("once")
		}
	}
	if told.Crash != nil {
		die(*told.Crash)
	}
	if told.Panic != nil {
		panic(*told.Panic)
	}
	if told.Hang {
		select {}
	}
	if told.Fail != nil {
		return errors.New(*told.Fail)
	}
	return nil
}

// die ends the program: the SDK recovers from a panic of the call itself, and not from one of another goroutine.
func die(text string) {
	go func() { panic(text) }()
	select {}
}

func (told script) added() map[string]string {
	added := map[string]string{}
	for name, value := range told.Annotate {
		added[name] = value
	}
	if told.Environment {
		var names []string
		for _, entry := range os.Environ() {
			name, _, _ := strings.Cut(entry, "=")
			names = append(names, name)
		}
		sort.Strings(names)
		added[environmentAnnotation] = strings.Join(names, ",")
	}
	if told.FillerBytes > 0 {
		added[fillerAnnotation] = strings.Repeat("x", told.FillerBytes)
	}
	return added
}

func resources(items []identifier) []velero.ResourceIdentifier {
	var all []velero.ResourceIdentifier
	for _, item := range items {
		all = append(all, velero.ResourceIdentifier{
			GroupResource: schema.GroupResource{Group: item.Group, Resource: item.Resource},
			Namespace:     item.Namespace,
			Name:          item.Name,
		})
	}
	return all
}
