import { getValidName, labels, type Pod, podType, type Restore } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import {
  type RestoreHookRuns,
  type RestoreHookRunsPorts,
  type RestoreHooksOutcome,
  restoreHookRuns,
} from '@lateen/hooks';
import { listAll } from '@lateen/kube';

/** The exec hooks of restores that have begun in this process and are not at their end. */
export class ExecHooks {
  readonly #ports: RestoreHookRunsPorts;
  readonly #runs = new Map<string, RestoreHookRuns>();

  constructor(ports: RestoreHookRunsPorts) {
    this.#ports = ports;
  }

  /** Those of a restore; the same for each run of it. */
  of(restore: Restore): RestoreHookRuns {
    const known = this.#runs.get(uidOf(restore));
    if (known !== undefined) return known;
    const log = this.#ports.log.child({ restore: restore.metadata.name });
    const made = restoreHookRuns(restore, { ...this.#ports, log });
    this.#runs.set(uidOf(restore), made);
    return made;
  }

  /**
   * Waits until the hooks of a restore have ended, at most `timeoutMs`; safe to repeat, until {@link stop}. Those of a restore that another
   * process has begun are run for all of its pods: nobody knows which have run, so a command may run twice.
   * @throws the signal's reason; what keeps those pods from being listed
   */
  async finish(restore: Restore, timeoutMs: number, signal: AbortSignal): Promise<RestoreHooksOutcome> {
    const isKnown = this.#runs.has(uidOf(restore));
    const runs = this.of(restore);
    if (!isKnown) for (const pod of await this.#podsOf(restore, signal)) runs.podCreated({ ...pod });
    return await runs.waitForHooks(timeoutMs, signal);
  }

  /** Forgets those of a restore that has ended, and breaks off what still runs. */
  async stop(restore: Restore): Promise<void> {
    const runs = this.#runs.get(uidOf(restore));
    this.#runs.delete(uidOf(restore));
    await runs?.stop(new AppError('RESTORE_ENDED', 'the restore has ended'));
  }

  /** The controller stops; another runs them again. */
  async end(): Promise<void> {
    const reason = new AppError('CONTROLLER_STOPPED', 'the controller of the restore stops');
    const all = [...this.#runs.values()];
    this.#runs.clear();
    await Promise.all(all.map((runs) => runs.stop(reason)));
  }

  /** A restore of the same name that is gone may have left some. */
  async #podsOf({ metadata }: Restore, signal: AbortSignal): Promise<Pod[]> {
    const labelSelector = `${labels.restoreName}=${getValidName(metadata.name ?? '')}`;
    const { items } = await listAll(this.#ports.kube, podType, { labelSelector, signal });
    const sinceMs = Date.parse(metadata.creationTimestamp ?? '');
    return items.filter((pod) => !(Date.parse(pod.metadata.creationTimestamp ?? '') < sinceMs));
  }
}

const uidOf = ({ metadata }: Restore): string => metadata.uid ?? '';
