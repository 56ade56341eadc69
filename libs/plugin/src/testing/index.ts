export {
  aConfigMap,
  aNamespace,
  aPod,
  aSecret,
  FakeClock,
  FakeCluster,
  fakeCluster,
  type LogLine,
} from '@lateen/testing';
export type {
  BackupItemActionUnderTest,
  DeleteItemActionUnderTest,
  ItemBlockActionUnderTest,
  RestoreItemActionUnderTest,
} from './actions-under-test.ts';
export type { PluginUnderTest } from './plugin-under-test.ts';
export { type ProgramOptions, type RunningProgram, runAsProgram } from './run-as-program.ts';
export type { ObjectStoreUnderTest, VolumeSnapshotterUnderTest } from './stores-under-test.ts';
export { type TestedPlugin, type TestPluginOptions, testPlugin } from './test-plugin.ts';
export { testBackup, testRestore } from './test-runs.ts';
