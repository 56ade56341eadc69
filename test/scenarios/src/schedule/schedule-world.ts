import { annotations, type Backup, backupType, type Schedule, scheduleType } from '@lateen/api-types';
import { informer } from '@lateen/kube-runtime';
import { backupIndexers, runScheduleController } from '@lateen/schedule';
import { FakeClock, type FakeCluster, fakeCluster, recordingLog, seededRandom } from '@lateen/testing';
import { onTestFinished } from 'vitest';
import { type Death, type Mortality, mortalKube } from '../world/mortal-kube.ts';

export const namespace = 'velero';

/** A clock whose date the test can set. */
export class SettableClock extends FakeClock {
  #setMs = 0;

  override now(): number {
    return super.now() + this.#setMs;
  }

  setBy(ms: number): void {
    this.#setMs += ms;
  }
}

export const aSchedule = (
  name: string,
  spec: Partial<Schedule['spec']> = {},
  parts: { status?: Schedule['status']; annotations?: Record<string, string>; uid?: string } = {},
): Schedule => ({
  apiVersion: 'velero.io/v1',
  kind: 'Schedule',
  metadata: {
    name,
    namespace,
    uid: parts.uid ?? `uid-of-${name}`,
    creationTimestamp: '2030-01-01T00:00:00Z',
    ...(parts.annotations === undefined ? {} : { annotations: parts.annotations }),
  },
  spec: { schedule: '0 * * * *', template: { includedNamespaces: ['shop'] }, ...spec },
  ...(parts.status === undefined ? {} : { status: parts.status }),
});

export const jitter = (text: string) => ({ [annotations.jitter]: text });

export interface ScheduleWorld {
  clock: SettableClock;
  cluster: FakeCluster;
  /** The latest values of the observer. */
  intervals: Map<string, number | undefined>;
  /** Starts a process, which dies at its n-th write if told so; earlier ones keep running. */
  start(options?: { skipImmediately?: boolean; death?: Death }): { stop(): Promise<void> };
  backups(): string[];
  schedule(name: string): Schedule | undefined;
  setPhase(backup: string, phase: NonNullable<Backup['status']>['phase']): void;
}

/** The controller of schedules on an API server in memory, without a controller of Backups. It is midnight, 1 January 2030. */
export function scheduleWorld(...objects: Schedule[]): ScheduleWorld {
  const clock = new SettableClock();
  const cluster = fakeCluster({ clock, objects });
  const log = recordingLog();
  const intervals = new Map<string, number | undefined>();
  const running: { stop(): Promise<void> }[] = [];
  onTestFinished(async () => {
    await Promise.all(running.map((process) => process.stop()));
  });
  return {
    clock,
    cluster,
    intervals,
    start: ({ skipImmediately = false, death } = {}) => {
      const stop = new AbortController();
      const life: Mortality = { dead: false, writes: 0, death, die: () => endNow() };
      const endNow = () => {
        life.dead = true;
        stop.abort(new Error('the process ends'));
      };
      const base = { kube: mortalKube(cluster, life), clock, random: seededRandom(7), log };
      const informed = { ...base, api: base.kube, namespace };
      const backups = informer({ ...informed, type: backupType, indexers: backupIndexers });
      const options = { ...base, namespace, backups, identity: 'c', scheduleSkipImmediately: skipImmediately };
      const scheduleObserver = { interval: (name: string, ms: number | undefined) => void intervals.set(name, ms) };
      const done = Promise.all([
        backups.run(stop.signal),
        runScheduleController({ ...options, scheduleObserver }, stop.signal),
      ]);
      const process = {
        stop: async () => {
          endNow();
          await done;
        },
      };
      running.push(process);
      return process;
    },
    backups: () => cluster.all(backupType).map(({ metadata }) => metadata.name ?? ''),
    schedule: (name) => cluster.find(scheduleType, { namespace, name }),
    setPhase: (name, phase) => {
      cluster.change(backupType, { namespace, name }, (backup) => {
        backup.status = { ...backup.status, ...(phase === undefined ? {} : { phase }) };
      });
    },
  };
}
