import { type Namespace, namespaceType, type Unstructured } from '@lateen/api-types';
import type { RestoreItemOutcome } from '@lateen/backup-store';
import { AppError, isAppError } from '@lateen/errors';
import { retry } from '@lateen/kernel';
import { isAlreadyExists, readObject } from '@lateen/kube';
import { waitGone } from '@lateen/kube-runtime';
import type { CatalogItem, RestoreEnginePorts, RestoreEngineRequest } from './contract.ts';
import type { TargetNamespaces } from './item-run.ts';
import { writeRetries } from './write-retries.ts';

/** How often a namespace may be deleted and created again meanwhile; more often is not a coincidence. */
const triesMax = 5;

type NamespacePorts = Pick<RestoreEnginePorts, 'kube' | 'clock' | 'random' | 'log' | 'dryRun' | 'limits'>;
type NamespaceRequest = Pick<RestoreEngineRequest, 'restore' | 'catalog'>;

/** The namespaces into which objects are restored: each is read, waited for and created once in a restore. */
export class RestoredNamespaces implements TargetNamespaces {
  readonly #ports: NamespacePorts;
  readonly #request: NamespaceRequest;
  readonly #onCreated: (outcome: RestoreItemOutcome) => void;
  readonly #mapping: ReadonlyMap<string, string>;
  readonly #ensured = new Map<string, Promise<void>>();
  readonly #planned = new Set<string>();

  constructor(ports: NamespacePorts, request: NamespaceRequest, onCreated: (outcome: RestoreItemOutcome) => void) {
    this.#ports = ports;
    this.#request = request;
    this.#onCreated = onCreated;
    this.#mapping = new Map(Object.entries(request.restore.spec.namespaceMapping ?? {}));
  }

  mapped(namespace: string): string {
    return this.#mapping.get(namespace) ?? namespace;
  }

  isPlanned(target: string): boolean {
    return this.#planned.has(target);
  }

  /** @param onWait called once when the namespace is terminating, which may take long */
  ensure(target: string, signal: AbortSignal, onWait: () => void = () => {}): Promise<void> {
    const known = this.#ensured.get(target);
    if (known !== undefined) return known;
    const ensuring = retry(this.#ports, writeRetries, () => this.#ensure(target, onWait, signal), signal);
    // Prevents an unhandled rejection: every object of the namespace reports the error, but the first may not await it.
    ensuring.catch(() => {});
    this.#ensured.set(target, ensuring);
    return ensuring;
  }

  /** @throws NAMESPACE_TERMINATING, KUBE_… */
  async #ensure(target: string, onWait: () => void, signal: AbortSignal): Promise<void> {
    const { kube, dryRun } = this.#ports;
    for (let tries = 1; ; tries++) {
      const there = await readObject(kube, namespaceType, { name: target }, signal);
      if (there !== undefined && !isTerminating(there)) return;
      // A plan assumes that a terminating namespace is gone, and the API server cannot be asked about that state.
      const isAsked = there === undefined || !dryRun;
      if (there !== undefined && !dryRun) {
        onWait();
        await this.#gone(there, signal);
      }
      try {
        await this.#create(target, isAsked, signal);
        return;
      } catch (error) {
        if (!isAlreadyExists(error) || tries >= triesMax) throw error;
      }
    }
  }

  async #gone(namespace: Namespace, signal: AbortSignal): Promise<void> {
    const { terminatingTimeoutMs: timeoutMs } = this.#ports.limits;
    const { name = '' } = namespace.metadata;
    this.#ports.log.info(
      { resource: 'namespaces', name },
      'namespace is being deleted; the restore waits until it is gone',
    );
    try {
      await waitGone(this.#ports, namespaceType, namespace, { timeoutMs, signal });
    } catch (error) {
      if (!isAppError(error, 'STILL_THERE')) throw error;
      const text = `timed out waiting for terminating namespace to disappear before restoring: ${name}`;
      throw new AppError('NAMESPACE_TERMINATING', text, {
        cause: error,
        nextStep:
          'See status.conditions of the namespace for the cause. --terminating-resource-timeout gives it more time.',
      });
    }
  }

  async #create(target: string, isAsked: boolean, signal: AbortSignal): Promise<void> {
    const { kube, log, dryRun } = this.#ports;
    const { source, stored } = await this.#stored(target, signal);
    const { labels, annotations } = stored?.metadata ?? {};
    const namespace: Unstructured = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: target, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
      ...(stored?.spec === undefined ? {} : { spec: stored.spec }),
    };
    const options = { signal, ...(dryRun ? { dryRun } : {}) };
    if (isAsked) await kube.create(namespaceType, namespace as Namespace, options);
    if (dryRun) this.#planned.add(target);
    else log.info({ resource: 'namespaces', name: target }, 'namespace was created');
    this.#onCreated({
      apiVersion: 'v1',
      kind: 'Namespace',
      name: target,
      ...(source === target ? {} : { sourceName: source }),
      act: 'create',
    });
  }

  /** The Namespace of the backup that is restored as this one; the backup may lack it. */
  async #stored(target: string, signal: AbortSignal): Promise<{ source: string; stored: Unstructured | undefined }> {
    const { catalog } = this.#request;
    const sources = [...this.#mapping].filter(([, to]) => to === target).map(([from]) => from);
    const candidates = [...sources, ...(this.#mapping.has(target) ? [] : [target])];
    for (const source of candidates) {
      const item = catalog.find({ group: '', resource: 'namespaces', name: source });
      if (item !== undefined) return { source, stored: await this.#readStored(item, signal) };
    }
    return { source: candidates[0] ?? target, stored: undefined };
  }

  async #readStored(item: CatalogItem, signal: AbortSignal): Promise<Unstructured | undefined> {
    try {
      return await this.#request.catalog.read(item, signal);
    } catch (error) {
      signal.throwIfAborted();
      const fields = { resource: 'namespaces', name: item.name, err: error };
      this.#ports.log.warn(fields, 'namespace of the backup cannot be read, its labels and annotations are missing');
      return undefined;
    }
  }
}

const isTerminating = ({ metadata, status }: Namespace): boolean =>
  metadata.deletionTimestamp !== undefined || status?.phase === 'Terminating';
