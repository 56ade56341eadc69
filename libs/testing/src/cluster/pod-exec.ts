import { AppError } from '@lateen/errors';
import { orAborted } from '@lateen/kernel';
import { type ExecOptions, keyText, type ObjectKey, type PodExec } from '@lateen/kube';
import type { ServerState } from './server-state.ts';

/** A command in a container, simulated by a test. */
export interface RunningCommand {
  pod: ObjectKey;
  container: string;
  command: readonly string[];
  stdin: ExecOptions['stdin'];
  write(text: string): void;
  writeError(text: string): void;
  /** Aborts when the caller has left. A real command continues, and this one may, too. */
  gone: AbortSignal;
}

/** Runs a command; resolves with its exit code (nothing: 0). An error is thrown to the caller: {@link brokenExec}, for example. */
export type PodProgram = (running: RunningCommand) => Promise<number | undefined> | number | undefined;

/** The state of a started command. */
export interface ExecRecord {
  readonly pod: ObjectKey;
  readonly container: string;
  readonly command: readonly string[];
  readonly atMs: number;
  /** `undefined` while it runs. */
  end?: { atMs: number; exitCode: number } | { atMs: number; error: unknown };
}

interface PodShape {
  spec?: { containers?: { name: string }[]; initContainers?: { name: string; restartPolicy?: string }[] };
  status?: { phase?: string; containerStatuses?: { name: string; state?: { running?: object } }[] };
}

/** Commands in containers, run by the test's programs; without programs every command succeeds. */
export class FakePodExec implements PodExec {
  readonly #state: ServerState;
  readonly #programs: PodProgram[] = [];
  readonly #records: ExecRecord[] = [];

  constructor(state: ServerState) {
    this.#state = state;
  }

  /** Every command that was started, oldest first. */
  get commands(): readonly ExecRecord[] {
    return this.#records;
  }

  /** `ns/pod/container: program argument`, for each command that was started. */
  get lines(): string[] {
    return this.#records.map(({ pod, container, command }) => `${keyText(pod)}/${container}: ${command.join(' ')}`);
  }

  /** Replaces the program for commands from now on. Returns a function that removes it. */
  play(program: PodProgram): () => void {
    this.#programs.push(program);
    return () => {
      const at = this.#programs.indexOf(program);
      if (at >= 0) this.#programs.splice(at, 1);
    };
  }

  async exec(
    pod: ObjectKey,
    container: string,
    command: readonly string[],
    options: ExecOptions = {},
  ): Promise<{ exitCode: number }> {
    const { signal, stdout, stderr, stdin } = options;
    signal?.throwIfAborted();
    this.#mustRun(pod, container);
    const record: ExecRecord = { pod, container, command, atMs: this.#state.clock.now() };
    this.#records.push(record);
    const left = new AbortController();
    const running: RunningCommand = {
      pod,
      container,
      command,
      stdin,
      write: (text) => void (left.signal.aborted || stdout?.write(Buffer.from(text))),
      writeError: (text) => void (left.signal.aborted || stderr?.write(Buffer.from(text))),
      gone: left.signal,
    };
    try {
      const exitCode = await orAborted(this.#untilPodGoes(pod, container, running), signal);
      record.end = { atMs: this.#state.clock.now(), exitCode };
      return { exitCode };
    } catch (error) {
      record.end = { atMs: this.#state.clock.now(), error };
      throw error;
    } finally {
      left.abort(signal?.reason);
      stdout?.end();
      stderr?.end();
    }
  }

  /** The end of a container breaks the connections of its commands. */
  async #untilPodGoes(pod: ObjectKey, container: string, running: RunningCommand): Promise<number> {
    const gone = Promise.withResolvers<never>();
    const unsubscribe = this.#state.store.onChange(() => {
      if (this.#obstacle(pod, container) === undefined) return;
      gone.reject(brokenExec(pod, container));
    });
    try {
      const program = this.#programs.at(-1) ?? (() => 0);
      return (await Promise.race([Promise.resolve(running).then(program), gone.promise])) ?? 0;
    } finally {
      unsubscribe();
    }
  }

  #mustRun(pod: ObjectKey, container: string): void {
    const httpStatus = this.#obstacle(pod, container);
    if (httpStatus !== undefined)
      throw execFailed(pod, container, `Unexpected server response: ${httpStatus}`, { httpStatus });
  }

  /** The errors with which API server and kubelet reject a connection. */
  #obstacle(pod: ObjectKey, container: string): number | undefined {
    const entry = this.#state.store.get('/Pod', pod);
    if (entry === undefined) return 404;
    const { spec = {}, status = {} } = entry.object as PodShape;
    const names = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name);
    const state = status.containerStatuses?.find(({ name }) => name === container)?.state;
    const runs = status.phase === 'Running' && (state === undefined || state.running !== undefined);
    return names.includes(container) && runs ? undefined : 400;
  }
}

/** The error of a connection that breaks during a command. */
export function brokenExec(pod: ObjectKey, container: string): AppError {
  return execFailed(pod, container, 'the connection was closed before the command ended');
}

function execFailed(pod: ObjectKey, container: string, why: string, details: { httpStatus?: number } = {}): AppError {
  const message = `cannot run a command in pod ${keyText(pod)} container ${container} at the fake cluster: ${why}`;
  return new AppError('KUBE_EXEC_FAILED', message, { retry: 'later', details });
}
