export {
  type ExistingInstallation,
  existingInstallation,
  missingConfigMaps,
  refuseOther,
  refuseProtected,
} from './install/existing-installation.ts';
export { type KeptSettings, namedByFlags, withEarlier, withSettings } from './install/kept-settings.ts';
export { addPlugin, type PluginPlace, removePlugins, runsInTheWay } from './install/plugins.ts';
export {
  findVolumeManager,
  refuseVolumes,
  type VolumeManagerInstallation,
} from './storage/find-volume-manager.ts';
export { refuseReferenceManager } from './storage/refuse-reference-manager.ts';
export { removeVolumeManager } from './storage/remove-volume-manager.ts';
export { withdrawSnapshotMetadata } from './storage/withdraw-snapshot-metadata.ts';
export { checkRights } from './take-over/check-rights.ts';
export { inShort, isNothing, planTakeOver, type TakeOverPlan } from './take-over/plan-take-over.ts';
export {
  bindingsOf,
  findReference,
  type ReferenceInstallation,
  withOwnAccounts,
} from './take-over/reference-installation.ts';
export { refuseRelease } from './take-over/refuse-release.ts';
export { recordName } from './take-over/replaced-record.ts';
export { takeOver } from './take-over/take-over.ts';
export { type Ending, titleOfWork, type UnfinishedWork, type Worker } from './take-over/unfinished-work.ts';
export { type ClusterRoleBinding, wideBindings } from './take-over/wide-bindings.ts';
export { definitionType } from './uninstall/custom-kinds.ts';
export { endMovements } from './uninstall/end-movements.ts';
export { findInstallation, type Installation } from './uninstall/find-installation.ts';
export { describeForeign } from './uninstall/foreign/describe-foreign.ts';
export { leftoversOf } from './uninstall/leftovers.ts';
export { removeInstallation } from './uninstall/remove-installation.ts';
export { saveRepositoryPassword } from './uninstall/save-password.ts';
