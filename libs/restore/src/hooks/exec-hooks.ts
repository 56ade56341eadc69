import { getValidName, labels, type Pod, podType, type Restore } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import {
  type RestoreHookRuns,
  type RestoreHookRunsPorts,
  type RestoreHooksOutcome,
  restoreHookRuns,
} from '@lateen/hooks';
import { listAll } from '@lateen/kube';

/** The exec hooks of restores that this process has started and that have not ended. */
export class ExecHooks {
  readonly #ports: RestoreHookRunsPorts;
  readonly #runs = new Map<string, RestoreHookRuns>();

  constructor(ports: RestoreHookRunsPorts) {
    this.#ports = ports;
  }

  /** The hooks of a restore; the same object for each run of it. */
  of(restore: Restore): RestoreHookRuns {
    const known = this.#runs.get(uidOf(restore));
    if (known !== undefined) return known;
    const log = this.#ports.log.child({ restore: restore.metadata.name });
    const made = restoreHookRuns(restore, { ...this.#ports, log });
    this.#runs.set(uidOf(restore), made);
    return made;
  }

  /**
   * Waits until the hooks of a restore have ended, at most `timeoutMs`; safe to repeat, until {@link stop}. When another process started the
   * restore, the hooks of all its pods run: it is unknown which hooks have run already, so a command may run twice.
   * @throws the signal's reason; what prevents listing those pods
   */
  async finish(restore: Restore, timeoutMs: number, signal: AbortSignal): Promise<RestoreHooksOutcome> {
    const isKnown = this.#runs.has(uidOf(restore));
    const runs = this.of(restore);
    if (!isKnown) for (const pod of await this.#podsOf(restore, signal)) runs.podCreated({ ...pod });
    return await runs.waitForHooks(timeoutMs, signal);
  }

  /** Forgets the hooks of a restore that has ended, and aborts those that still run. */
  async stop(restore: Restore): Promise<void> {
    const runs = this.#runs.get(uidOf(restore));
    this.#runs.delete(uidOf(restore));
    await runs?.stop(new AppError('RESTORE_ENDED', 'the restore has ended'));
  }

  /** Call it when the controller stops; the next controller runs the hooks again. */
  async end(): Promise<void> {
    const reason = new AppError('CONTROLLER_STOPPED', 'the controller of the restore stops');
    const all = [...this.#runs.values()];
    this.#runs.clear();
    await Promise.all(all.map((runs) => runs.stop(reason)));
  }

  /** The pods of this restore. Older pods are left out: they are of a deleted restore of the same name. */
  async #podsOf({ metadata }: Restore, signal: AbortSignal): Promise<Pod[]> {
    const labelSelector = `${labels.restoreName}=${getValidName(metadata.name ?? '')}`;
    const { items } = await listAll(this.#ports.kube, podType, { labelSelector, signal });
    const sinceMs = Date.parse(metadata.creationTimestamp ?? '');
    return items.filter((pod) => !(Date.parse(pod.metadata.creationTimestamp ?? '') < sinceMs));
  }
}

const uidOf = ({ metadata }: Restore): string => metadata.uid ?? '';
