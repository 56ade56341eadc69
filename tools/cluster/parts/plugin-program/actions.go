package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/sirupsen/logrus"
	api "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
	"github.com/vmware-tanzu/velero/pkg/plugin/velero"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

func appliesTo() (velero.ResourceSelector, error) {
	return velero.ResourceSelector{
		IncludedNamespaces: []string{"shop"},
		IncludedResources:  []string{"configmaps", "widgets.fixture.lateen.dev"},
		LabelSelector:      "fixture=yes",
	}, nil
}

type backupActionV1 struct{ log logrus.FieldLogger }

func (a *backupActionV1) AppliesTo() (velero.ResourceSelector, error) { return appliesTo() }

func (a *backupActionV1) Execute(
	item runtime.Unstructured, _ *api.Backup,
) (runtime.Unstructured, []velero.ResourceIdentifier, error) {
	told, err := act(item, a.log)
	return item, resources(told.AdditionalItems), err
}

type backupAction struct {
	log        logrus.FieldLogger
	operations *operations
}

func (a *backupAction) Name() string                                { return "" }
func (a *backupAction) AppliesTo() (velero.ResourceSelector, error) { return appliesTo() }

func (a *backupAction) Execute(
	item runtime.Unstructured, _ *api.Backup,
) (runtime.Unstructured, []velero.ResourceIdentifier, string, []velero.ResourceIdentifier, error) {
	told, err := act(item, a.log)
	if err != nil {
		return nil, nil, "", nil, err
	}
	return item, resources(told.AdditionalItems), told.operationID(item), resources(told.PostOperationItems), nil
}

func (a *backupAction) Progress(id string, _ *api.Backup) (velero.OperationProgress, error) {
	return a.operations.progress(id)
}

func (a *backupAction) Cancel(id string, _ *api.Backup) error { return a.operations.cancel(id) }

type restoreActionV1 struct{ log logrus.FieldLogger }

func (a *restoreActionV1) AppliesTo() (velero.ResourceSelector, error) { return appliesTo() }

func (a *restoreActionV1) Execute(
	input *velero.RestoreItemActionExecuteInput,
) (*velero.RestoreItemActionExecuteOutput, error) {
	_, output, err := restored(input, a.log)
	return output, err
}

func restored(
	input *velero.RestoreItemActionExecuteInput, log logrus.FieldLogger,
) (script, *velero.RestoreItemActionExecuteOutput, error) {
	told, err := act(input.Item, log)
	if err != nil {
		return told, nil, err
	}
	output := velero.NewRestoreItemActionExecuteOutput(input.Item)
	output.AdditionalItems = resources(told.AdditionalItems)
	output.SkipRestore = told.SkipRestore
	return told, output, nil
}

type restoreAction struct {
	log        logrus.FieldLogger
	operations *operations
	questions  *counter
}

func (a *restoreAction) Name() string                                { return "" }
func (a *restoreAction) AppliesTo() (velero.ResourceSelector, error) { return appliesTo() }

func (a *restoreAction) Execute(
	input *velero.RestoreItemActionExecuteInput,
) (*velero.RestoreItemActionExecuteOutput, error) {
	told, output, err := restored(input, a.log)
	if err != nil {
		return nil, err
	}
	output.OperationID = told.operationID(input.Item)
	output.WaitForAdditionalItems = told.WaitForAdditionalItems
	output.AdditionalItemsReadyTimeout = time.Duration(told.ReadyTimeoutSeconds) * time.Second
	return output, nil
}

func (a *restoreAction) Progress(id string, _ *api.Restore) (velero.OperationProgress, error) {
	return a.operations.progress(id)
}

func (a *restoreAction) Cancel(id string, _ *api.Restore) error { return a.operations.cancel(id) }

func (a *restoreAction) AreAdditionalItemsReady(
	items []velero.ResourceIdentifier, restore *api.Restore,
) (bool, error) {
	told, err := scriptIn(restore.Annotations)
	if err != nil {
		return false, err
	}
	if told.ReadyFails != nil {
		return false, errors.New(*told.ReadyFails)
	}
	return a.questions.next(fmt.Sprint(items)) >= told.ReadyAfter, nil
}

type blockAction struct{ log logrus.FieldLogger }

func (a *blockAction) Name() string                                { return "" }
func (a *blockAction) AppliesTo() (velero.ResourceSelector, error) { return appliesTo() }

func (a *blockAction) GetRelatedItems(item runtime.Unstructured, _ *api.Backup) ([]velero.ResourceIdentifier, error) {
	told, err := act(item, a.log)
	return resources(told.RelatedItems), err
}

type deleteAction struct{ log logrus.FieldLogger }

func (a *deleteAction) AppliesTo() (velero.ResourceSelector, error) { return appliesTo() }

func (a *deleteAction) Execute(input *velero.DeleteItemActionExecuteInput) error {
	if _, err := act(input.Item, a.log); err != nil {
		return err
	}
	object, err := meta.Accessor(input.Item)
	if err != nil {
		return err
	}
	a.log.WithField("item", object.GetNamespace()+"/"+object.GetName()).Info("item is deleted")
	return nil
}
