import type { Clock } from '@lateen/kernel';
import type { DiscoveredType, KubeApi, KubeObject, ObjectKey, ResourceType, Unstructured } from '@lateen/kube';
import { keyOf } from '@lateen/kube';
import { letWorkRun } from '../clock/let-work-run.ts';
import { establishDefinition } from './definitions.ts';
import { fakeApi } from './fake-api.ts';
import { type FakeClusterOptions, serverState } from './fake-cluster-options.ts';
import { collectAllGarbage, collectGarbageOf } from './garbage.ts';
import {
  type ApiCall,
  type CallMatch,
  failing,
  type InjectedError,
  type Interceptor,
  type Verb,
} from './interceptors.ts';
import { servedTypes } from './known-types.ts';
import { fillNamespace } from './namespace-contents.ts';
import { type PodEnd, setPodPhase } from './pod-actor.ts';
import { FakePodExec } from './pod-exec.ts';
import { FakePodLogs } from './pod-log.ts';
import { completeObject, namespaceNamed } from './seed-object.ts';
import type { ServerState } from './server-state.ts';
import { exactCopy, typeKeyOf, typeKeyOfObject } from './store.ts';
import { brokenConnection, type DropEvent, Watches } from './watches.ts';

/** One change of the stored objects; `previous` is what was there before. */
export interface StoredChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Unstructured;
  readonly previous: Unstructured | undefined;
}

/** Rounds of the event loop after which a system that still makes calls counts as running in circles. */
const settleRoundsMax = 2_000;

/**
 * An API server in memory, with the semantics that controllers depend on; it passes the same conformance suite as the
 * real one (`describeKubeApi`). It is a KubeApi: hand it to the code under test. What it adds (`find`, `put`,
 * `remove`, `setPodPhase` …) is for the test: synchronous, not recorded, not intercepted.
 */
export class FakeCluster implements KubeApi {
  readonly #state: ServerState;
  readonly #watches: Watches;
  readonly #interceptors: Interceptor[] = [];
  readonly #calls: ApiCall[] = [];
  #activity = 0;
  readonly podLogs: FakePodLogs;
  /** Commands in containers; everything succeeds until a test plays them. */
  readonly podExec: FakePodExec;
  readonly get: KubeApi['get'];
  readonly list: KubeApi['list'];
  readonly watch: KubeApi['watch'];
  readonly create: KubeApi['create'];
  readonly update: KubeApi['update'];
  readonly patch: KubeApi['patch'];
  readonly delete: KubeApi['delete'];

  constructor(options: FakeClusterOptions = {}) {
    const state = serverState(options);
    this.#state = state;
    this.#watches = new Watches(state);
    this.podLogs = new FakePodLogs(state);
    this.podExec = new FakePodExec(state);
    const record = (call: ApiCall) => {
      this.#activity += 1;
      this.#calls.push(call);
    };
    const api = fakeApi(state, this.#watches, { interceptors: this.#interceptors, record });
    ({ get: this.get, list: this.list, watch: this.watch } = api);
    ({ create: this.create, update: this.update, patch: this.patch, delete: this.delete } = api);
    state.store.onChange((change) => {
      this.#activity += 1;
      establishDefinition(state, change);
      fillNamespace(state, change);
    });
    this.put(...['default', 'kube-system', 'velero'].map(namespaceNamed), ...(options.objects ?? []));
  }

  /** What discovery finds: the kinds of api-types, of the definitions, and of every object that is there. */
  async resourceTypes(): Promise<readonly DiscoveredType[]> {
    return servedTypes(this);
  }

  get clock(): Clock {
    return this.#state.clock;
  }

  get strict(): boolean {
    return this.#state.strict;
  }

  /** Every request so far, oldest first. */
  get calls(): readonly ApiCall[] {
    return this.#calls;
  }

  /** Watches that are open now. */
  get openWatches(): number {
    return this.#watches.open;
  }

  /** The object as it is now. */
  find<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): T | undefined {
    const entry = this.#state.store.get(typeKeyOf(type), key);
    return entry === undefined ? undefined : JSON.parse(entry.text);
  }

  /** All objects of a kind, by namespace and name. */
  all<T extends KubeObject>(type: ResourceType<T>, namespace?: string): T[] {
    const entries = this.#state.store.entries(typeKeyOf(type));
    return entries
      .filter((e) => namespace === undefined || e.key.namespace === namespace)
      .map((e) => JSON.parse(e.text));
  }

  /** The same without copies, for actors that look often: only to look at. */
  look<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly T[] {
    const entries = this.#state.store.entries(typeKeyOf(type));
    const inside = namespace === undefined ? entries : entries.filter(({ key }) => key.namespace === namespace);
    return inside.map(({ object }) => object as unknown as T);
  }

