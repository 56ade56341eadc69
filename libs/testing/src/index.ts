export { FakeClock } from './clock/fake-clock.ts';
export { letWorkRun } from './clock/let-work-run.ts';
export { seededRandom } from './clock/seeded-random.ts';
export { FakeCluster, fakeCluster } from './cluster/fake-cluster.ts';
export type { FakeClusterOptions } from './cluster/fake-cluster-options.ts';
export type { ApiCall, CallMatch, InjectedError, Interceptor, Verb } from './cluster/interceptors.ts';
export type { PodEnd } from './cluster/pod-actor.ts';
export { type LogLine, type RecordingLog, recordingLog } from './log/recording-log.ts';
