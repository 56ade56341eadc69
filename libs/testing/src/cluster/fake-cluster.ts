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

/** One change of the stored objects; `previous` is the object before. */
export interface StoredChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Unstructured;
  readonly previous: Unstructured | undefined;
}

/** After this number of event loop rounds, a system that still makes calls counts as endless. */
const settleRoundsMax = 2_000;

/**
 * An API server in memory, with the semantics that controllers depend on; it passes the same conformance suite as the
 * real one (`describeKubeApi`). It is a KubeApi: pass it to the code under test. Its additional methods (`find`, `put`,
 * `remove`, `setPodPhase` …) are for the test: synchronous, not recorded, not intercepted.
 */
export class FakeCluster implements KubeApi {
  readonly #state: ServerState;
  readonly #watches: Watches;
  readonly #interceptors: Interceptor[] = [];
  readonly #calls: ApiCall[] = [];
  #activity = 0;
  readonly podLogs: FakePodLogs;
  /** Simulates commands in containers; every command succeeds until a test sets its result. */
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

  /** The result of discovery: the kinds of api-types, of the definitions, and of every stored object. */
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

  /** Number of open watches. */
  get openWatches(): number {
    return this.#watches.open;
  }

  /** The current object. */
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

  /** The same without copies, for actors that read often: read only. */
  look<T extends KubeObject>(type: ResourceType<T>, namespace?: string): readonly T[] {
    const entries = this.#state.store.entries(typeKeyOf(type));
    const inside = namespace === undefined ? entries : entries.filter(({ key }) => key.namespace === namespace);
    return inside.map(({ object }) => object as unknown as T);
  }

  /** Every object of every kind; for checks that nothing remains. */
  everything(): Unstructured[] {
    return this.#state.store.all().map((entry) => JSON.parse(entry.text));
  }

  /** Stores objects unchanged, status included, replacing existing ones; creates their namespaces. */
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

  /** Changes one object through a function on a copy. @throws Error when it does not exist */
  change<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, edit: (object: T) => void): this {
    const entry = this.#state.store.get(typeKeyOf(type), key);
    if (entry === undefined) throw new Error(`there is no ${type.kind} ${key.namespace ?? ''}/${key.name} to change`);
    const object = exactCopy(entry);
    edit(object as unknown as T);
    this.#state.store.put(entry.typeKey, key, object);
    return this;
  }

  /**
   * Calls the listener for every change of the stored objects, at once and in order. The objects are the store's own: read only.
   * Returns a function that ends this.
   */
  onChange(listener: (change: StoredChange) => void): () => void {
    return this.#state.store.onChange(({ type, entry, before }) =>
      listener({ type, object: entry.object, previous: before?.object }),
    );
  }

  /** Removes one object at once, regardless of finalizers; its dependents are deleted, too. */
  remove(type: ResourceType, key: ObjectKey): this {
    const last = this.#state.store.remove(typeKeyOf(type), key);
    if (last !== undefined) collectGarbageOf(this.#state, last);
    return this;
  }

  /** Simulates the kubelet: sets the phase of a pod, with matching container states. */
  setPodPhase(key: ObjectKey, phase: string, end: PodEnd = {}): this {
    setPodPhase(this.#state, key, phase, end);
    return this;
  }

  /** Sets the log of the pod's containers (or of one of them). Read it through {@link podLogs}. */
  setPodLog(key: ObjectKey, text: string, container?: string): this {
    this.podLogs.set(key, text, container);
    return this;
  }

  /** Makes the next matching call fail. An error code creates a KubeError with that code. */
  failOnce(verb: Verb, match: CallMatch, error: InjectedError): this {
    return this.failTimes(1, verb, match, error);
  }

  failTimes(times: number, verb: Verb, match: CallMatch, error: InjectedError): this {
    this.#interceptors.push(failing(verb, match, error, times));
    return this;
  }

  /** Wraps every call from now on, inside earlier interceptors. Returns a function that removes it. */
  intercept(interceptor: Interceptor): () => void {
    this.#interceptors.push(interceptor);
    return () => {
      const at = this.#interceptors.indexOf(interceptor);
      if (at >= 0) this.#interceptors.splice(at, 1);
    };
  }

  /** Drops the history: watches from older versions and continued lists get 410. Open watches continue. */
  compact(): this {
    this.#state.store.compact();
    return this;
  }

  /** Ends all open watches: `normally` as after timeoutSeconds, otherwise with an error (default: a reset connection). */
  closeWatches(how: 'normally' | { error?: unknown } = 'normally'): this {
    this.#watches.close(how === 'normally' ? undefined : (how.error ?? brokenConnection()));
    return this;
  }

  /** Sends every open watch a bookmark. */
  bookmark(): this {
    this.#watches.bookmark();
    return this;
  }

  /** Hides the events for which `drop` returns true from watchers. Returns a function that ends this. */
  dropEvents(drop: DropEvent): () => void {
    this.#watches.drops.add(drop);
    return () => this.#watches.drops.delete(drop);
  }

  /** Deletes every object whose owners are all gone, like the garbage collector. */
  collectGarbage(): this {
    collectAllGarbage(this.#state);
    return this;
  }

  /**
   * Runs all work that needs no time to pass, and collects garbage, until no call and no change happens any more.
   * @throws Error when the system does not become idle
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