  /** Every object of every kind; for checks that nothing is left. */
  everything(): Unstructured[] {
    return this.#state.store.all().map((entry) => JSON.parse(entry.text));
  }

  /** Stores objects as they are, status included, over what is there; makes their namespaces. */
  put(...objects: readonly KubeObject[]): this {
    for (const object of objects) {
      const { namespace } = object.metadata;
      if (namespace !== undefined && this.#state.store.get('/Namespace', { name: namespace }) === undefined) {
        this.put(namespaceNamed(namespace));
      }
      const typeKey = typeKeyOfObject(object);
      const before = this.#state.store.get(typeKey, keyOf(object));
      this.#state.store.put(typeKey, keyOf(object), completeObject(this.#state, object, before));
    }
    return this;
  }

  /** Changes one object in place, by a function on a copy. @throws Error when it does not exist */
  change<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, edit: (object: T) => void): this {
    const entry = this.#state.store.get(typeKeyOf(type), key);
    if (entry === undefined) throw new Error(`there is no ${type.kind} ${key.namespace ?? ''}/${key.name} to change`);
    const object = exactCopy(entry);
    edit(object as unknown as T);
    this.#state.store.put(entry.typeKey, key, object);
    return this;
  }

  /**
   * Tells of every change of what is stored, at once and in order. The objects are the store's own: only look at them.
   * Returns how to end that.
   */
  onChange(listener: (change: StoredChange) => void): () => void {
    return this.#state.store.onChange(({ type, entry, before }) =>
      listener({ type, object: entry.object, previous: before?.object }),
    );
  }

  /** Takes one object away at once, finalizers or not; what it owned goes too. */
  remove(type: ResourceType, key: ObjectKey): this {
    const last = this.#state.store.remove(typeKeyOf(type), key);
    if (last !== undefined) collectGarbageOf(this.#state, last);
    return this;
  }

  /** The kubelet's part: moves a pod to a phase, with the container states that belong to it. */
  setPodPhase(key: ObjectKey, phase: string, end: PodEnd = {}): this {
    setPodPhase(this.#state, key, phase, end);
    return this;
  }

  /** What the pod's containers (or one of them) have written. Read it through {@link podLogs}. */
  setPodLog(key: ObjectKey, text: string, container?: string): this {
    this.podLogs.set(key, text, container);
    return this;
  }

  /** The next matching call fails. An error code makes a KubeError of that code. */
  failOnce(verb: Verb, match: CallMatch, error: InjectedError): this {
    return this.failTimes(1, verb, match, error);
  }

  failTimes(times: number, verb: Verb, match: CallMatch, error: InjectedError): this {
    this.#interceptors.push(failing(verb, match, error, times));
    return this;
  }

  /** Stands around every call from now on, inside earlier ones. Returns how to take it away. */
  intercept(interceptor: Interceptor): () => void {
    this.#interceptors.push(interceptor);
    return () => {
      const at = this.#interceptors.indexOf(interceptor);
      if (at >= 0) this.#interceptors.splice(at, 1);
    };
  }

  /** Forgets history: watches from older versions and continued lists are told 410. Open watches go on. */
  compact(): this {
    this.#state.store.compact();
    return this;
  }

  /** Ends all open watches: `normally` as after timeoutSeconds, else with an error (default: a reset connection). */
  closeWatches(how: 'normally' | { error?: unknown } = 'normally'): this {
    this.#watches.close(how === 'normally' ? undefined : (how.error ?? brokenConnection()));
    return this;
  }

  /** Sends every open watch a bookmark. */
  bookmark(): this {
    this.#watches.bookmark();
    return this;
  }

  /** Watchers never see the events for which `drop` is true. Returns how to end that. */
  dropEvents(drop: DropEvent): () => void {
    this.#watches.drops.add(drop);
    return () => this.#watches.drops.delete(drop);
  }

  /** Deletes every object whose owners are all gone, as the garbage collector's sweep does. */
  collectGarbage(): this {
    collectAllGarbage(this.#state);
    return this;
  }

  /**
   * Lets everything run that needs no time to pass, and collects garbage, until no call and no change happens any more.
   * @throws Error when it does not come to rest
   */
  async settle(): Promise<void> {
    for (let round = 0; round < settleRoundsMax; round++) {
      const before = this.#activity;
      await letWorkRun();
      collectAllGarbage(this.#state);
      if (this.#activity === before) return;
    }
    const last = this.#calls.slice(-3).map((call) => `${call.verb} ${call.type.resource} ${call.key.name ?? ''}`);
    throw new Error(`the cluster did not come to rest; last calls: ${last.join(', ')}`);
  }
}

export const fakeCluster = (options: FakeClusterOptions = {}): FakeCluster => new FakeCluster(options);
