// Command plugin-program is a plugin program on the reference's own SDK, for tests. What its plugins do is in the item:
// test/plugins/README.md.
package main

import (
	"github.com/sirupsen/logrus"
	"github.com/spf13/pflag"
	"github.com/vmware-tanzu/velero/pkg/plugin/framework"
)

func main() {
	framework.NewServer().
		BindFlags(pflag.CommandLine).
		RegisterBackupItemAction("fixture.lateen.dev/backup-v1", func(log logrus.FieldLogger) (any, error) {
			return &backupActionV1{log}, nil
		}).
		RegisterBackupItemActionV2("fixture.lateen.dev/backup", func(log logrus.FieldLogger) (any, error) {
			return &backupAction{log, newOperations()}, nil
		}).
		RegisterRestoreItemAction("fixture.lateen.dev/restore-v1", func(log logrus.FieldLogger) (any, error) {
			return &restoreActionV1{log}, nil
		}).
		RegisterRestoreItemActionV2("fixture.lateen.dev/restore", func(log logrus.FieldLogger) (any, error) {
			return &restoreAction{log, newOperations(), newCounter()}, nil
		}).
		RegisterItemBlockAction("fixture.lateen.dev/block", func(log logrus.FieldLogger) (any, error) {
			return &blockAction{log}, nil
		}).
		RegisterDeleteItemAction("fixture.lateen.dev/delete", func(log logrus.FieldLogger) (any, error) {
			return &deleteAction{log}, nil
		}).
		RegisterVolumeSnapshotter("fixture.lateen.dev/volumes", func(logrus.FieldLogger) (any, error) {
			return &folderVolumes{}, nil
		}).
		RegisterObjectStore("fixture.lateen.dev/store", func(logrus.FieldLogger) (any, error) {
			return &folderStore{}, nil
		}).
		Serve()
}
