export { ModelLink } from './block/model-link.ts';
export { ModelReplica, type ModelReplicaOptions } from './block/model-replica.ts';
export type { ObjectParts } from './builders/built-object.ts';
export { aDataDownload, aDataUpload, aPodVolumeBackup, aPodVolumeRestore } from './builders/data-movement.ts';
export { aBackupRepository, aBackupStorageLocation } from './builders/locations.ts';
export { type ReferenceParts, referenceInstallation } from './builders/reference-installation.ts';
export { aRestoreContext, type RestoreContextParts, restoredBy } from './builders/restore-context.ts';
export { aVolumeSnapshot, aVolumeSnapshotContent } from './builders/snapshots.ts';
export { aPersistentVolume, aPersistentVolumeClaim, aStorageClass } from './builders/volumes.ts';
export { aConfigMap, aDaemonSet, aNamespace, aNode, aPod, aSecret } from './builders/workloads.ts';
export { FakeClock } from './clock/fake-clock.ts';
export { letTimePass } from './clock/let-time-pass.ts';
export { letWorkRun } from './clock/let-work-run.ts';
export { seededRandom } from './clock/seeded-random.ts';
export { FakeCluster, fakeCluster, type StoredChange } from './cluster/fake-cluster.ts';
export type { FakeClusterOptions } from './cluster/fake-cluster-options.ts';
export {
  type ApiCall,
  type CallMatch,
  denying,
  type InjectedError,
  type Interceptor,
  type Verb,
} from './cluster/interceptors.ts';
export { type JobProgram, jobActor, type RunningJob } from './cluster/job-actor.ts';
export type { PodEnd } from './cluster/pod-actor.ts';
export { brokenExec, type ExecRecord, FakePodExec, type PodProgram, type RunningCommand } from './cluster/pod-exec.ts';
export type { BlockEngineUnderTest } from './conformance/block-engine/block-engine-under-test.ts';
export type { KubeApiUnderTest } from './conformance/conformance-subject.ts';
export { describeBlockEngine } from './conformance/describe-block-engine.ts';
export { describeKubeApi } from './conformance/describe-kube-api.ts';
export { describeObjectStore } from './conformance/describe-object-store.ts';
export { describePodExec, type PodExecUnderTest } from './conformance/describe-pod-exec.ts';
export { describePodLogs, type PodLogsUnderTest, type TalkingPod } from './conformance/describe-pod-logs.ts';
export type { ObjectStoreUnderTest } from './conformance/object-store/object-store-under-test.ts';
export { expectRefusesKeys } from './conformance/object-store/refused-keys.ts';
export { expectRefusesOtherRanges } from './conformance/object-store/wrong-ranges.ts';
export { plainHttpTransport } from './http/plain-http-transport.ts';
export { type ServedCluster, serveFakeCluster } from './http/serve-fake-cluster.ts';
export * as behaviours from './http-faults/behaviours.ts';
export { describeKubeApiFaults } from './http-faults/describe-kube-api-faults.ts';
export type { FaultApi, FaultApiOptions, MakeFaultApi } from './http-faults/fault-harness.ts';
export { type Behaviour, type FaultServer, faultServer, type ReceivedRequest } from './http-faults/fault-server.ts';
export { testCertificates } from './http-faults/test-certificates.ts';
export { type LogLine, type RecordingLog, recordingLog } from './log/recording-log.ts';
export { stillHeld } from './memory/still-held.ts';
export { monitoredSeries } from './monitoring/monitored-series.ts';
export {
  type MoverEnd,
  type MoverOptions,
  type MoverPlace,
  type MoverProcess,
  moverObjects,
  startMover,
} from './mover/mover-process.ts';
export {
  type FaultyObjectStore,
  faultyObjectStore,
  type ScriptedFault,
  type StoreCall,
  type StoreFault,
  type StoreOperation,
} from './object-store/faulty-object-store.ts';
export {
  type MemoryObjectStore,
  type MemoryObjectStoreOptions,
  memoryObjectStore,
} from './object-store/memory-object-store.ts';
export { type SecretHit, type SecretSearch, secretSearch } from './secrets/search-secrets.ts';
export { type KnownSecret, type SecretForm, secretForms, secretLengthMin } from './secrets/secret-forms.ts';
export type { ModelDisk } from './storage/model-disk.ts';
export { ModelEngine, modelRebuild } from './storage/model-engine.ts';
export type { ModelHost } from './storage/model-host.ts';
export {
  ModelInstanceHosts,
  type ModelInstanceHostsOptions,
  type ModelNodeState,
  modelInstanceHosts,
} from './storage/model-instance-hosts.ts';
export { modelRestore } from './storage/model-transfers.ts';
export { threadProgram } from './threads/thread-program.ts';
export { MemoryDevices, readContent } from './volume-manager/memory-devices.ts';
export { type ModelDevices, ModelManager, type ModelManagerOptions } from './volume-manager/model-manager.ts';
