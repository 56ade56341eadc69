import type { Clock } from '@lateen/kernel';
import type { PluginScope } from './plugin-call.ts';
import type { Supervisor } from './supervisor.ts';

/** The processes of one program, by the run that they work for. */
export class RunProcesses {
  readonly #supervise: (scope: PluginScope) => Supervisor;
  readonly #byRun = new Map<string, Supervisor>();

  constructor(supervise: (scope: PluginScope) => Supervisor) {
    this.#supervise = supervise;
  }

  get runs(): number {
    return this.#byRun.size;
  }

  /** The processes of a run; a new run has none until its first call. */
  of(scope: PluginScope): Supervisor {
    const known = this.#byRun.get(scope.run);
    if (known !== undefined) return known;
    const made = this.#supervise(scope);
    this.#byRun.set(scope.run, made);
    return made;
  }

  /** Resolves when they have ended and their last lines are in the log. */
  async end(run: string): Promise<void> {
    const ending = this.#byRun.get(run);
    this.#byRun.delete(run);
    await ending?.stop();
  }

  /** Ends those without a call for so long. */
  async endIdle(idleMs: number): Promise<void> {
    const idle = [...this.#byRun].filter(([, supervisor]) => supervisor.idleMs >= idleMs);
    await Promise.all(idle.map(([run]) => this.end(run)));
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#byRun.keys()].map((run) => this.end(run)));
  }
}

/** Checks for idle processes until the signal aborts. */
export async function endIdleProcesses(
  programs: ReadonlyMap<string, RunProcesses>,
  { clock, idleMs, idleCheckMs }: { clock: Clock; idleMs: number; idleCheckMs: number },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await clock.sleep(idleCheckMs, signal).catch(() => {});
    if (!signal.aborted) await Promise.all([...programs.values()].map((processes) => processes.endIdle(idleMs)));
  }
}
