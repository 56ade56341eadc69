import type { Logger } from '@lateen/kernel';
import type { PresentDaemon } from '@lateen/replica-store';
import type { ReplicaDaemonPort } from './replica-ports.ts';

export interface DaemonLineOptions {
  /** What the keeper knows: false when no process of the replica runs. */
  mayRun(): boolean;
  connect(signal: AbortSignal): Promise<ReplicaDaemonPort>;
  log: Logger;
}

/**
 * The connection to the storage daemon of one replica. A process that may run and cannot be reached is never treated as absent: it can hold files
 * open and serve an engine.
 */
export class DaemonLine {
  readonly #options: DaemonLineOptions;
  #daemon: ReplicaDaemonPort | undefined;
  #connecting: Promise<ReplicaDaemonPort> | undefined;
  /** A process is about to be started: the keeper does not know it yet. */
  #expected = false;

  constructor(options: DaemonLineOptions) {
    this.#options = options;
  }

  present(): PresentDaemon {
    if (this.#daemon !== undefined) return this.#daemon;
    return this.#expected || this.#options.mayRun() ? 'unreachable' : 'none';
  }

  get connected(): ReplicaDaemonPort | undefined {
    return this.#daemon;
  }

  expectStart(): void {
    this.#expected = true;
  }

  /** The keeper has seen that the process ended. */
  gone(): void {
    this.#expected = false;
    this.#daemon = undefined;
  }

  /** One attempt at a time, because a monitor serves one client. @throws as `connectStorageDaemon` */
  async connect(signal: AbortSignal): Promise<ReplicaDaemonPort> {
    if (this.#daemon !== undefined) return this.#daemon;
    this.#connecting ??= this.#options.connect(signal).finally(() => {
      this.#connecting = undefined;
    });
    const daemon = await this.#connecting;
    if (this.#daemon === daemon) return daemon;
    this.#daemon = daemon;
    void daemon.closed.then((cause) => {
      if (this.#daemon === daemon) this.#daemon = undefined;
      this.#options.log.info({ err: cause }, 'the line to a storage daemon has ended');
    });
    return daemon;
  }

  /** Closes the connection; the daemon continues. */
  async close(): Promise<void> {
    const daemon = this.#daemon;
    this.#daemon = undefined;
    await daemon?.[Symbol.asyncDispose]();
  }
}
