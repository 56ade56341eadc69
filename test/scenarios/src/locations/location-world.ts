import {
  type BackupStorageLocation,
  backupStorageLocationType,
  eventType,
  repositoryCredentials,
  secretType,
} from '@lateen/api-types';
import { eventRecorder } from '@lateen/kube-runtime';
import { type LocationReadings, type LocationSettings, runLocationControllers } from '@lateen/locations';
import type { ObjectStore } from '@lateen/object-store';
import { providerUnsupported, type StoreLocation } from '@lateen/storage-location';
import {
  aBackupStorageLocation,
  aSecret,
  FakeClock,
  type FakeCluster,
  fakeCluster,
  type RecordingLog,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { expect, onTestFinished } from 'vitest';

export const namespace = 'velero';
/** Part of every Secret of these tests; must appear nowhere else. */
export const secretValue = 'SECRETSECRETSECRET';
export const goodKeys = `[default]\naws_access_key_id=A\naws_secret_access_key=${secretValue}\n`;

/** The installation's own Secret. */
export const cloudSecret = (text = goodKeys, name = 'cloud-credentials') =>
  aSecret({ name, namespace, values: { cloud: text } });

/** A location that was never validated. */
export const aLocation = (name = 'default', spec: Partial<BackupStorageLocation['spec']> = {}) =>
  aBackupStorageLocation({ name, phase: undefined, spec });

/** What a store answers: its top-level directories, an error, or nothing. */
export type Answer = readonly string[] | Error | 'hang' | 'hang, deaf to the signal';

export interface Validation {
  location: string;
  bucket: string;
  readOnly: boolean;
  /** The rate that the store was opened with. */
  uploadBytesPerSecond: number | undefined;
  /** The key that the store was opened with. */
  customerKey: Uint8Array | undefined;
  atMs: number;
}

/** The controllers of locations, an API server in memory, and stores that answer as the test says. */
export interface LocationWorld {
  clock: FakeClock;
  cluster: FakeCluster;
  log: RecordingLog;
  /** Answers by location; others answer with only the directories of a valid location. */
  answers: Map<string, Answer>;
  /** Each listing of a store so far. */
  validations: Validation[];
  /** Calls of stores that are not listings. */
  otherStoreCalls: string[];
  /** Stores open now. */
  readonly open: number;
  /** Starts a new process; the earlier one has ended. */
  start(settings?: LocationSettings): Promise<void>;
  stop(): Promise<void>;
  status(name?: string): BackupStorageLocation['status'];
  location(name?: string): BackupStorageLocation | undefined;
  /** `reason: message` of the Events on a location, oldest first. */
  events(name?: string): string[];
  /** API calls as `verb resource`, except the calls of informers, calls on Events, and reads of the repository password. */
  calls(): string[];
  readings(): LocationReadings;
}

export function locationWorld(...objects: (BackupStorageLocation | ReturnType<typeof aSecret>)[]): LocationWorld {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects });
  const log = recordingLog();
  const stores = scriptedStores(clock);
  let running: { stop: AbortController; done: Promise<void> } | undefined;
  let read: (() => LocationReadings) | undefined;
  const world: LocationWorld = {
    clock,
    cluster,
    log,
    ...stores.seen,
    get open() {
      return stores.open();
    },
    start: async (settings = {}) => {
      await world.stop();
      const stop = new AbortController();
      const ports = { clock, random: seededRandom(3), log };
      const events = eventRecorder({ api: cluster, component: 'lateen-controller', host: 'controller-0', ...ports });
      const done = runLocationControllers(
        {
          kube: cluster,
          namespace,
          ...ports,
          listAccountKey: async () => undefined,
          openStore: stores.openStore,
          openRepository: () => Promise.reject(new Error('these tests have no repositories')),
          tell: (subject, reason, message, type) => events.record(subject, reason, message, { type }),
          observer: { readings: (reading) => (read = reading), validated: () => {}, removed: () => {} },
          ...settings,
        },
        stop.signal,
      );
      running = { stop, done };
      await cluster.settle();
    },
    stop: async () => {
      running?.stop.abort(new Error('the process ends'));
      await running?.done;
      running = undefined;
    },
    location: (name = 'default') => cluster.find(backupStorageLocationType, { namespace, name }),
    status: (name) => world.location(name)?.status,
    events: (name = 'default') =>
      cluster
        .all(eventType)
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason, message }) => `${reason}: ${message}`),
    calls: () =>
      cluster.calls
        .filter(({ verb, type }) => !['list', 'watch'].includes(verb) && type.resource !== eventType.resource)
        .filter(({ key }) => key.name !== repositoryCredentials.name)
        .map(({ verb, type }) => `${verb} ${type.resource}`),
    readings: () => {
      if (read === undefined) throw new Error('the controllers were not started');
      return read();
    },
  };
  onTestFinished(async () => {
    await world.stop();
    expectNoSecrets(world);
  });
  return world;
}

function scriptedStores(clock: FakeClock) {
  const seen: Pick<LocationWorld, 'answers' | 'validations' | 'otherStoreCalls'> = {
    answers: new Map(),
    validations: [],
    otherStoreCalls: [],
  };
  let opened = 0;
  const openStore = (location: StoreLocation): ObjectStore => {
    if (location.provider === 'plugin') throw providerUnsupported(location.plugin);
    const { name, bucket, readOnly, uploadBytesPerSecond } = location;
    const customerKey = location.provider === 's3' ? location.customerKey : undefined;
    opened += 1;
    const refuse = (call: string) => (): never => {
      seen.otherStoreCalls.push(call);
      throw new Error(`${call} is not part of a validation`);
    };
    return {
      listCommonPrefixes: (_, { signal } = {}) => {
        const atMs = clock.monotonicMs();
        seen.validations.push({ location: name, bucket, readOnly, uploadBytesPerSecond, customerKey, atMs });
        return answerOf(seen.answers.get(name) ?? ['backups', 'kopia'], signal);
      },
      list: refuse('list'),
      exists: refuse('exists'),
      get: refuse('get'),
      put: refuse('put'),
      read: refuse('read'),
      write: refuse('write'),
      endAbandonedWrites: refuse('endAbandonedWrites'),
      delete: refuse('delete'),
      signedUrl: refuse('signedUrl'),
      close: async () => {
        opened -= 1;
      },
    };
  };
  return { seen, openStore, open: () => opened };
}

async function answerOf(answer: Answer, signal: AbortSignal | undefined): Promise<string[]> {
  if (answer instanceof Error) throw answer;
  if (typeof answer !== 'string') return [...answer];
  return await new Promise((_, reject) => {
    if (answer === 'hang') signal?.addEventListener('abort', () => reject(signal.reason));
  });
}

/** Logs, Events, statuses and what was sent contain no value of a Secret. A spec is what the user wrote. */
function expectNoSecrets({ cluster, log }: LocationWorld): void {
  const others = cluster
    .everything()
    .filter(({ kind }) => kind !== secretType.kind)
    .map(({ spec: _, ...rest }) => rest);
  const bodies = cluster.calls.map(({ body }) => body);
  expect(JSON.stringify([others, bodies, log.lines])).not.toContain(secretValue);
}
