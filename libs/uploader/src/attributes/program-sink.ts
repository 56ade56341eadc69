import { outputLines } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import { type EngineExit, killedFailure } from '@lateen/repository';
import { ChunkedInput } from './chunked-input.ts';
import type { Program, Programs } from './programs.ts';

/** Pieces are gathered up to this size: a system call for each piece would cost more than the work. */
const batchBytes = 64 * 1024;

/** Complaints that are listed; the rest is counted. */
export const complaintsToldMax = 10;

/** What a program could not do for single entries. */
export interface Complaints {
  count: number;
  /** The first {@link complaintsToldMax}. */
  told: string[];
}

export function complain(complaints: Complaints, line: string): void {
  complaints.count++;
  if (complaints.told.length < complaintsToldMax) complaints.told.push(line.slice(0, 400));
}

/** Runs a program that reads its work from standard input and prints one complaint line for each entry that it cannot handle. */
export class ProgramSink {
  readonly #input = new ChunkedInput();
  readonly #program: Program;
  readonly #complaints: Complaints;
  readonly #done: Promise<EngineExit>;
  readonly #trailer: Uint8Array;
  #hasComplained = false;
  #batch: Uint8Array[] = [];
  #batchBytes = 0;

  /** Starts the program. Its complaints are added to `complaints`. */
  constructor(
    programs: Programs,
    run: { program: Program; args: readonly string[]; signal: AbortSignal; trailer?: Uint8Array },
    complaints: Complaints,
  ) {
    this.#program = run.program;
    this.#complaints = complaints;
    this.#trailer = run.trailer ?? new Uint8Array();
    const onStderr = outputLines((line) => this.#complain(line)).push;
    this.#done = programs
      .run(run.program, { args: run.args, signal: run.signal, stdin: this.#input, onStderr })
      .finally(() => this.#input.gone());
    // close and abandon await this; until then a rejection must not count as unhandled.
    this.#done.catch(() => {});
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#batch.push(bytes);
    this.#batchBytes += bytes.length;
    if (this.#batchBytes >= batchBytes) await this.#flush();
  }

  /** Resolves when the program has processed all input, with complaints or without. @throws when the program itself failed */
  async close(signal: AbortSignal): Promise<void> {
    await this.write(this.#trailer);
    await this.#flush();
    this.#input.end();
    const exit = await this.#done;
    signal.throwIfAborted();
    if (exit.exitCode === 0) return;
    const failure = failureOf(this.#program, exit, this.#hasComplained);
    if (failure !== undefined) throw failure;
  }

  /** Stops the program before its work is done; `cause` is the reason. */
  async abandon(cause: unknown): Promise<void> {
    this.#input.fail(cause);
    await this.#done.catch(() => {});
  }

  async #flush(): Promise<void> {
    const batch = Buffer.concat(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
    if (batch.length > 0) await this.#input.write(batch);
  }

  #complain(line: string): void {
    if (/Exiting with failure status due to previous errors/.test(line)) return;
    this.#hasComplained = true;
    complain(this.#complaints, line);
  }
}

/** Undefined when the program failed at single entries only. */
function failureOf(program: Program, exit: EngineExit, complained: boolean): AppError | undefined {
  const lines = exit.stderr.split('\n').filter((line) => line !== '');
  const killed = killedFailure(exit, `restoring attributes: ${program}`, lines.slice(-3));
  if (killed !== undefined) return killed;
  const line = (pattern: RegExp): string | undefined => lines.find((each) => pattern.test(each));
  const full = line(/no space left on device|disk quota exceeded/i);
  if (full !== undefined) {
    return new AppError('UPLOADER_VOLUME_FULL', `restoring attributes: the volume is full: ${full}`, {
      nextStep: 'Restore into a larger volume.',
    });
  }
  const refused = line(/read-only file system|input\/output error/i);
  if (refused !== undefined) {
    return new AppError(
      'UPLOADER_TARGET_NOT_WRITABLE',
      `restoring attributes: the volume cannot be written to: ${refused}`,
      {
        retry: 'later',
        nextStep: 'Check how the volume is mounted, and its file system.',
      },
    );
  }
  // The program was given input that it does not understand, or it died.
  const broken = line(/not look like a tar archive|unexpected EOF|not recoverable|skipping to next header/i);
  if (broken === undefined && complained) return undefined;
  return new AppError(
    'ATTRIBUTES_NOT_APPLIED',
    `restoring attributes: ${program} ended with exit code ${exit.exitCode}: ${lines.slice(-3).join('; ')}`,
    { retry: 'later' },
  );
}
