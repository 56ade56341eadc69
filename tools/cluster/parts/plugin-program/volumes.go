package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	driver     = "fixture.lateen.dev"
	flexDriver = "fixture.lateen.dev/disk"
)

func rootOf(config map[string]string) (string, error) {
	if root := config["root"]; root != "" {
		return root, nil
	}
	return "", errors.New("config has no root")
}

// folderVolumes keeps snapshots as files.
type folderVolumes struct{ root string }

func (v *folderVolumes) Init(config map[string]string) (err error) {
	v.root, err = rootOf(config)
	return err
}

func (v *folderVolumes) GetVolumeID(volume runtime.Unstructured) (string, error) {
	id, _, err := unstructured.NestedString(volume.UnstructuredContent(), idField(volume)...)
	return id, err
}

// idField says where the ID of a volume of the fixture is: of CSI, or of a kind that no snapshot of CSI reaches.
func idField(volume runtime.Unstructured) []string {
	of := func(kind string) string {
		name, _, _ := unstructured.NestedString(volume.UnstructuredContent(), "spec", kind, "driver")
		return name
	}
	switch {
	case of("csi") == driver:
		return []string{"spec", "csi", "volumeHandle"}
	case of("flexVolume") == flexDriver:
		return []string{"spec", "flexVolume", "options", "volumeID"}
	}
	return []string{"spec", "volumeID"}
}

func (v *folderVolumes) SetVolumeID(volume runtime.Unstructured, volumeID string) (runtime.Unstructured, error) {
	err := unstructured.SetNestedField(volume.UnstructuredContent(), volumeID, idField(volume)...)
	return volume, err
}

func (v *folderVolumes) GetVolumeInfo(volumeID, _ string) (string, *int64, error) {
	if strings.HasPrefix(volumeID, "missing") {
		return "", nil, fmt.Errorf("no such volume: %s", volumeID)
	}
	iops := int64(100)
	return "fast", &iops, nil
}

func (v *folderVolumes) CreateSnapshot(volumeID, volumeAZ string, tags map[string]string) (string, error) {
	snapshotID := "snap-" + volumeID
	content, err := json.Marshal(map[string]any{"volumeID": volumeID, "volumeAZ": volumeAZ, "tags": tags})
	if err != nil {
		return "", err
	}
	return snapshotID, os.WriteFile(filepath.Join(v.root, snapshotID), content, 0o600)
}

func (v *folderVolumes) CreateVolumeFromSnapshot(snapshotID, _, _ string, _ *int64) (string, error) {
	if _, err := os.Stat(filepath.Join(v.root, snapshotID)); err != nil {
		return "", fmt.Errorf("no such snapshot: %s", snapshotID)
	}
	return "from-" + snapshotID, nil
}

func (v *folderVolumes) DeleteSnapshot(snapshotID string) error {
	err := os.Remove(filepath.Join(v.root, snapshotID))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
