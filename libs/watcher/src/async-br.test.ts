import type { CoreEvent, Pod } from '@lateen/api-types';
import { type AsyncBR, canceledSuffix, type DataPathCallbacks } from '@lateen/datapath';
import { type Direction, describeAsyncBR } from '@lateen/datapath/conformance';
import type { Change } from '@lateen/kube-runtime';
import { aPod, FakeClock, letWorkRun, recordingLog } from '@lateen/testing';
import { type KeyedFeed, keyedFeed } from './keyed-feed.ts';
import { eventFeedKey, podFeedKey } from './subject.ts';
import { watchHostingPod } from './watch-hosting-pod.ts';
import type { HostingPod } from './watch-options.ts';

const subject = { kind: 'DataUpload', namespace: 'velero', name: 'x', uid: 'cr-1' };
const point = { byPath: '/cr-1', volumeMode: 'Filesystem' as const };
const results = {
  backup: { snapshotID: 'id', emptySnapshot: false, source: point, totalBytes: 10, incrementalBytes: 3 },
  restore: { target: point, totalBytes: 10 },
};

/** A feed that counts its listeners. */
function countedFeed<T extends Pod | CoreEvent>(keyOf: (object: T) => string) {
  const objects = new Map<string, T>();
  let tell: (change: Change<T>) => void = () => {};
  const inner = keyedFeed<T>(
    {
      list: () => [...objects.values()],
      onChange: (handler) => {
        tell = handler;
        return () => {};
      },
    },
    keyOf,
  );
  let listeners = 0;
  const feed: KeyedFeed<T> = {
    current: inner.current,
    subscribe: (key, handler) => {
      listeners++;
      const unsubscribe = inner.subscribe(key, handler);
      return () => {
        listeners--;
        unsubscribe();
      };
    },
  };
  const put = (object: T) => {
    objects.set(object.metadata.name ?? '', object);
    tell({ type: 'added', object });
  };
  return { feed, put, listeners: () => listeners };
}

/** The hosting pod with its mover: it starts when the node-agent has started, and reports like the real one. */
class ActedMover {
  readonly clock = new FakeClock();
  readonly pods = countedFeed<Pod>(podFeedKey);
  readonly events = countedFeed<CoreEvent>(eventFeedKey);
  #state: 'waits' | 'runs' | 'ended' = 'waits';

  constructor() {
    this.pods.put(aPod({ name: 'x', uid: 'pod-1', phase: 'Running', ...this.#containerState({ running: {} }) }));
  }

  begin(): void {
    if (this.#state !== 'waits') return;
    this.#state = 'runs';
    this.#tell('Data-Path-Started', 'Data path for x started');
  }
  progress(totalBytes: number, doneBytes: number): void {
    this.#tell('Data-Path-Progress', JSON.stringify({ totalBytes, doneBytes }));
  }
  complete(direction: Direction): void {
    const text = JSON.stringify(results[direction]);
    this.#tell('Data-Path-Completed', text);
    this.#end(0, text);
  }
  fail(message: string): void {
    this.#tell('Data-Path-Failed', `Data path for data upload x failed, error ${message}`);
    this.#end(1, message);
  }
  cancel(): void {
    if (this.#state === 'ended') return;
    this.#tell('Data-Path-Canceled', 'Data path for data upload x canceled');
    this.#end(1, `Failed to run data path service for DataUpload x: ${canceledSuffix}`);
  }

  #tell(reason: string, message: string): void {
    const { namespace } = subject;
    const metadata = { namespace, name: reason };
    this.events.put({ apiVersion: 'v1', kind: 'Event', metadata, involvedObject: subject, reason, message });
  }

  #end(exitCode: number, message: string): void {
    this.#state = 'ended';
    const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
    const state = { terminated: { exitCode, message } };
    this.pods.put(aPod({ name: 'x', uid: 'pod-1', phase, ...this.#containerState(state) }));
  }

  #containerState(state: object): { status: Partial<NonNullable<Pod['status']>> } {
    return { status: { containerStatuses: [{ name: 'mover', state }] } };
  }
}

function setUp(callbacks: DataPathCallbacks) {
  const mover = new ActedMover();
  const { clock } = mover;
  let [blocked, started, copies] = [false, false, 0];
  const watcher = watchHostingPod({
    subject,
    pods: { ...mover.pods.feed, current: (key) => (blocked ? [] : mover.pods.feed.current(key)) },
    events: mover.events.feed,
    readPod: (_, signal) =>
      new Promise((_resolve, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    logs: {
      repeat: async (_pod, _container, _fields, { ended }) => {
        copies++;
        if (!ended.aborted) await new Promise((resolve) => ended.addEventListener('abort', resolve));
        copies--;
      },
    },
    logFields: {},
    needsPodEnd: true,
    callbacks,
    clock,
    log: recordingLog(),
  });
  const path: AsyncBR<HostingPod, undefined> = {
    ...watcher,
    startBackup: async (config, param) => {
      await watcher.startBackup(config, param);
      started = true;
    },
    startRestore: async (id, config, param) => {
      await watcher.startRestore(id, config, param);
      started = true;
    },
  };
  return {
    path,
    exposed: { namespace: 'velero', name: 'x', container: 'mover' },
    param: undefined,
    engine: mover,
    cancel: () => {
      path.cancel();
      mover.cancel();
    },
    blockInit: () => {
      blocked = true;
    },
    settle: async () => {
      if (started) mover.begin();
      await letWorkRun();
    },
    held: () => mover.pods.listeners() + mover.events.listeners() + copies,
  };
}

describeAsyncBR('seen from outside', setUp);
