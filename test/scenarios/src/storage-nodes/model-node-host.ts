import {
  type Call,
  type DiskFacts,
  type HostInfo,
  hostError,
  hostSilentMs,
  type Instance,
  type InstanceEvent,
  type InstanceHost,
  type ReplicaFolder,
} from '@lateen/block-engine';
import type { Clock } from '@lateen/kernel';

/** What is mounted at a path of a node. */
export interface ModelMount {
  readonly filesystemId: string;
  uuid: string | undefined;
  folders: ReplicaFolder[];
  sizeBytes: bigint;
}

const GiB = 1024n ** 3n;

/** The instance manager of one node, as far as the controllers of nodes use it: its disks, their folders, and running instances. */
export class ModelNodeHost {
  readonly node: string;
  readonly mounts = new Map<string, ModelMount>();
  /** Calls that change something. */
  readonly calls: string[] = [];
  readonly #clock: Clock;
  readonly #watchers = new Set<(event: InstanceEvent) => void>();
  #instances: Instance[] = [];
  #answers = true;

  constructor(node: string, clock: Clock) {
    this.node = node;
    this.#clock = clock;
    this.mount('/var/lib/longhorn/');
  }

  mount(path: string, filesystemId = `fs-${this.node}-${path.replaceAll('/', '')}`): ModelMount {
    const mount: ModelMount = { filesystemId, uuid: undefined, folders: [], sizeBytes: 100n * GiB };
    this.mounts.set(path, mount);
    return mount;
  }

  /** Sets the running instances. */
  run(...instances: readonly Instance[]): void {
    for (const { kind, name } of this.#instances) this.#tell({ type: 'gone', instance: { kind, name } });
    this.#instances = [...instances];
    for (const instance of instances) this.#tell({ type: 'changed', instance });
  }

  setAnswers(answers: boolean): void {
    this.#answers = answers;
    if (!answers) for (const watcher of [...this.#watchers]) watcher({ type: 'heartbeat', atMs: -1 });
  }

  readonly connection = (): { readonly host: InstanceHost; close(): void } => ({ host: this.#host(), close: () => {} });

  #host(): InstanceHost {
    const parts: Partial<InstanceHost> = {
      info: (o) => this.#ask(o, () => this.#info()),
      inspectDisk: (path, o) => this.#ask(o, () => this.#diskFacts(path)),
      registerDisk: ({ path, uuid }, o) =>
        this.#ask(o, () => {
          const mount = this.#mountAt(path);
          if (mount.uuid !== undefined && mount.uuid !== uuid) throw hostError('DISK_FOREIGN', `it is ${mount.uuid}`);
          this.calls.push(`register ${path}`);
          mount.uuid = uuid;
        }),
      listReplicaFolders: (path) => this.#folders(path),
      deleteReplicaData: ({ directory, replica }, o) =>
        this.#ask(o, () => {
          this.calls.push(`delete ${directory} of ${replica}`);
          for (const mount of this.mounts.values())
            mount.folders = mount.folders.filter((folder) => !directory.endsWith(`/${folder.directory}`));
        }),
      stop: ({ kind, name }, o) =>
        this.#ask(o, () => {
          this.calls.push(`stop ${kind} ${name}`);
          this.run(...this.#instances.filter((each) => each.kind !== kind || each.name !== name));
          return { clean: true };
        }),
      watch: ({ signal }) => this.#watch(signal),
    };
    const refuse = () => Promise.reject(hostError('NOT_POSSIBLE_NOW', 'the model does not have it'));
    return new Proxy(parts, { get: (of, name) => Reflect.get(of, name) ?? refuse }) as InstanceHost;
  }

  async #ask<T>({ signal }: Call, act: () => T): Promise<T> {
    if (!this.#answers) await this.#clock.sleep(Number.MAX_SAFE_INTEGER, signal);
    return act();
  }

  #mountAt(path: string): ModelMount {
    const mount = this.mounts.get(path);
    if (mount === undefined) throw new Error(`${path} is not there`);
    return mount;
  }

  #info(): HostInfo {
    const probes = [{ name: 'multipathd', ok: true, message: 'multipathd is not running' }];
    return {
      apiMin: 1,
      apiMax: 1,
      version: '1',
      node: this.node,
      qsdVersion: '7',
      frontends: ['nbdfuse'],
      probes,
      disks: [],
    };
  }

  #diskFacts(path: string): DiskFacts {
    const { filesystemId, uuid, sizeBytes } = this.#mountAt(path);
    return {
      path,
      uuid,
      filesystemId,
      filesystemType: 'xfs',
      maximumBytes: sizeBytes,
      availableBytes: (sizeBytes * 9n) / 10n,
      directIo: true,
      sparseFiles: true,
    };
  }

  async *#folders(path: string): AsyncGenerator<ReplicaFolder> {
    yield* this.#mountAt(path).folders;
  }

  #tell(event: InstanceEvent): void {
    for (const watcher of [...this.#watchers]) watcher(event);
  }

  async *#watch(signal: AbortSignal): AsyncGenerator<InstanceEvent> {
    if (!this.#answers) await this.#clock.sleep(hostSilentMs, signal);
    if (!this.#answers) throw hostError('HOST_UNREACHABLE', 'it does not answer');
    const events: InstanceEvent[] = this.#instances.map((instance) => ({ type: 'changed', instance }));
    events.push({ type: 'synced' });
    let next = Promise.withResolvers<void>();
    const take = (event?: InstanceEvent): void => {
      if (event !== undefined) events.push(event);
      next.resolve();
    };
    const onAbort = (): void => take();
    this.#watchers.add(take);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        signal.throwIfAborted();
        if (!this.#answers) throw hostError('HOST_UNREACHABLE', 'it has fallen silent');
        yield* events.splice(0);
        await next.promise;
        next = Promise.withResolvers();
      }
    } finally {
      this.#watchers.delete(take);
      signal.removeEventListener('abort', onAbort);
    }
  }
}
