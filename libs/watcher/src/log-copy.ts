import type { Clock, LogFields, Logger } from '@lateen/kernel';
import { keyText, type ObjectKey } from '@lateen/kube';
import type { LogRepeater } from './log-repeater.ts';

export interface LogCopyOptions {
  logs: LogRepeater;
  pod: ObjectKey;
  container: string;
  fields: LogFields;
  /** For what is left of the log once the container has ended. */
  timeoutMs: number;
  clock: Clock;
  log: Logger;
}

/**
 * The copy of one pod's log, from the container's start to its end. Never rejects: a log that cannot be copied is
 * reported, and must not turn a good data path into a failed one.
 */
export class LogCopy {
  readonly #options: LogCopyOptions;
  readonly #ended = new AbortController();
  readonly #stop = new AbortController();
  #copy: Promise<void> | undefined;

  constructor(options: LogCopyOptions) {
    this.#options = options;
  }

  /** The container has started. */
  begin(startedAt: string | undefined): void {
    this.#copy ??= this.#run(startedAt);
  }

  /** The container has ended, or its pod is gone: the copy has `timeoutMs` to come to its end. */
  containerEnded(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new DOMException('the container has ended', 'AbortError'));
    const late = this.#options.clock.deadline(this.#options.timeoutMs);
    late.addEventListener('abort', () => this.#stop.abort(late.reason), { once: true });
  }

  /** Resolves when everything written until now is copied. */
  async finish(): Promise<void> {
    this.containerEnded();
    await this.#copy;
  }

  /** Ends the copy as it is: another process makes it anew. */
  async leave(): Promise<void> {
    this.#stop.abort(new DOMException('this process stops', 'AbortError'));
    await this.#copy;
  }

  async #run(startedAt: string | undefined): Promise<void> {
    const { logs, pod, container, fields, log } = this.#options;
    const signal = this.#stop.signal;
    try {
      await logs.repeat(pod, container, fields, { signal, ended: this.#ended.signal, startedAt });
    } catch (error) {
      if (signal.aborted && !this.#ended.signal.aborted) return;
      log.warn({ err: error, pod: keyText(pod) }, 'the log of the hosting pod could not be repeated');
    }
  }
}
